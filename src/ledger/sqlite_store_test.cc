// SPDX-License-Identifier: Apache-2.0
// The contract of every store, and SQLite's files of other versions.
#include "ledger/sqlite_store.h"

#include <gtest/gtest.h>

#include "ledger/ledger_for_tests.h"
#include "ledger/store_place.h"

namespace discreet::ledger::sqlite_store_test {
namespace {

using namespace fixture;

std::unique_ptr<Store> store_at(const std::filesystem::path& path, StoreMode mode,
                                int busy_ms = 10) {
  auto store = open_store({.path = path, .mode = mode, .vfs = {}, .busy_ms = busy_ms});
  EXPECT_TRUE(store) << store.error().message;
  return store ? std::move(store).value() : nullptr;
}

Record sample(Sequence sequence, Kind kind) {
  Record record;
  record.sequence = sequence;
  record.time_ms = -5;
  record.kind = kind;
  record.writer = ~std::uint64_t{0};
  record.units = "u";
  record.analyst = "ann";
  record.blocks = "1:a";
  record.price = {*Amount::from_units(kInt128Max), *Amount::from_units(1)};
  record.request_id = std::string("\0id", 3);
  record.question = std::string("q\0", 2);
  record.snapshot = "s";
  record.plan = {1};
  record.about = 3;
  record.content = {2};
  record.detail = "d";
  record.signature = "sig";
  record.hash = {3};
  return record;
}

TEST(Store, RecordsComeBackAsTheyWere) {
  Scratch scratch{Scratch::Place::kMemory};
  const auto place = place_in(scratch, "s");
  auto store = store_at(place, StoreMode::kCreate);
  ASSERT_TRUE(store->begin_write());
  const Record full = sample(0, Kind::kCharge);
  Record empty;
  empty.sequence = 1;
  ASSERT_TRUE(store->append(full));
  ASSERT_TRUE(store->append(empty));
  ASSERT_TRUE(store->commit());
  ASSERT_TRUE(store->begin_read());
  EXPECT_EQ(**store->record(0), full);
  EXPECT_EQ(**store->record(1), empty);
  EXPECT_FALSE(store->record(2)->has_value());
  std::vector<Sequence> seen;
  ASSERT_TRUE(store->records_from(1, [&](const Record& record) -> Result<void> {
    seen.push_back(record.sequence);
    return {};
  }));
  EXPECT_EQ(seen, std::vector<Sequence>{1});
  store->rollback();
}

TEST(Store, AnswersAreFoundByTheirCharge) {
  Scratch scratch{Scratch::Place::kMemory};
  auto store = store_at(place_in(scratch, "s"), StoreMode::kCreate);
  ASSERT_TRUE(store->begin_write());
  const Record answer = sample(0, Kind::kAnswer);
  ASSERT_TRUE(store->append(answer));
  EXPECT_FALSE(store->answer_bytes(answer.about)->has_value());
  ASSERT_TRUE(store->put_answer(answer, "bytes"));
  EXPECT_FALSE(store->put_answer(answer, "other"));  // one answer for a charge
  EXPECT_EQ(**store->answer_bytes(answer.about), "bytes");
  EXPECT_FALSE(store->answer_bytes(77)->has_value());
  store->rollback();
  ASSERT_TRUE(store->begin_read());
  EXPECT_FALSE(store->answer_bytes(answer.about)->has_value());
  store->rollback();
}

TEST(Store, RecordsOfSeveralTransactionsComeInOrderFromWhereverOneStarts) {
  Scratch scratch{Scratch::Place::kMemory};
  auto store = store_at(place_in(scratch, "s"), StoreMode::kCreate);
  Sequence next = 0;
  for (const int many : {1, 3, 1, 5, 2}) {
    ASSERT_TRUE(store->begin_write());
    for (int i = 0; i < many; ++i) ASSERT_TRUE(store->append(sample(next++, Kind::kCharge)));
    ASSERT_TRUE(store->commit());
  }
  ASSERT_TRUE(store->begin_write());
  ASSERT_TRUE(store->append(sample(next++, Kind::kShare)));  // not committed, but ours
  for (Sequence first = 0; first <= next + 1; ++first) {
    Sequence expected = first;
    ASSERT_TRUE(store->records_from(first, [&](const Record& record) -> Result<void> {
      EXPECT_EQ(record.sequence, expected++);
      return {};
    }));
    EXPECT_EQ(expected, std::max(first, next));
    EXPECT_EQ(store->record(first)->has_value(), first < next);
  }
  store->rollback();
}

TEST(Store, AWriterExcludesOthersAndIsSeenWholeOrNotAtAll) {
  Scratch scratch{Scratch::Place::kMemory};
  const auto place = place_in(scratch, "s");
  auto one = store_at(place, StoreMode::kCreate);
  auto two = store_at(place, StoreMode::kWrite);
  ASSERT_TRUE(one->begin_write());
  ASSERT_TRUE(one->append(sample(0, Kind::kCharge)));
  const auto busy = two->begin_write();
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code, Code::kStorage);
  EXPECT_NE(busy.error().message.find("another process"), std::string::npos);
  ASSERT_TRUE(two->begin_read());
  EXPECT_FALSE(two->record(0)->has_value());
  ASSERT_TRUE(one->commit());
  EXPECT_FALSE(two->record(0)->has_value());  // its view does not change
  two->rollback();
  ASSERT_TRUE(two->begin_read());
  EXPECT_TRUE(two->record(0)->has_value());
  two->rollback();
  ASSERT_TRUE(two->begin_write());
  EXPECT_FALSE(two->append(sample(0, Kind::kCharge)) && two->commit());  // it is used once
  two->rollback();
  EXPECT_EQ(open_store({.path = place, .mode = StoreMode::kCreate}).error().code, Code::kConflict);
}

TEST(SqliteStore, AVersionFromTheFutureOrAnotherProgramsFileIsRefused) {
  Home home;
  home.create().reset();
  home.sql("PRAGMA user_version = 7");
  const auto newer = home.try_open();
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, Code::kUnsupported);
  EXPECT_NE(newer.error().message.find("use a newer program"), std::string::npos);
  EXPECT_EQ(home.try_open(Access::kLook).error().code, Code::kUnsupported);
  home.sql("PRAGMA user_version = 6; PRAGMA application_id = 5");
  EXPECT_NE(home.why_not().find("something else"), std::string::npos);
}

