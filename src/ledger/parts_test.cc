// SPDX-License-Identifier: Apache-2.0
// Runs in parts (L7), and bytes that are sealed between them.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "ledger/ledger_for_tests.h"
#include "ledger/sealed_bytes.h"

namespace discreet::ledger::parts_test {
namespace {

using namespace fixture;
using fixture::Ask;

Paid paid_for(Ledger& ledger, const Ask& what) { return std::get<Paid>(ask(ledger, what).value()); }

Code code_of(const auto& result) { return result ? Code::kBug : result.error().code; }

TEST(Parts, EachIsTakenOnceWhicheverProcessAsks) {
  Home home;
  const Ask run;
  Sequence charge = 0;
  {
    const auto ledger = home.create();
    const Paid paid = paid_for(*ledger, run);
    charge = paid.charge();
    const std::string receipt = std::to_string(paid.receipt());
    const auto first = ledger->take_part(run.charge(), run.question(), charge, 1);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->noise().text, "laplace(0.5)#1");
    EXPECT_EQ(first->id(), ledger->id() + "/" + receipt);
    EXPECT_EQ(spent(*ledger), "0.5 0.5");
  }  // the process dies: its Paid is gone
  const auto ledger = home.open();
  EXPECT_EQ(code_of(ledger->take_part(run.charge(), run.question(), charge, 1)), Code::kConflict);
  EXPECT_TRUE(ledger->take_part(run.charge(), run.question(), charge, 2));
  EXPECT_EQ(spent(*ledger), "0.5 0.5");  // nothing more

  // Of twenty threads that want part 3, one has it.
  std::atomic<int> had = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] {
      if (ledger->take_part(run.charge(), run.question(), charge, 3)) ++had;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(had, 1);

  // Both who resume may store; the first one's bytes count.
  Outcome one = ledger->resume(run.charge(), run.question(), charge).value();
  Outcome two = ledger->resume(run.charge(), run.question(), charge).value();
  EXPECT_TRUE(std::get<Paid>(one).receipts.empty());
  const auto stored = ledger->store(std::get<Paid>(std::move(one)), "first");
  const auto late = ledger->store(std::get<Paid>(std::move(two)), "second");
  EXPECT_FALSE(stored->repeated());
  EXPECT_TRUE(late->repeated());
  EXPECT_EQ(late->bytes(), "first");
  EXPECT_EQ(std::get<Answer>(*ledger->resume(run.charge(), run.question(), charge)).bytes(),
            "first");
  EXPECT_EQ(code_of(ledger->take_part(run.charge(), run.question(), charge, 4)), Code::kConflict);
  EXPECT_EQ(std::get<Answer>(*ask(*ledger, run)).bytes(), "first");
  EXPECT_TRUE(ledger->verify());
}

TEST(Parts, NeedAChargeForJustThisQuestion) {
  Home home;
  const auto ledger = home.create();
  const Ask run;
  const Sequence charge = paid_for(*ledger, run).charge();
  const auto refused = [&](const Ask& other, Sequence at) {
    EXPECT_EQ(code_of(ledger->take_part(other.charge(), other.question(), at, 1)), Code::kRefused);
    EXPECT_EQ(code_of(ledger->resume(other.charge(), other.question(), at)), Code::kRefused);
  };
  refused(run, charge + 1);  // no such record
  refused(run, 1);           // the namespace's
  refused({.key = "SELECT 1"}, charge);
  refused({.snapshot = "2026-12"}, charge);
  refused({.analyst = "press"}, charge);
  refused({.lines = {line("0.4")}}, charge);
  refused({.lines = {line("0.25"), line("0.25")}}, charge);
  // A part's own record is no charge that has parts.
  ASSERT_TRUE(ledger->take_part(run.charge(), run.question(), charge, 1));
  refused(run, charge + 1);
}

TEST(Parts, SecretsAreTheOwnersAndDifferByPurpose) {
  Home home;
  std::set<Hash> seen;
  {
    const auto ledger = home.create();
    seen.insert(*ledger->secret("a"));
    seen.insert(*ledger->secret("b"));
  }
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_TRUE(seen.contains(*home.open()->secret("a")));
  EXPECT_EQ(code_of(home.open(Access::kLook)->secret("a")), Code::kRefused);
}

TEST(SealedBytes, OpenForTheirKeyAndPurposeAlone) {
  const Hash key{1};
  const std::string text = "weights";
  const std::string sealed = *seal_bytes(key, "run 1", text);
  EXPECT_EQ(*unseal_bytes(key, "run 1", sealed), text);
  EXPECT_NE(*seal_bytes(key, "run 1", text), sealed);  // a nonce of its own
  EXPECT_EQ(sealed.find(text), std::string::npos);
  EXPECT_EQ(*unseal_bytes(key, "", *seal_bytes(key, "", "")), "");
  EXPECT_EQ(code_of(unseal_bytes(Hash{2}, "run 1", sealed)), Code::kCorrupt);
  EXPECT_EQ(code_of(unseal_bytes(key, "run 2", sealed)), Code::kCorrupt);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(code_of(unseal_bytes(key, "run 1", changed)), Code::kCorrupt) << i;
    EXPECT_EQ(code_of(unseal_bytes(key, "run 1", sealed.substr(0, i))), Code::kCorrupt) << i;
  }
}

}  // namespace
}  // namespace discreet::ledger::parts_test
