// SPDX-License-Identifier: Apache-2.0
// Edited rows, restored copies, lost witnesses, wrong keys, damaged files: each named and refused,
// with the way out.
#include <gtest/gtest.h>

#include "ledger/ledger_for_tests.h"

namespace discreet::ledger::tamper_test {
namespace {

using namespace fixture;

#define EXPECT_SAYS(text, what) \
  EXPECT_NE((text).find(what), std::string::npos) << "instead: " << (text)

/// Records: 0 created, 1 namespace, 2 and 3 analysts, then charge and answer in turns.
std::unique_ptr<Ledger> with_answers(Home& home, int answers) {
  auto ledger = home.create();
  for (int i = 0; i < answers; ++i) {
    const std::string n = std::to_string(i);
    EXPECT_TRUE(
        ask_and_store(*ledger, {.id = n, .key = n, .lines = {line("0.05")}}, "answer " + n));
  }
  return ledger;
}

/// Changes to a row of the file: each column.
std::vector<std::string> edits_of_file(const Home& home) {
  const auto bytes = [&](const std::string& hex) { return home.bytes(hex); };
  return {
      "amount = '1'",
      "delta = '1'",
      "analyst = 'press'",
      "time_ms = time_ms + 1",
      "question = " + bytes("00"),
      "request_id = " + bytes("00"),
      "kind = 5",
      "units = 'x'",
      "hash = " + bytes(std::string(64, '0')),
      "writer = writer + 1",
      "plan = " + bytes(""),
      "blocks = '1:a'",
      "detail = 'no noise'",
      "kind = 99",
      "amount = '-1'",
      "amount = 'x'",
      "hash = " + bytes("00"),
      "about = 2",
  };
}

/// And of PostgreSQL: bytes of its record here and there, the last one included.
std::vector<std::string> edits_of_database(const Home& home) {
  const auto bytes = [&](const std::string& hex) { return home.bytes(hex); };
  std::vector<std::string> edits = {
      "hash = " + bytes(std::string(64, '0')),
      "hash = " + bytes("00"),
      "records = records || " + bytes("00"),
      "records = records || records",
      "records = " + bytes(""),
      "last = last + 1",
      "last = last - 1",
  };
  for (const char* at :
       {"7", "15", "23", "31", "39", "47", "60", "100", "150", "200", "length(records) - 1"}) {
    const std::string where = std::string("records, ") + at;
    edits.push_back("records = set_byte(" + where + ", get_byte(" + where + ") # 1)");
  }
  return edits;
}

TEST(Tamper, AnEditedRowIsNamed) {
  const Home any;
  const auto edits = is_postgres(any.path) ? edits_of_database(any) : edits_of_file(any);
  for (const std::string& edit : edits) {
    Home home;
    with_answers(home, 3).reset();
    home.sql("UPDATE " + home.table() + " SET " + edit + " WHERE " + home.number() + " = 6");
    const std::string why = home.why_not();
    EXPECT_NE(why.find("record 6"), std::string::npos) << edit << ": " << why;
    EXPECT_FALSE(home.try_open(Access::kLook)) << edit;
    EXPECT_FALSE(home.try_open(Access::kRepair)) << edit;
  }
}

TEST(Tamper, AnOwnersRecordWithoutTheSignatureIsNamed) {
  Home home;
  with_answers(home, 1).reset();
  if (is_postgres(home.path)) {
    std::vector<Record> history = history_of(home);
    history[2].signature = std::string(64, '\0');
    put_into_database(home, history);
  } else {
    home.sql("UPDATE records SET signature = " + home.bytes(std::string(128, '0')) +
             " WHERE sequence = 2");
  }
  EXPECT_SAYS(home.why_not(), "record 2 (analyst) does not bear the owner's signature");
}

TEST(Tamper, RowsTakenFromTheMiddleAreMissed) {
  Home home;
  with_answers(home, 3).reset();
  home.sql("DELETE FROM " + home.table() + " WHERE " + home.number() + " = 6");
  EXPECT_SAYS(home.why_not(), "record 7 (answer) follows record 5");
}

TEST(Tamper, ADeletedTailIsARollback) {
  Home home;
  with_answers(home, 3).reset();
  home.sql("DELETE FROM " + home.table() + " WHERE " + home.number() +
           " >= 7; DELETE FROM answers WHERE charge >= 7");
  const std::string why = home.why_not();
  EXPECT_SAYS(why, "rolled back: it ends at record 6, but its witness has seen record 8");
  EXPECT_SAYS(why, "discreet ledger recover");
}

TEST(Tamper, AHistoryWrittenAnewIsNotTheWitnesssOne) {
  Home home;
  with_answers(home, 2).reset();
  // Somebody halves a price and repairs the chain after it; the witness is not fooled.
  std::vector<Record> history = history_of(home);
  history[4].price = price("0.025");
  std::string edits = "UPDATE records SET amount = '25000000000000000' WHERE sequence = 4;";
  for (std::size_t i = 4; i < history.size(); ++i) {
    history[i].hash = chain(history[i - 1].hash, history[i]);
    edits += "UPDATE records SET hash = " + home.bytes(to_hex(history[i].hash)) +
             " WHERE sequence = " + std::to_string(i) + ";";
  }
  if (is_postgres(home.path)) {
    put_into_database(home, history);
  } else {
    home.sql(edits);
  }
  EXPECT_SAYS(home.why_not(), "record 6 is not the one that its witness has seen");
}

TEST(Tamper, SwappedAndLostAnswersAreNamedWhenTheyAreRead) {
  Home home;
  with_answers(home, 3).reset();
  home.sql(
      "UPDATE answers SET bytes = 'answer 1' WHERE charge = 4; DELETE FROM answers WHERE charge = "
      "8");
  auto ledger = home.open();
  auto asked = [&](const char* n) {
    return ask(*ledger, {.id = n, .key = n, .lines = {line("0.05")}});
  };
  EXPECT_SAYS(asked("0").error().message, "the stored answer of record 5 was changed");
  EXPECT_EQ(asked("0").error().code, Code::kCorrupt);
  EXPECT_TRUE(asked("1"));
  EXPECT_SAYS(asked("2").error().message, "the stored answer of record 9 is missing");
  EXPECT_SAYS(ledger->verify().error().message, "record 5");
}

TEST(Tamper, WhatHappensBehindAnOpenLedgerIsSeenBeforeTheNextCharge) {
  const Home any;
  const std::string zeros = any.bytes(std::string(64, '0'));
  const std::string rows = any.table() + " WHERE " + any.number() + " = 5";
  const std::string same = is_postgres(any.path)
                               ? "6, 6, hash, records"
                               : "6, time_ms, kind, writer, units, analyst, blocks, amount, delta, "
                                 "request_id, question, snapshot, plan, about, content, detail, "
                                 "signature, hash";
  for (const std::string& harm :
       {"DELETE FROM " + rows,
        "UPDATE " + any.table() + " SET hash = " + zeros + " WHERE " + any.number() + " = 5",
        "INSERT INTO " + any.table() + " SELECT " + same + " FROM " + rows}) {
    Home home;
    auto ledger = with_answers(home, 1);
    home.sql(harm);
    const auto refused = ask(*ledger, {.id = "x"});
    ASSERT_FALSE(refused) << harm;
    EXPECT_EQ(refused.error().code, Code::kCorrupt) << harm;
    EXPECT_EQ(ask(*ledger, {.id = "y"}).error().code, Code::kCorrupt);  // and it stays shut
  }
}

TEST(Tamper, TriggersInTheFileDoNotRun) {
  Home home;
  home.create().reset();
  home.sql(
      "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records WHERE sequence = "
      "NEW.sequence; END");
  auto ledger = home.open();
  ASSERT_TRUE(ask_and_store(*ledger, {}, "42"));
  EXPECT_EQ(spent(*ledger), "0.5 0.5");
}

class CopiedLedger : public testing::Test {
 protected:
  /// Copies the ledger's file; nobody has it open.
  void keep(const std::string& name) { std::filesystem::copy_file(home.path, home.scratch / name); }
  void restore(const std::string& name) {
    for (const char* suffix : {"-wal", "-shm"})
      std::filesystem::remove(home.path.string() + suffix);
    std::filesystem::copy_file(home.scratch / name, home.path,
                               std::filesystem::copy_options::overwrite_existing);
  }
  Home home;
};

TEST_F(CopiedLedger, YesterdaysCopyIsRefusedAndRecoveredWithEverythingSpent) {
  with_answers(home, 1).reset();
  keep("yesterday");
  auto ledger = home.open();
  ASSERT_TRUE(ask_and_store(*ledger, {.id = "today", .key = "today"}, "today"));
  ledger.reset();
  restore("yesterday");
  EXPECT_SAYS(home.why_not(),
              "rolled back: it ends at record 5, but its witness has seen record 6");
  EXPECT_SAYS(home.why_not(Access::kLook), "rolled back");

  ledger = home.open(Access::kRepair);
  ASSERT_TRUE(ledger->witness_fault().has_value());
  EXPECT_EQ(ask(*ledger, {.id = "x"}).error().code, Code::kCorrupt);
  EXPECT_EQ(ledger->top_up("patients", {}, price("1"), "x").error().code, Code::kCorrupt);
  EXPECT_EQ(ledger->replace_witness("it lies", *ledger->signed_head()).error().code,
            Code::kRefused);
  EXPECT_EQ(ledger->recover("").error().code, Code::kInvalidInput);
  ASSERT_TRUE(ledger->recover("the disk was replaced"));
  EXPECT_FALSE(ledger->witness_fault().has_value());
  EXPECT_EQ(spent(*ledger), "10 2");
  EXPECT_EQ(ask(*ledger, {.id = "x"}).error().code, Code::kBudget);
  ASSERT_TRUE(ledger->top_up("patients", {}, price("1"), "agreed anew"));
  ASSERT_TRUE(ledger->top_up("patients", "ann", price("1"), "agreed anew"));
  ledger.reset();
  ledger = home.open();
  EXPECT_TRUE(ask(*ledger, {.id = "x"}));
  // What was stored before can still be read for nothing.
  EXPECT_EQ(
      std::get<Answer>(*ask(*ledger, {.id = "0", .key = "0", .lines = {line("0.05")}})).bytes(),
      "answer 0");
  EXPECT_EQ(spent(*ledger), "10.5 2.5");
}

TEST_F(CopiedLedger, OfTwoCopiesInUseTheSecondIsRefused) {
  with_answers(home, 1).reset();
  keep("copy");
  auto ledger = home.open();
  Opened opened{.path = home.scratch / "copy", .key = home.key, .witness = home.witness};
  opened.world = home.world();
  auto copy = Ledger::open(opened);
  ASSERT_TRUE(copy) << copy.error().message;
  // The same request at the same time on both: still one only.
  ASSERT_TRUE(ask(**copy, {.id = "x"}));
  const auto refused = ask(*ledger, {.id = "x"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kCorrupt);
  EXPECT_SAYS(refused.error().message, "went its own way");
  ledger.reset();
  EXPECT_SAYS(home.why_not(), "rolled back");
  ASSERT_TRUE(ask(**copy, {.id = "y", .key = "y"}));
}

TEST_F(CopiedLedger, ACopyThatWentItsOwnWayIsNamed) {
  home.witness_every = 4;
  with_answers(home, 1).reset();
  keep("copy");
  Opened opened{.path = home.scratch / "copy", .key = home.key, .witness = home.witness};
  opened.world = home.world();
  auto copy = Ledger::open(opened);
  auto ledger = home.open();
  ASSERT_TRUE(copy);
  for (int i = 0; i < 3; ++i) {  // both go on within the window
    const std::string n = "n" + std::to_string(i);
    ASSERT_TRUE(ask(*ledger, {.id = n, .key = n, .lines = {line("0.01")}}));
    ASSERT_TRUE(ask(**copy, {.id = n, .key = n, .lines = {line("0.01")}}));
  }
  ASSERT_TRUE(ask(*ledger, {.id = "4", .key = "4", .lines = {line("0.01")}}));  // moves the witness
  const auto refused = ask(**copy, {.id = "4", .key = "4", .lines = {line("0.01")}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kCorrupt);
  EXPECT_EQ(ask(**copy, {.id = "5", .key = "5"}).error().code, Code::kCorrupt);
}

TEST(Witness, SyncsEverySoManyChargesAndWhenClosed) {
  Home home;
  home.witness_every = 4;
  auto ledger = home.create();
  const auto kept = [&] { return (*ledger->witness_head())->sequence; };
  EXPECT_EQ(kept(), 3u);  // owner's records are witnessed at once
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    ASSERT_TRUE(ask_and_store(*ledger, {.id = n, .key = n, .lines = {line("0.1")}}, n));
    EXPECT_EQ(kept(), 3u);
  }
  ASSERT_TRUE(ask(*ledger, {.id = "x", .key = "x", .lines = {line("0.1")}}));
  EXPECT_EQ(kept(), 10u);
  ASSERT_TRUE(ask(*ledger, {.id = "y", .key = "y", .lines = {line("0.1")}}));
  EXPECT_EQ(kept(), 10u);
  ledger.reset();
  EXPECT_EQ((*file_witness(home.witness)->read())->sequence, 11u);
}

TEST(Witness, SyncsWhenTimeIsUp) {
  Home home;
  home.witness_every = 1000;
  home.witness_ms = 500;
  auto ledger = home.create();
  const auto kept = [&] { return (*ledger->witness_head())->sequence; };
  ASSERT_TRUE(ask(*ledger, {.id = "a", .key = "a", .lines = {line("0.1")}}));
  EXPECT_EQ(kept(), 3u);
  home.now_ms += 500;
  ASSERT_TRUE(ask(*ledger, {.id = "b", .key = "b", .lines = {line("0.1")}}));
  EXPECT_EQ(kept(), 5u);
}

TEST(Witness, OneThatIsBehindIsAdvancedAtOpening) {
  Home home;
  home.witness_every = 100;
  auto ledger = with_answers(home, 1);
  const std::string behind = slurp(home.witness);
  ledger.reset();
  spill(home.witness, behind);  // as after a crash
  home.open().reset();
  EXPECT_EQ((*file_witness(home.witness)->read())->sequence, 5u);
}

TEST(Witness, AMissingOneIsReplacedByAReceipt) {
  Home home;
  auto ledger = with_answers(home, 1);
  const Head receipt = *Head::parse(ledger->signed_head()->to_text());
  ledger.reset();
  std::filesystem::remove(home.witness);
  EXPECT_SAYS(home.why_not(), "is missing");
  EXPECT_SAYS(home.why_not(), "discreet ledger witness restore");
  ASSERT_TRUE(home.open(Access::kLook)->witness_fault().has_value());

  ledger = home.open(Access::kRepair);
  Head forged = receipt;
  forged.sequence += 1;
  EXPECT_EQ(ledger->replace_witness("lost", forged).error().code, Code::kCorrupt);
  ASSERT_TRUE(ledger->replace_witness("lost with the laptop", receipt));
  ASSERT_TRUE(ask(*ledger, {.id = "x", .key = "x"}));
  ledger.reset();
  ledger = home.open();
  EXPECT_EQ(ledger->replace_witness("again", receipt).error().code, Code::kConflict);
  ledger.reset();

  spill(home.witness, "garbage");
  EXPECT_SAYS(home.why_not(), "damaged");
  ledger = home.open(Access::kRepair);
  ASSERT_TRUE(ledger->replace_witness("damaged", receipt));
  ledger.reset();
  ledger = home.open();
  ASSERT_TRUE(ledger);
  // The history says how far the receipt reaches.
  std::string detail;
  ASSERT_TRUE(ledger->history([&](const Record& record) -> Result<void> {
    if (record.kind == Kind::kWitness) detail = record.detail;
    return {};
  }));
  EXPECT_SAYS(detail, "vouches for record " + std::to_string(receipt.sequence) + " ");
}

// Else an old copy without its witness would have its budget again.
TEST(Witness, WithoutAReceiptAMissingOneCostsEverything) {
  Home home;
  with_answers(home, 1).reset();
  const std::string old = slurp(home.path);
  auto ledger = home.open();
  ASSERT_TRUE(ask(*ledger, {.id = "x", .key = "x"}));
  ledger.reset();
  spill(home.path, old);
  for (const bool is_damaged : {false, true}) {
    std::filesystem::remove(home.witness);
    if (is_damaged) spill(home.witness, "garbage");
    EXPECT_SAYS(home.why_not(), "discreet ledger recover --reason");
    ledger = home.open(Access::kRepair);
    ASSERT_TRUE(ledger->recover("no receipt was printed"));
    ledger.reset();
    ledger = home.open();
    EXPECT_EQ(spent(*ledger), "10 2");
    EXPECT_EQ(ask(*ledger, {.id = "y", .key = "y"}).error().code, Code::kBudget);
    ledger.reset();
  }
}

TEST(Witness, AReceiptShowsThatAnOldCopyIsOld) {
  Home home;
  with_answers(home, 1).reset();
  const std::string old = slurp(home.path);
  auto ledger = home.open();
  ASSERT_TRUE(ask(*ledger, {.id = "x", .key = "x"}));
  const Head receipt = *ledger->signed_head();
  ledger.reset();
  spill(home.path, old);
  std::filesystem::remove(home.witness);
  ledger = home.open(Access::kRepair);
  EXPECT_SAYS(ledger->replace_witness("lost", receipt).error().message, "rolled back");
}

TEST(Witness, AnotherLedgersOrAForgedOneIsRefused) {
  Home home;
  Home other;
  with_answers(home, 1).reset();
  other.create().reset();
  const std::string own = slurp(home.witness);
  spill(home.witness, slurp(other.witness));
  EXPECT_SAYS(home.why_not(), "belongs to ledger");
  EXPECT_EQ(home.open(Access::kRepair)->recover("x").error().code, Code::kCorrupt);
  spill(home.witness, own);
  Head forged = **file_witness(home.witness)->read();
  forged.signature = std::string(64, 'x');
  ASSERT_TRUE(file_witness(home.witness)->replace(forged));
  EXPECT_SAYS(home.why_not(), "does not bear the owner's signature");
}

TEST(Key, TheWrongOrMissingOneIsNamed) {
  Home home;
  Home other;
  with_answers(home, 1).reset();
  other.create().reset();
  std::filesystem::rename(home.key, home.scratch / "kept");
  EXPECT_SAYS(home.why_not(), "--key");
  EXPECT_TRUE(home.try_open(Access::kLook));
  std::filesystem::copy_file(other.key, home.key);
  EXPECT_SAYS(home.why_not(), "is not the one that created it");
}

TEST(File, DamageIsAnErrorNotACrash) {
  Home home;
  with_answers(home, 40).reset();
  const std::string whole = slurp(home.path);
  EXPECT_EQ(Ledger::open({.path = home.scratch / "none"}).error().code, Code::kNotFound);
  spill(home.path,
        "this is not a database, whatever its name says; it is long enough to have a header");
  EXPECT_SAYS(home.why_not(), "no ledger");
  spill(home.path, "");
  EXPECT_SAYS(home.why_not(), "creation was cut short");
  spill(home.path, whole.substr(0, whole.size() / 2));
  EXPECT_FALSE(home.try_open());
  // A flipped bit anywhere is found, or is in a place that holds nothing of the history.
  spill(home.path, whole);
  const std::string before = spent(*home.open(Access::kLook));
  int found = 0;
  for (std::size_t at = 100; at < whole.size(); at += 997) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    spill(home.path, flipped);
    auto ledger = home.try_open(Access::kLook);
    if (ledger) {
      EXPECT_EQ(spent(**ledger), before) << at;
    } else {
      ++found;
    }
  }
  EXPECT_GT(found, 5);
}

TEST(File, WhereNothingCanBeWrittenTheErrorSaysSo) {
  Home home;
  with_answers(home, 1).reset();
  const AsOrdinaryUser user;
  const auto created =
      Ledger::create({.path = "/proc/discreet.ledger", .key = home.key, .witness = home.witness});
  ASSERT_FALSE(created);
  EXPECT_TRUE(created.error().code == Code::kStorage || created.error().code == Code::kNotFound)
      << created.error().message;
}

TEST(File, AReadOnlyDirectoryCanBeLookedAtButNotUsed) {
  Home home;
  with_answers(home, 1).reset();
  using std::filesystem::perms;
  std::filesystem::permissions(home.scratch.path(), static_cast<perms>(0555));
  std::filesystem::permissions(home.path, static_cast<perms>(0444));
  {
    const AsOrdinaryUser user;
    const auto refused = home.try_open();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kStorage) << refused.error().message;
    EXPECT_SAYS(refused.error().message, "writ");
    auto looked = home.try_open(Access::kLook);
    ASSERT_TRUE(looked) << looked.error().message;
    EXPECT_EQ(spent(**looked), "0.05 0.05");
  }
  std::filesystem::permissions(home.scratch.path(), static_cast<perms>(0755));
}

}  // namespace
}  // namespace discreet::ledger::tamper_test