// A file as the first version left it: the same tables, without the index of shares.
TEST(SqliteStore, AFileOfFormatOneIsUpgradedAndKeepsItsHistory) {
  Home home;
  auto ledger = home.create();
  ASSERT_TRUE(ask_and_store(*ledger, {}, "42"));
  std::vector<Record> history;
  ASSERT_TRUE(ledger->history([&](const Record& record) -> Result<void> {
    history.push_back(record);
    return {};
  }));
  ledger.reset();
  std::filesystem::rename(home.path, home.scratch / "new");
  home.sql(R"(
    PRAGMA journal_mode = WAL;
    CREATE TABLE records (sequence INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL,
      kind INTEGER NOT NULL, writer INTEGER NOT NULL, units TEXT NOT NULL, analyst TEXT NOT NULL,
      blocks TEXT NOT NULL, amount TEXT NOT NULL, delta TEXT NOT NULL, request_id BLOB NOT NULL,
      question BLOB NOT NULL, snapshot BLOB NOT NULL, plan BLOB NOT NULL, about INTEGER NOT NULL,
      content BLOB NOT NULL, detail TEXT NOT NULL, signature BLOB NOT NULL, hash BLOB NOT NULL);
    CREATE TABLE answers (charge INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
    CREATE INDEX requests ON records (units, analyst, request_id) WHERE kind IN (4, 5);
    CREATE INDEX answered ON records (units, question, snapshot) WHERE kind = 6;
    PRAGMA application_id = 1685285991;
    PRAGMA user_version = 1;
    ATTACH ')" +
           (home.scratch / "new").string() + R"(' AS new;
    INSERT INTO records SELECT * FROM new.records;
    INSERT INTO answers SELECT * FROM new.answers;)");
  EXPECT_TRUE(home.open(Access::kLook)->verify());  // read as it is
  EXPECT_NE(home.why_not().find("has format 1"), std::string::npos);
  const auto upgraded = Ledger::upgrade(
      {.path = home.path, .key = home.key, .witness = home.witness, .world = home.world()});
  ASSERT_TRUE(upgraded) << upgraded.error().message;
  EXPECT_EQ(upgraded->from, 1);
  EXPECT_EQ(upgraded->copy, home.path.string() + ".format-1");
  ledger = home.open();
  EXPECT_EQ(spent(*ledger), "0.5 0.5");
  EXPECT_EQ(std::get<Answer>(*ask(*ledger, {.analyst = "press"})).bytes(), "42");
  EXPECT_EQ(spent(*ledger, "press"), "0.5 0.5");
  std::vector<Record> again;
  ASSERT_TRUE(ledger->history([&](const Record& record) -> Result<void> {
    again.push_back(record);
    return {};
  }));
  again.pop_back();  // the share
  EXPECT_EQ(again.back().kind, Kind::kUpgraded);
  again.pop_back();
  EXPECT_EQ(again, history);
  ledger.reset();
  home.sql("CREATE TABLE requests (x); CREATE TABLE shared (x)");  // they are gone
}

}  // namespace
}  // namespace discreet::ledger::sqlite_store_test
