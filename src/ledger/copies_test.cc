// SPDX-License-Identifier: Apache-2.0
// Copies of a ledger, end to end with real files: yesterday's put back, two in
// use at once, a witness that is gone. Each is named and refused, with a way
// out that gives no budget away.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger/crash_oracle_for_tests.h"
#include "ledger/ledger.h"
#include "ledger/scratch_for_tests.h"

namespace discreet::ledger::copies_test {
namespace {

class Copies : public testing::Test {
 protected:
  static void make(const std::filesystem::path& home, std::uint64_t witness_every) {
    const auto created = Ledger::create({.path = home / "ledger",
                                         .key = home / "key",
                                         .witness = home / "witness",
                                         .witness_every = witness_every});
    ASSERT_TRUE(created.has_value()) << created.error().message;
    ASSERT_TRUE(created.value()->add_namespace(patients()).has_value());
  }
  Result<std::unique_ptr<Ledger>> open(const std::string& name, Access access = Access::kUse) {
    return Ledger::open({.path = scratch_ / name,
                         .key = scratch_ / "key",
                         .witness = scratch_ / "witness",
                         .access = access});
  }
  void put_back(const std::string& from, const std::string& to) {
    for (const char* end : {"-wal", "-shm"}) std::filesystem::remove(scratch_ / (to + end));
    std::filesystem::copy_file(scratch_ / from, scratch_ / to,
                               std::filesystem::copy_options::overwrite_existing);
  }

  Scratch scratch_;
};

/// Asks and stores: "sent", or the error's text.
std::string ask(Ledger& ledger, const Ask& ask, const std::string& bytes) {
  auto outcome = ledger.charge(ask.charge(), ask.question());
  if (!outcome) return outcome.error().message;
  if (const Answer* const answer = std::get_if<Answer>(&outcome.value())) return answer->bytes();
  const auto stored = ledger.store(std::get<Paid>(std::move(*outcome)), bytes);
  return stored ? stored->bytes() : stored.error().message;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Copies, YesterdaysIsRefusedAndReopensOnlyAsFullySpent) {
  make(scratch_.path(), 1);
  EXPECT_EQ(ask(*open("ledger").value(), {"a", "ann", 0}, "first"), "first");
  put_back("ledger", "yesterday");
  EXPECT_EQ(ask(*open("ledger").value(), {"b", "ann", 1}, "second"), "second");
  put_back("ledger", "today");
  put_back("yesterday", "ledger");

  const auto refused = open("ledger");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kCorrupt);
  EXPECT_TRUE(mentions(refused.error().message, "recover")) << refused.error().message;

  {
    auto repair = open("ledger", Access::kRepair).value();
    EXPECT_TRUE(repair->witness_fault().has_value());
    EXPECT_FALSE(repair->charge(Ask{"c", "ann", 2}.charge(), Ask{"c", "ann", 2}.question()));
    ASSERT_TRUE(repair->recover("the disk died").has_value());
  }
  auto ledger = open("ledger").value();
  EXPECT_EQ(ask(*ledger, {"a", "ann", 0}, "another"),
            "first");  // what is stored is still given
  const auto broke = ledger->charge(Ask{"c", "ann", 2}.charge(), Ask{"c", "ann", 2}.question());
  ASSERT_FALSE(broke.has_value());
  EXPECT_EQ(broke.error().code, Code::kBudget);
  ASSERT_TRUE(ledger->top_up("patients", {}, tenths_of_epsilon(5), "decided").has_value());
  ASSERT_TRUE(ledger->top_up("patients", "ann", tenths_of_epsilon(5), "decided").has_value());
  EXPECT_EQ(ask(*ledger, {"c", "ann", 2}, "third"), "third");
  ledger.reset();

  // Today's turns up again: it is no longer the history that the witness knows.
  put_back("today", "ledger");
  const auto late = open("ledger");
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().code, Code::kCorrupt);
}

// The copy is taken with the database in use: without its log it is simply
// older.
TEST_F(Copies, OneTakenWithoutItsLogIsRefused) {
  make(scratch_.path(), 1);
  {
    auto ledger = open("ledger").value();
    put_back("ledger", "careless");
    EXPECT_EQ(ask(*ledger, {"a", "ann", 0}, "first"), "first");
  }
  const auto refused = open("careless");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kCorrupt);
}

