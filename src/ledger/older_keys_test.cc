// SPDX-License-Identifier: Apache-2.0
// Questions whose key an earlier version of the program made in another way: what was bought under
// the older key stays bought.
#include <gtest/gtest.h>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::older_keys_test {
namespace {

using namespace fixture;
using fixture::Ask;

/// As an earlier version asked it, and as this one does.
const Ask kEarlier = {.key = "first text"};
Ask now(Ask ask = {}) {
  ask.key = "third text";
  ask.older_keys = {"second text", "first text"};
  return ask;
}

std::string bytes_of(const Result<Outcome>& outcome) {
  if (!outcome) return "refused: " + outcome.error().message;
  const Answer* const answer = std::get_if<Answer>(&outcome.value());
  return answer == nullptr ? "charged" : answer->bytes();
}

TEST(OlderKeys, AnAnswerIsFoundFreeOfChargeWithTheSameBytes) {
  Home home;
  auto ledger = home.create();
  ASSERT_TRUE(ask_and_store(*ledger, kEarlier, "42"));
  const Sequence records = ledger->state()->next();
  EXPECT_EQ(bytes_of(ask(*ledger, now({.id = "new id"}))), "42");
  EXPECT_EQ(bytes_of(ask(*ledger, now())), "42");  // the id that was used then
  const auto quote = ledger->quote(now().charge(), now().question());
  ASSERT_TRUE(quote);
  EXPECT_TRUE(quote->repeat);
  EXPECT_EQ(quote->pays, Price());
  EXPECT_EQ(ledger->state()->next(), records);
  EXPECT_EQ(spent(*ledger), "0.5 0.5");
  // Without the older keys it is another question.
  EXPECT_EQ(bytes_of(ask(*ledger, {.id = "other", .key = "third text"})), "charged");
}

TEST(OlderKeys, AShareIsPaidOnceAndKeptUnderTheNewKey) {
  Home home;
  auto ledger = home.create();
  ASSERT_TRUE(ask_and_store(*ledger, kEarlier, "42"));
  EXPECT_EQ(bytes_of(ask(*ledger, now({.analyst = "press"}))), "42");
  EXPECT_EQ(spent(*ledger, "press"), "0.5 0.5");  // the total had paid
  EXPECT_EQ(history_of(home).back().question, "third text");
  EXPECT_EQ(history_of(home).back().kind, Kind::kShare);
  EXPECT_EQ(bytes_of(ask(*ledger, now({.analyst = "press", .id = "again"}))), "42");
  EXPECT_EQ(spent(*ledger, "press"), "0.5 0.5");
}

TEST(OlderKeys, AShareOfThenIsNotPaidAgain) {
  Home home;
  auto ledger = home.create();
  ASSERT_TRUE(ask_and_store(*ledger, kEarlier, "42"));
  ASSERT_TRUE(ask(*ledger, {.analyst = "press", .key = "first text"}));
  EXPECT_EQ(bytes_of(ask(*ledger, now({.analyst = "press", .id = "again"}))), "42");
  EXPECT_EQ(spent(*ledger, "press"), "0.5 0.5");
}

TEST(OlderKeys, AChargeIsStoredUnderTheNewKey) {
  Home home;
  auto ledger = home.create();
  ASSERT_TRUE(ask_and_store(*ledger, now(), "42"));
  for (const Record& record : history_of(home)) {
    const bool is_of_a_question = !is_signed(record.kind);
    EXPECT_EQ(record.question, is_of_a_question ? "third text" : "");
  }
}

// An older program beside a newer one can buy the question a second time. Whoever has one of the
// answers keeps it; whoever has none is given that under the newest key.
TEST(OlderKeys, OfTwoAnswersEachKeepsTheirOwn) {
  Home home;
  auto ledger = home.create();
  ASSERT_TRUE(ask_and_store(*ledger, now(), "new"));
  ASSERT_TRUE(ask_and_store(*ledger, {.analyst = "press", .id = "old program", .key = "first text"},
                            "old"));
  EXPECT_EQ(spent(*ledger, "press"), "1 0.5");
  EXPECT_EQ(bytes_of(ask(*ledger, now({.id = "2"}))), "new");
  EXPECT_EQ(spent(*ledger), "1 0.5");
  EXPECT_EQ(bytes_of(ask(*ledger, now({.analyst = "press", .id = "3"}))), "old");
  EXPECT_EQ(spent(*ledger, "press"), "1 0.5");
  ASSERT_TRUE(ledger->add_analyst("patients", {"bob", fixture::price("1", "1e-6")}));
  EXPECT_EQ(bytes_of(ask(*ledger, now({.analyst = "bob", .id = "4"}))), "new");
  EXPECT_EQ(spent(*ledger, "bob"), "1 0.5");
}

TEST(OlderKeys, ARunThatWasPaidForUnderOneGoesOn) {
  Home home;
  auto ledger = home.create();
  auto outcome = ask(*ledger, kEarlier);
  ASSERT_TRUE(outcome);
  const Sequence paid = std::get<Paid>(*outcome).charge();
  EXPECT_TRUE(ledger->take_part(kEarlier.charge(), kEarlier.question(), paid, 0));
  EXPECT_TRUE(ledger->take_part(now().charge(), now().question(), paid, 1));
  EXPECT_FALSE(ledger->take_part(now().charge(), now().question(), paid, 0));  // once (L7)
  auto resumed = ledger->resume(now().charge(), now().question(), paid);
  ASSERT_TRUE(resumed) << resumed.error().message;
  ASSERT_TRUE(ledger->store(std::get<Paid>(std::move(*resumed)), "42"));
  EXPECT_EQ(bytes_of(ask(*ledger, now({.id = "2"}))), "42");
  EXPECT_EQ(spent(*ledger), "0.5 0.5");
}

TEST(OlderKeys, AreOtherKeys) {
  Home home;
  auto ledger = home.create();
  for (const char* wrong : {"", "SELECT count(*)"}) {
    const auto refused = ask(*ledger, {.older_keys = {wrong}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kInvalidInput);
  }
}

}  // namespace
}  // namespace discreet::ledger::older_keys_test
