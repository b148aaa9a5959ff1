// SPDX-License-Identifier: Apache-2.0
// What is special to the store in PostgreSQL: a server that forgets, dies, or throws a writer out.
// The contract that it shares with SQLite's is tried by running the other tests with
// DISCREET_TEST_LEDGER=postgres.
#include "ledger/postgres_store.h"

#include <gtest/gtest.h>

#include "ledger/ledger_for_tests.h"
#include "ledger/store_place.h"

namespace discreet::ledger {
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

TEST(PostgresStore, ALedgerWhoseProcessSleptReleasesNothing) {
  // The process stops while it holds the lock, inside its charge: the clock is asked there.
  Home home;
  home.path = server().fresh();
  home.create({.name = "patients", .cap = price("1"), .analysts = {{"ann", price("1")}}}).reset();
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
  EXPECT_EQ(spent(*ledger), "1 1");
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
  server().must("UPDATE discreet_ledger.format SET version = 99", database);
  EXPECT_EQ(open_postgres_store({.url = url}).error().code, Code::kUnsupported);
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
}  // namespace discreet::ledger
