// SPDX-License-Identifier: Apache-2.0
// What is special to the store in PostgreSQL: a server that forgets, dies, or throws a writer out.
// The contract that it shares with SQLite's is tried by running the other tests with
// DISCREET_TEST_LEDGER=postgres.
#include "ledger/postgres_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "ledger/ledger_for_tests.h"
#include "ledger/postgres.h"
#include "ledger/store_place.h"

namespace discreet::ledger::postgres_store_test {
namespace {

using namespace fixture;

PostgresServer& server() { return PostgresServer::instance(); }

std::unique_ptr<Store> store_at(const std::string& url, StoreMode mode, int sleep_ms = 10'000) {
  auto store =
      open_postgres_store({.url = url, .mode = mode, .busy_ms = 5'000, .sleep_ms = sleep_ms});
  EXPECT_TRUE(store) << store.error().message;
  return store ? std::move(store).value() : nullptr;
}

Record numbered(Sequence sequence) {
  Record record;
  record.sequence = sequence;
  return record;
}

bool append_one(Store& store, Sequence sequence) {
  return store.begin_write() && store.append(numbered(sequence)) && store.commit();
}

Hash hash_of(Sequence sequence) { return Hash{static_cast<unsigned char>(sequence + 1)}; }

Record hashed(Sequence sequence, Kind kind = Kind::kCharge) {
  Record record = numbered(sequence);
  record.kind = kind;
  record.units = "patients";
  record.analyst = "ann";
  record.request_id = "request " + std::to_string(sequence);
  record.question = "question " + std::to_string(sequence);
  record.hash = hash_of(sequence);
  return record;
}

bool append_hashed(Store& store, const Record& record) {
  return store.begin_write() && store.append(record) && store.commit();
}

bool has(Store& store, Sequence sequence) {
  const auto found = store.begin_read() ? store.record(sequence) : Result(std::optional<Record>());
  store.rollback();
  return found && found->has_value();
}

TEST(PostgresStore, AWriterThatSleepsIsThrownOutAndGetsNothing) {
  const std::string url = server().fresh();
  auto sleeper = store_at(url, StoreMode::kCreate, 200);
  auto other = store_at(url, StoreMode::kWrite);
  ASSERT_TRUE(sleeper->begin_write());
  ASSERT_TRUE(sleeper->append(numbered(0)));
  ASSERT_TRUE(append_one(*other, 0));  // waits until the server has thrown the sleeper out
  const auto late = sleeper->commit();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kStorage);
  EXPECT_FALSE(sleeper->begin_write());  // S4
  EXPECT_FALSE(has(*other, 1));
}

TEST(PostgresStore, AnOptimisticTransactionIsWrittenBehindTheRecordThatItAssumed) {
  const std::string url = server().fresh();
  auto store = store_at(url, StoreMode::kCreate);
  ASSERT_TRUE(append_hashed(*store, hashed(0)));
  ASSERT_TRUE(store->begin_optimistic(hash_of(0)));
  const Record next = hashed(1);
  // Nothing is asked of the database, so nothing is said of what may be there.
  EXPECT_FALSE(store->answer_bytes(1));
  EXPECT_FALSE(store->record(7));
  EXPECT_FALSE(store->records_from(0, [](const Record&) -> Result<void> { return {}; }));
  EXPECT_EQ((*store->record(0))->question, "question 0");  // it wrote this one
  ASSERT_TRUE(store->append(next));
  EXPECT_EQ(**store->record(1), next);
  const auto done = store->commit_if_valid(0);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(*done);
  // Its answer, in a transaction of the same kind, with bytes.
  ASSERT_TRUE(store->begin_optimistic(hash_of(1)));
  Record answer = hashed(2, Kind::kAnswer);
  answer.about = 1;
  ASSERT_TRUE(store->append(answer));
  ASSERT_TRUE(store->put_answer(answer, "bytes"));
  EXPECT_EQ(**store->record(2), answer);
  EXPECT_EQ(*store->answer_bytes(1), "bytes");
  EXPECT_TRUE(*store->commit_if_valid(std::nullopt));
  auto other = store_at(url, StoreMode::kRead);
  EXPECT_TRUE(has(*other, 1));
  ASSERT_TRUE(other->begin_read());
  EXPECT_EQ(*other->answer_bytes(1), "bytes");
  other->rollback();
}

TEST(PostgresStore, AnOptimisticTransactionThatAssumedWronglyWritesNothing) {
  const std::string url = server().fresh();
  auto store = store_at(url, StoreMode::kCreate);
  auto other = store_at(url, StoreMode::kWrite);
  ASSERT_TRUE(append_hashed(*store, hashed(0)));
  ASSERT_TRUE(append_hashed(*other, hashed(1)));
  struct Case {
    const char* what;
    Hash last;
    Sequence appended;
    std::optional<Sequence> looked;
  };
  const std::vector<Case> cases = {
      {"the record before the last", hash_of(0), 1, 0},
      {"the record before the last, trusting", hash_of(0), 1, std::nullopt},
      {"a last record that is not there", hash_of(2), 3, 1},
      {"another history", hash_of(9), 2, 1},
      {"a sequence that is taken", hash_of(1), 0, 1},
      {"a sequence that is taken, trusting", hash_of(1), 0, std::nullopt},
      {"a gap behind what was looked at", hash_of(1), 3, 0},
  };
  for (const Case& one : cases) {
    for (const Sequence count : {1, 2}) {
      SCOPED_TRACE(std::string(one.what) + ", " + std::to_string(count));
      ASSERT_TRUE(store->begin_optimistic(one.last));
      Record record = hashed(one.appended, Kind::kAnswer);
      record.about = 50;
      record.hash = hash_of(99);
      ASSERT_TRUE(store->append(record));
      if (count == 2) {
        ASSERT_TRUE(store->append(hashed(one.appended + 1)));
      }
      ASSERT_TRUE(store->put_answer(record, "ours"));
      const auto done = store->commit_if_valid(one.looked);
      ASSERT_TRUE(done) << done.error().message;
      EXPECT_FALSE(*done);
      for (const Sequence sequence : {2, 3, 4, 5}) EXPECT_FALSE(has(*other, sequence));
      ASSERT_TRUE(other->begin_read());
      EXPECT_FALSE(*other->answer_bytes(50));
      other->rollback();
    }
  }
  ASSERT_TRUE(store->begin_optimistic(hash_of(1)));
  ASSERT_TRUE(store->append(hashed(2)));
  ASSERT_TRUE(store->append(hashed(3)));
  EXPECT_TRUE(*store->commit_if_valid(0));
  EXPECT_TRUE(has(*other, 2));
  EXPECT_TRUE(has(*other, 3));
}

bool writes_optimistically(Store& store, Sequence sequence, Sequence count = 1, bool looks = true) {
  EXPECT_TRUE(store.begin_optimistic(hash_of(sequence - 1)));
  for (Sequence i = 0; i < count; ++i) {
    EXPECT_TRUE(store.append(hashed(sequence + i, Kind::kShare)));
  }
  const auto done = store.commit_if_valid(looks ? std::optional(sequence - 1) : std::nullopt);
  EXPECT_TRUE(done) << done.error().message;
  return done && *done;
}

TEST(PostgresStore, OptimisticTransactionsGiveWayToWriters) {
  const std::string url = server().fresh();
  auto store = store_at(url, StoreMode::kCreate);
  auto other = store_at(url, StoreMode::kWrite);
  ASSERT_TRUE(append_hashed(*store, hashed(0)));
  ASSERT_TRUE(other->begin_write());
  for (const bool looks : {true, false}) {
    EXPECT_FALSE(
        writes_optimistically(*store, 1, 1, looks));  // all is as assumed, but not for long
    EXPECT_FALSE(writes_optimistically(*store, 1, 2, looks));
  }
  ASSERT_TRUE(other->append(hashed(1)));
  EXPECT_TRUE(other->commit());
  EXPECT_TRUE(has(*store, 1));
  EXPECT_FALSE(has(*store, 2));
  EXPECT_TRUE(writes_optimistically(*store, 2));
  EXPECT_TRUE(writes_optimistically(*store, 3, 2));
  EXPECT_TRUE(writes_optimistically(*store, 5, 1, false));
  EXPECT_TRUE(writes_optimistically(*store, 6, 2, false));
  ASSERT_TRUE(other->begin_write());  // nobody has the lock
  other->rollback();
}

TEST(PostgresStore, WhatIsCommittedWhileAnOptimisticTransactionLooksIsSeenAllTheSame) {
  const std::string url = server().fresh();
  auto store = store_at(url, StoreMode::kCreate);
  ASSERT_TRUE(append_hashed(*store, hashed(0)));
  Sequence next = 1;
  for (const auto& [commits, looks] : {std::pair(false, true), std::pair(true, true),
                                       std::pair(false, false), std::pair(true, false)}) {
    // A record that its statement cannot see yet, since its transaction is open.
    auto raw = PgSession::open(url).value();
    Record theirs = hashed(next, Kind::kTopUp);
    theirs.analyst = "raw";
    const std::string number = std::to_string(next);
    std::string bytes;
    write_record(bytes, theirs);
    ASSERT_TRUE(raw.run("BEGIN; INSERT INTO discreet_ledger.batches VALUES (" + number + ", " +
                        number + ", '\\x" + to_hex(theirs.hash) + "', '\\x" + to_hex(bytes) +
                        "')"));
    std::atomic<bool> is_over = false;
    bool is_written = commits;
    std::thread writer([&, looks = looks] {
      is_written = writes_optimistically(*store, next, 1, looks);
      is_over = true;
    });
    usleep(50'000);
    EXPECT_FALSE(is_over);  // it waits for whose record it is
    ASSERT_TRUE(raw.run(commits ? "COMMIT" : "ROLLBACK"));
    writer.join();
    EXPECT_EQ(is_written, !commits);
    ASSERT_TRUE(store->begin_read());
    EXPECT_EQ((*store->record(next))->analyst, commits ? "raw" : "ann");
    store->rollback();
    ++next;
  }
}

TEST(PostgresStore, ALedgerThatKnewLessAsksInEarnest) {
  // Two open ledgers of one database: each learns of the other's records only when it looks.
  Home home;
  home.path = server().fresh();
  auto one =
      home.create({.name = "patients", .cap = price("2"), .analysts = {{"ann", price("2")}}});
  auto two = home.open();
  ASSERT_TRUE(ask_and_store(*two, {.id = "a", .lines = {line("1")}}, "bytes"));
  // The question was answered, which this ledger does not know yet: the same bytes, free.
  const auto again = ask_and_store(*one, {.id = "a", .lines = {line("1")}}, "other bytes");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->bytes(), "bytes");
  EXPECT_TRUE(again->repeated());
  // What is left was spent meanwhile.
  ASSERT_TRUE(ask(*two, {.id = "b", .key = "b", .lines = {line("1")}}));
  EXPECT_EQ(ask(*one, {.id = "c", .key = "c", .lines = {line("1")}}).error().code, Code::kBudget);
  EXPECT_EQ(spent(*one), "2 2");
  // A refusal that is no longer right.
  const auto owner = home.open();
  ASSERT_TRUE(owner->top_up("patients", std::nullopt, price("1"), "more"));
  ASSERT_TRUE(owner->top_up("patients", "ann", price("1"), "more"));
  EXPECT_TRUE(ask(*one, {.id = "c", .key = "c", .lines = {line("1")}}));
  EXPECT_EQ(spent(*two), "3 3");
  EXPECT_TRUE(home.open()->verify());
}

/// In a database of its own, with a cap of 2, and a witness that is not synced by every charge.
std::unique_ptr<Ledger> with_witness_every(Home& home, std::uint64_t charges) {
  home.path = server().fresh();
  home.witness_every = charges;
  return home.create({.name = "patients", .cap = price("2"), .analysts = {{"ann", price("2")}}});
}

/// So many charges that batches of one trust the store by then.
void charge_often(Ledger& ledger, const std::string& name, int charges = 80) {
  for (int i = 0; i < charges; ++i) {
    const std::string id = name + std::to_string(i);
    ASSERT_TRUE(ask(ledger, {.id = id, .key = id, .lines = {line("0.001")}}));
  }
}

TEST(PostgresStore, ALedgerThatTrustsTheStoreSeesWhatOthersWrite) {
  Home home;
  auto one = with_witness_every(home, 1000);
  charge_often(*one, "a");
  auto two = home.open();
  ASSERT_TRUE(ask(*two, {.id = "b", .key = "b", .lines = {line("1.9")}}));
  EXPECT_EQ(ask(*one, {.id = "c", .key = "c", .lines = {line("0.1")}}).error().code, Code::kBudget);
  EXPECT_TRUE(ask(*one, {.id = "d", .key = "d", .lines = {line("0.01")}}));
  EXPECT_EQ(spent(*two), "1.99 1.99");
  EXPECT_TRUE(home.open()->verify());
}

TEST(PostgresStore, ALedgerThatTrustsTheStoreLooksNowAndThen) {
  // Records that somebody deletes are missed after so many batches at the latest, the newest ones
  // and others; when the witness is moved; and whenever the balances are looked at.
  const std::string erase = "DELETE FROM batches WHERE first = ";
  for (const std::string where :
       {"(SELECT max(first) FROM batches)", "(SELECT max(first) - 3 FROM batches)"}) {
    for (const bool by_witness : {false, true}) {
      SCOPED_TRACE(where + (by_witness ? " by the witness" : ""));
      Home home;
      auto ledger = with_witness_every(home, by_witness ? 100 : 1000);
      charge_often(*ledger, "a", 90);
      home.sql(erase + where);
      int more = 0;
      for (;; ++more) {
        const std::string id = "b" + std::to_string(more);
        const auto asked = ask(*ledger, {.id = id, .key = id, .lines = {line("0.001")}});
        if (asked && more < 200) continue;
        EXPECT_TRUE(!asked && asked.error().code == Code::kCorrupt);
        break;
      }
      EXPECT_LE(more, by_witness ? 10 : 65);
      EXPECT_FALSE(home.try_open());
    }
    Home home;
    auto ledger = with_witness_every(home, 1000);
    charge_often(*ledger, "a");
    home.sql(erase + where);
    charge_often(*ledger, "b", 1);
    const auto seen = ledger->state();
    ASSERT_FALSE(seen);
    EXPECT_EQ(seen.error().code, Code::kCorrupt);
  }
}

TEST(PostgresStore, ALedgerWhoseProcessSleptReleasesNothing) {
  // The process stops twice inside its charge, where the clock is asked: in its first try it holds
  // nothing; what others write then makes it wait for the lock, and it stops while it holds it.
  Home home;
  home.path = server().fresh();
  home.create({.name = "patients", .cap = price("2"), .analysts = {{"ann", price("2")}}}).reset();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    World world = home.world();
    auto ledger = Ledger::open({.path = home.path,
                                .key = home.key,
                                .witness = home.witness,
                                .world = {.clock =
                                              [&] {
                                                raise(SIGSTOP);
                                                return home.now_ms;
                                              },
                                          .witness = file_witness,
                                          .sqlite_vfs = {}}});
    _exit(ledger && ask(**ledger, {.lines = {line("1")}}) ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  auto first = home.open();
  ASSERT_TRUE(ask(*first, {.analyst = "ann", .id = "first", .key = "first", .lines = {line("1")}}));
  kill(child, SIGCONT);
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  // What the server does to a transaction that is silent for too long, done now.
  const std::string database = home.path.string().substr(
      home.path.string().find("/ledger") + 1,
      home.path.string().find('?') - home.path.string().find("/ledger") - 1);
  EXPECT_EQ(server().must("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                          "datname = '" +
                          database + "' AND state = 'idle in transaction'"),
            "1");
  auto ledger = home.open();
  ASSERT_TRUE(ledger);
  EXPECT_TRUE(ask(*ledger, {.analyst = "ann", .id = "other", .lines = {line("1")}}));
  kill(child, SIGCONT);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "it released what it had not paid";
  EXPECT_EQ(spent(*ledger), "2 2");
}

TEST(PostgresStore, RecordsOfOneTransactionAreNamedEach) {
  Home home;
  home.path = server().fresh();
  home.create().reset();  // records 1 to 3 are one transaction's
  const std::vector<Record> history = history_of(home);
  put_into_database(home, history);  // how records are spread over rows is nobody's secret
  EXPECT_TRUE(home.open());
  for (std::size_t harmed = 1; harmed <= 3; ++harmed) {
    std::string bytes;
    for (std::size_t i = 1; i <= 3; ++i) {
      Record record = history[i];
      if (i == harmed) record.time_ms += 1;
      write_record(bytes, record);
    }
    home.sql("DELETE FROM batches WHERE first > 0; INSERT INTO batches VALUES (1, 3, " +
             home.bytes(to_hex(history[3].hash)) + ", " + home.bytes(to_hex(bytes)) + ")");
    const std::string why = home.why_not();
    EXPECT_NE(why.find("record " + std::to_string(harmed)), std::string::npos) << why;
  }
}

TEST(PostgresStore, AServerThatDiesKeepsWhatItCommitted) {
  const std::string url = server().fresh();
  auto idle = store_at(url, StoreMode::kCreate);
  auto busy = store_at(url, StoreMode::kWrite);
  ASSERT_TRUE(append_one(*idle, 0));
  ASSERT_TRUE(busy->begin_write());
  ASSERT_TRUE(busy->append(numbered(1)));
  server().crash();
  EXPECT_FALSE(busy->commit());
  EXPECT_FALSE(busy->begin_read());  // S4: opened again only
  EXPECT_TRUE(has(*idle, 0));        // connected anew
  EXPECT_FALSE(has(*idle, 1));
  EXPECT_TRUE(append_one(*idle, 1));
}

TEST(PostgresStore, ManyRecordsComeInOrder) {
  auto store = store_at(server().fresh(), StoreMode::kCreate);
  constexpr Sequence kMany = 10'000;  // more than are fetched at once
  ASSERT_TRUE(store->begin_write());
  for (Sequence i = 0; i < kMany; ++i) ASSERT_TRUE(store->append(numbered(i)));
  ASSERT_TRUE(store->commit());
  ASSERT_TRUE(store->begin_write());
  ASSERT_TRUE(store->append(numbered(kMany)));
  Sequence next = 7;
  ASSERT_TRUE(store->records_from(7, [&](const Record& record) -> Result<void> {
    EXPECT_EQ(record.sequence, next++);
    return {};
  }));
  EXPECT_EQ(next, kMany + 1);
  store->rollback();
}

TEST(PostgresStore, RefusesAServerThatForgetsAndADatabaseWithoutALedger) {
  const std::string url = server().fresh();
  EXPECT_EQ(open_postgres_store({.url = url}).error().code, Code::kNotFound);
  const auto away = open_postgres_store({.url = "postgres://dp@/x?host=%2Fnowhere"});
  EXPECT_EQ(away.error().code, Code::kStorage);
  store_at(url, StoreMode::kCreate).reset();
  store_at(url, StoreMode::kCreate).reset();  // no record yet: its creation was cut short
  const std::string database =
      "ledger" + url.substr(url.find("/ledger") + 7, url.find('?') - url.find("/ledger") - 7);
  server().must("UPDATE discreet_ledger.format SET version = 4", database);
  const auto never = open_postgres_store({.url = url, .mode = StoreMode::kRead});
  EXPECT_EQ(never.error().code, Code::kUnsupported);
  EXPECT_NE(never.error().message.find("which no release of discreet has written"),
            std::string::npos);
  server().must("UPDATE discreet_ledger.format SET version = 99", database);
  EXPECT_EQ(open_postgres_store({.url = url}).error().code, Code::kUnsupported);
  // Nor is a ledger begun beside tables of another version, which may hold one.
  server().must("DROP TABLE discreet_ledger.batches", database);
  const auto beside = open_postgres_store({.url = url, .mode = StoreMode::kCreate});
  EXPECT_EQ(beside.error().code, Code::kUnsupported);
  EXPECT_EQ(server().must("SELECT to_regclass('discreet_ledger.batches') IS NULL", database), "t");
  server().must("ALTER SYSTEM SET full_page_writes = off");
  server().must("SELECT pg_reload_conf()");
  Error forgets{Code::kCorrupt, ""};
  for (int i = 0; i < 1000 && forgets.code != Code::kStorage; ++i) {
    forgets = open_postgres_store({.url = url}).error();
    if (forgets.code != Code::kStorage) usleep(2'000);
  }
  EXPECT_NE(forgets.message.find("full_page_writes off"), std::string::npos) << forgets.message;
  server().must("ALTER SYSTEM RESET full_page_writes");
  server().must("SELECT pg_reload_conf()");
  for (int i = 0; i < 1000 && server().must("SHOW full_page_writes") != "on"; ++i) usleep(2'000);
}

TEST(StorePlace, PasswordsAreNotShown) {
  EXPECT_EQ(shown("a.ledger"), "a.ledger");
  EXPECT_EQ(shown("postgres://ann@h/d"), "postgres://ann@h/d");
  EXPECT_EQ(shown("postgres://ann:se:c@ret@h:5432/d"), "postgres://ann:***@h:5432/d");
  EXPECT_EQ(shown("postgresql://ann@h/d?password=x&user=y"), "postgresql://ann@h/d?***");
  EXPECT_EQ(shown("postgres://h/d?host=a:b@c"), "postgres://h/d?host=a:b@c");
}

}  // namespace
}  // namespace discreet::ledger::postgres_store_test