TEST_F(Copies, OfTwoInUseTheSecondGetsNoReceipt) {
  make(scratch_.path(), 1);
  put_back("ledger", "copy");
  auto first = open("ledger").value();
  auto second = open("copy").value();
  EXPECT_EQ(ask(*first, {"a", "ann", 0}, "first"), "first");
  const auto refused = second->charge(Ask{"b", "ann", 1}.charge(), Ask{"b", "ann", 1}.question());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kCorrupt);
  EXPECT_TRUE(mentions(refused.error().message, "copy")) << refused.error().message;
  EXPECT_EQ(ask(*first, {"c", "ann", 2}, "third"), "third");
  second.reset();
  EXPECT_FALSE(open("copy").has_value());
}

// Two processes race on two copies. Whatever the interleaving, together they
// get no more than the cap, and the rollback window if the witness is not
// synced each time.
TEST_F(Copies, TwoProcessesTogetherGetNoMoreThanOneCap) {
  for (const std::uint64_t every : {1, 4}) {
    const Scratch home;
    make(home.path(), every);
    std::filesystem::copy_file(home / "ledger", home / "copy");
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    std::vector<pid_t> children;
    for (const char* name : {"ledger", "copy"}) {
      const pid_t child = fork();
      if (child == 0) {
        close(ready[1]);
        auto ledger =
            Ledger::open({.path = home / name, .key = home / "key", .witness = home / "witness"});
        char go = 0;
        (void)!read(ready[0], &go, 1);  // ends when the parent closes its end
        int receipts = 0;
        for (int i = 0; ledger.has_value() && i < 12; ++i) {
          const Ask mine{name + std::to_string(i), "ann", 3 * (i + 100) + 2};  // 0.3 each
          const auto outcome = ledger.value()->charge(mine.charge(), mine.question());
          if (!outcome) break;
          ++receipts;
        }
        _exit(receipts);
      }
      children.push_back(child);
    }
    close(ready[0]);
    usleep(20000);
    close(ready[1]);
    int receipts = 0;
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      ASSERT_TRUE(WIFEXITED(status));
      receipts += WEXITSTATUS(status);
    }
    EXPECT_GE(receipts, 1);
    // ann's cap of 2.0 pays for six charges of 0.3.
    EXPECT_LE(receipts, 6 + static_cast<int>(every) - 1) << "witness every " << every;
  }
}

TEST_F(Copies, ALostWitnessComesBackFromAPrintedReceipt) {
  make(scratch_.path(), 1);
  std::string printed;
  {
    auto ledger = open("ledger").value();
    EXPECT_EQ(ask(*ledger, {"a", "ann", 0}, "first"), "first");
    printed = ledger->signed_head()->to_text();
  }
  std::filesystem::remove(scratch_ / "witness");
  const auto refused = open("ledger");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kCorrupt);
  EXPECT_TRUE(mentions(refused.error().message, "witness")) << refused.error().message;
  {
    auto repair = open("ledger", Access::kRepair).value();
    ASSERT_TRUE(
        repair->replace_witness("the stick was lost", Head::parse(printed).value()).has_value());
  }
  EXPECT_EQ(ask(*open("ledger").value(), {"b", "ann", 1}, "second"), "second");
}

// A thief of budget puts yesterday's ledger back and takes the witness away;
// the receipt tells.
TEST_F(Copies, APrintedReceiptShowsThatTheLedgerIsOlder) {
  make(scratch_.path(), 1);
  put_back("ledger", "yesterday");
  std::string printed;
  {
    auto ledger = open("ledger").value();
    EXPECT_EQ(ask(*ledger, {"a", "ann", 0}, "first"), "first");
    printed = ledger->signed_head()->to_text();
  }
  put_back("yesterday", "ledger");
  std::filesystem::remove(scratch_ / "witness");
  auto repair = open("ledger", Access::kRepair).value();
  EXPECT_FALSE(
      repair->replace_witness("the stick was lost", Head::parse(printed).value()).has_value());
}

}  // namespace
}  // namespace discreet::ledger::copies_test
