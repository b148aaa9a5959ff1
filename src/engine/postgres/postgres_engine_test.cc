// SPDX-License-Identifier: Apache-2.0
// The engine against a server that refuses, changes, dies or takes too long: every failure is a
// constant text, and what the server said is in the owner's log alone.
#include "engine/postgres/postgres_engine.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <functional>
#include <future>

#include "engine/duckdb/files_for_tests.h"
#include "engine/lowering/expression.h"
#include "engine/open.h"
#include "engine/postgres/dialect.h"
#include "engine/postgres/pooler_for_tests.h"
#include "engine/postgres/postgres_for_tests.h"
#include "engine/postgres/sources.h"
#include "engine/postgres/types.h"
#include "plan/policy_for_tests.h"

namespace discreet::engine::postgres::postgres_engine_test {
namespace {

using namespace plan;
using duckdb::GatheredLog;

PrivatePostgres& server() { return PrivatePostgres::instance(); }

class PostgresEngineTest : public testing::Test {
 protected:
  PostgresEngineTest() : policy_(clinic()) {
    Database database;
    for (int i = 0; i < 20; ++i) {
      database["visits"].push_back({{"id", integer_value(i)},
                                    {"patient_id", integer_value(i % 5)},
                                    {"age", integer_value(30)},
                                    {"city", text_value("Bob's town")}});
    }
    write_clinic(database, policy_);
    visits_ = policy_.tables["visits"].source;
  }

  std::unique_ptr<PostgresEngine> opened() {
    auto engine = PostgresEngine::open(policy_, log_.log());
    EXPECT_TRUE(engine.has_value()) << engine.error().message << log_.said;
    return engine ? *std::move(engine) : nullptr;
  }
  Error refused() {
    auto engine = PostgresEngine::open(policy_, log_.log());
    EXPECT_FALSE(engine.has_value());
    return engine ? Error{} : engine.error();
  }
  Checked count() { return *Checker::check(count_plan(), policy_, "q"); }
  /// A failure after the charge says one thing, whatever the server said.
  void fails(PostgresEngine& engine) {
    const auto answer = engine.run(count(), log_.log());
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().code, Code::kEngine);
    EXPECT_EQ(answer.error().message, engine_failed().message);
  }
  void answers(PostgresEngine& engine) {
    const auto answer = engine.run(count(), log_.log());
    EXPECT_TRUE(answer.has_value()) << answer.error().message << log_.said;
  }

  policy::Policy policy_;
  std::string visits_;
  GatheredLog log_;
};

bool says(const Error& error, const std::string& words) {
  return error.message.find(words) != std::string::npos;
}

TEST_F(PostgresEngineTest, SaysWhyItCannotConnect) {
  policy_.engine = server().url("guarded");
  EXPECT_TRUE(says(refused(), "wants a password"));
  const std::string url = server().url("guarded:wrong");
  policy_.engine = url;
  const Error wrong = refused();
  EXPECT_EQ(wrong.code, Code::kEngine);
  EXPECT_TRUE(says(wrong, "refused the user or the password"));
  EXPECT_FALSE(says(wrong, "wrong"));  // not the password
  policy_.engine = server().url("guarded:right");
  EXPECT_TRUE(says(refused(), "may not read"));
  policy_.engine = "postgres://nobody@/x?host=%2Fnonexistent";
  EXPECT_TRUE(says(refused(), "cannot be reached"));
  policy_.engine = "postgres://reader@/latin?" + server().url().substr(server().url().find("host"));
  server().must("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
  EXPECT_TRUE(says(refused(), "UTF8"));
}

TEST_F(PostgresEngineTest, TakesARoleThatReadsAndCannotWrite) {
  EXPECT_NE(opened(), nullptr);
  policy_.engine = server().url("dp");  // a superuser
  EXPECT_EQ(refused().code, Code::kRefused);
  EXPECT_TRUE(says(refused(), "GRANT SELECT"));
  server().must("GRANT UPDATE (age) ON " + visits_ + " TO reader");
  policy_.engine = server().url();
  EXPECT_TRUE(says(refused(), "may write"));
  server().must("REVOKE UPDATE (age) ON " + visits_ + " FROM reader");
  EXPECT_NE(opened(), nullptr);
  server().must("REVOKE SELECT ON " + visits_ + " FROM reader");
  EXPECT_TRUE(says(refused(), "may not read"));
}

TEST_F(PostgresEngineTest, ChecksTablesColumnsAndTypes) {
  server().must("CREATE VIEW " + visits_ + "_view AS SELECT * FROM " + visits_);
  policy_.tables["visits"].source = visits_ + "_view";
  EXPECT_TRUE(says(refused(), "materialized view"));
  policy_.tables["visits"].source = "public.none";
  EXPECT_EQ(refused().code, Code::kNotFound);
  server().must("CREATE MATERIALIZED VIEW " + visits_ + "_kept AS SELECT * FROM " + visits_);
  policy_.tables["visits"].source = visits_ + "_kept";
  EXPECT_NE(opened(), nullptr);
  policy_.tables["visits"].source = visits_;
  policy_.tables["visits"].columns[0].name = "agee";
  EXPECT_TRUE(says(refused(), "has no column")) << refused().message;
  policy_.tables["visits"].columns[0].name = "age";
  server().must("DROP VIEW " + visits_ + "_view; DROP MATERIALIZED VIEW " + visits_ + "_kept");
  server().must("ALTER TABLE " + visits_ + " ALTER day TYPE text");
  const Error changed = refused();
  EXPECT_EQ(changed.code, Code::kInvalidInput);
  EXPECT_TRUE(says(changed, "is text in the database and cannot be read as date"));
  server().must("ALTER TABLE " + visits_ + " ALTER day TYPE date USING NULL");
  server().must("ALTER TABLE " + visits_ + " ALTER patient_id TYPE json USING NULL");
  EXPECT_TRUE(says(refused(), "a unit or a key must be"));
}

TEST_F(PostgresEngineTest, FindsForeignPartitionsAndKeysThatRepeat) {
  EXPECT_EQ(opened()->repeated_keys(policy_, log_.log()).value(), std::vector<std::string>{});
  server().must("UPDATE " + visits_ + " SET id = 7 WHERE id = 8");
  EXPECT_EQ(opened()->repeated_keys(policy_, log_.log()).value(),
            std::vector<std::string>{"visits.id"});
  server().must("UPDATE " + visits_ + " SET id = NULL WHERE id = 7");
  EXPECT_EQ(opened()->repeated_keys(policy_, log_.log()).value(), std::vector<std::string>{});
  server().must(
      "CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER away FOREIGN DATA WRAPPER nowhere");
  server().must("CREATE TABLE " + visits_ + "_all (LIKE " + visits_ + ") PARTITION BY LIST (age)");
  server().must("CREATE TABLE " + visits_ + "_here PARTITION OF " + visits_ +
                "_all FOR VALUES IN (30)");
  policy_.tables["visits"].source = visits_ + "_all";
  EXPECT_NE(opened(), nullptr);
  server().must("CREATE FOREIGN TABLE " + visits_ + "_away PARTITION OF " + visits_ +
                "_all FOR VALUES IN (31) SERVER away");
  EXPECT_TRUE(says(refused(), "foreign table among its partitions")) << refused().message;
}

TEST_F(PostgresEngineTest, ADomainIsWhatItIsMadeOfHoweverDeep) {
  server().must(
      "CREATE DOMAIN public.years AS integer CHECK (value >= 0); CREATE DOMAIN public.ages AS "
      "public.years; CREATE DOMAIN public.\"Age's\" AS public.ages; CREATE DOMAIN public.ages4 AS "
      "public.\"Age's\"");
  for (const std::string type : {"public.years", "public.ages", "public.ages4"}) {
    server().must("ALTER TABLE " + visits_ + " ALTER age TYPE " + type);
    auto engine = opened();
    answers(*engine);
  }
  server().must("DROP DOMAIN public.years CASCADE");
}

// What a domain is called says nothing of how many digits its numbers have.
TEST_F(PostgresEngineTest, ADomainsNameIsNotBelieved) {
  server().must("CREATE DOMAIN public.\"numeric(3,2)\" AS numeric");
  server().must("ALTER TABLE " + visits_ + " ALTER cost TYPE public.\"numeric(3,2)\"");
  server().must("UPDATE " + visits_ +
                " SET cost = CAST(CASE id WHEN 1 THEN '1e100' WHEN 2 THEN 'Infinity' ELSE '5' END "
                "AS numeric)");
  auto engine = opened();
  Plan plan = count_plan();
  plan.filter = Expr::of(Op::kLess, {Expr::of(Op::kAdd, {col("cost"), num(1)}), num(9)});
  plan.measurements.push_back(measurement(MeasureKind::kSum, col("cost")));
  const auto answer = engine->run(*Checker::check(plan, policy_, "q"), log_.log());
  EXPECT_TRUE(answer.has_value()) << answer.error().message << log_.said;
  server().must("DROP DOMAIN public.\"numeric(3,2)\" CASCADE");
}

TEST_F(PostgresEngineTest, NamesMayHoldAnything) {
  const std::string schema = "Ünder 'x\\\" --";
  const std::string table = "v.\"'\\; DROP TABLE x; --\xF0\x9F\x98\x80";
  const std::string name = lowering::Sql::name({schema, table}).print();
  server().must("CREATE SCHEMA " + lowering::quote_name(schema) + "; GRANT USAGE ON SCHEMA " +
                lowering::quote_name(schema) + " TO reader; CREATE TABLE " + name +
                " AS SELECT * FROM " + visits_ + "; GRANT SELECT ON " + name + " TO reader");
  policy_.tables["visits"].source = schema + "." + table;
  auto engine = opened();
  answers(*engine);
  server().must("GRANT INSERT ON " + name + " TO reader");
  EXPECT_TRUE(says(refused(), "may write"));
  EXPECT_FALSE(engine->run(count(), log_.log()).has_value());
  server().must("DROP SCHEMA " + lowering::quote_name(schema) + " CASCADE");
}

// Whatever is done to a table or to the role between questions is seen by the next one.
TEST_F(PostgresEngineTest, LooksAtKindsAndRightsInEveryQuestion) {
  server().must(
      "CREATE FOREIGN DATA WRAPPER far; CREATE SERVER far FOREIGN DATA WRAPPER far; CREATE ROLE "
      "helper; GRANT helper TO reader");
  const std::string old = visits_ + "_old";
  const std::string bare = visits_.substr(visits_.find('.') + 1);
  const std::string rename = "ALTER TABLE " + visits_ + " RENAME TO " + bare + "_old; ";
  const std::string back = "; ALTER TABLE " + old + " RENAME TO " + bare;
  struct Change {
    std::string what, undo, words;
    std::string when_opened = words;
  };
  const std::vector<Change> changes = {
      {rename + "CREATE VIEW " + visits_ + " AS SELECT * FROM " + old,
       "DROP VIEW " + visits_ + back, "is no table"},
      {rename + "CREATE FOREIGN TABLE " + visits_ + " (id integer) SERVER far",
       "DROP FOREIGN TABLE " + visits_ + back, "did not answer in full", "is no table"},
      {"CREATE FOREIGN TABLE " + visits_ + "_far () INHERITS (" + visits_ + ") SERVER far",
       "DROP FOREIGN TABLE " + visits_ + "_far", "a foreign table among its partitions"},
      {"GRANT UPDATE (note) ON " + visits_ + " TO reader",
       "REVOKE UPDATE (note) ON " + visits_ + " FROM reader", "may write"},
      {"GRANT TRUNCATE ON " + visits_ + " TO PUBLIC",
       "REVOKE TRUNCATE ON " + visits_ + " FROM PUBLIC", "may write"},
      {"GRANT DELETE ON " + visits_ + " TO helper", "REVOKE DELETE ON " + visits_ + " FROM helper",
       "may write"},
      {"CREATE TABLE " + visits_ + "_more () INHERITS (" + visits_ + "); GRANT INSERT ON " +
           visits_ + "_more TO reader",
       "DROP TABLE " + visits_ + "_more", "may write"},
      {"ALTER ROLE reader SUPERUSER", "ALTER ROLE reader NOSUPERUSER", "may write"},
      {"ALTER TABLE " + visits_ + " ENABLE ROW LEVEL SECURITY",
       "ALTER TABLE " + visits_ + " DISABLE ROW LEVEL SECURITY", "row-level security"},
  };
  auto engine = opened();
  for (const Change& change : changes) {
    answers(*engine);
    server().must(change.what);
    const auto answer = engine->run(count(), log_.log());
    ASSERT_FALSE(answer.has_value()) << change.what;
    EXPECT_EQ(answer.error().code, Code::kEngine);
    EXPECT_TRUE(says(answer.error(), change.words)) << answer.error().message;
    EXPECT_TRUE(says(answer.error(), "stays charged")) << answer.error().message;
    EXPECT_TRUE(says(refused(), change.when_opened)) << refused().message;
    server().must(change.undo);
  }
  answers(*engine);
  server().must(
      "DROP SERVER far; DROP FOREIGN DATA WRAPPER far; REVOKE helper FROM reader; DROP ROLE "
      "helper");
}

// A partition can be attached while the parent is read; the snapshot of the reader does not show
// it, and its statements read it.
TEST_F(PostgresEngineTest, NoticesWhatChangedWhileItRead) {
  const std::string all = visits_ + "_all";
  const std::string away = visits_ + "_far";
  server().must("CREATE FOREIGN DATA WRAPPER far; CREATE SERVER far FOREIGN DATA WRAPPER far");
  server().must("CREATE TABLE " + all + " (LIKE " + visits_ + ") PARTITION BY LIST (age)");
  server().must("CREATE TABLE " + visits_ + "_30 PARTITION OF " + all + " FOR VALUES IN (30)");
  server().must("CREATE FOREIGN TABLE " + away + " () INHERITS (" + visits_ +
                ") SERVER far; ALTER FOREIGN TABLE " + away + " NO INHERIT " + visits_);
  policy_.tables["visits"].source = all;
  Pooler pooler;
  policy_.engine = pooler.url();
  auto engine = opened();
  answers(*engine);
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"ALTER TABLE " + all + " ATTACH PARTITION " + away + " FOR VALUES IN (31)",
       "ALTER TABLE " + all + " DETACH PARTITION " + away},
      {"GRANT DELETE ON " + all + " TO reader", "REVOKE DELETE ON " + all + " FROM reader"}};
  for (const auto& [change, undo] : changes) {
    bool done = false;
    pooler.watch([&, &sql_of = change](std::string& sql) {
      if (done || !sql.starts_with("COPY")) return;
      done = true;
      server().must(sql_of);
    });
    EXPECT_FALSE(engine->run(count(), log_.log()).has_value()) << change;
    EXPECT_TRUE(done);
    pooler.watch({});
    server().must(undo);
    answers(*engine);
  }
  server().must("DROP SERVER far CASCADE; DROP FOREIGN DATA WRAPPER far");
}

// A cast to text that is somebody's function would run on each row.
TEST_F(PostgresEngineTest, TakesTextsThatAreTextAsTheyAreStored) {
  server().must(
      "CREATE EXTENSION citext; CREATE TYPE public.mood AS ENUM ('sad', 'fine'); CREATE TYPE "
      "public.odd; "
      "CREATE FUNCTION public.odd_in(cstring) RETURNS public.odd LANGUAGE internal IMMUTABLE "
      "STRICT "
      "AS 'textin'; "
      "CREATE FUNCTION public.odd_out(public.odd) RETURNS cstring LANGUAGE internal IMMUTABLE "
      "STRICT AS 'textout'; "
      "CREATE TYPE public.odd (INPUT = public.odd_in, OUTPUT = public.odd_out, LIKE = text, "
      "CATEGORY = 'S'); "
      "CREATE DOMAIN public.tame AS public.citext; CREATE DOMAIN public.wild AS public.odd; "
      "CREATE FUNCTION public.loud(public.mood) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE "
      "EXCEPTION 'ran'; END $$; "
      "CREATE FUNCTION public.loud(public.odd) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE "
      "EXCEPTION 'ran'; END $$");
  Plan plan = count_plan();
  plan.filter = Expr::of(Op::kEqual, {col("clinic"), txt("fine")});
  const auto store_as = [&](const std::string& type) {
    server().must("ALTER TABLE " + visits_ + " ALTER clinic TYPE text USING 'x'");
    server().must("ALTER TABLE " + visits_ + " ALTER clinic TYPE " + type +
                  " USING CAST('fine' AS " + type + ")");
  };
  const auto is_answered = [&] {
    const auto answer = opened()->run(*Checker::check(plan, policy_, "q"), log_.log());
    EXPECT_TRUE(answer.has_value()) << answer.error().message << log_.said;
  };
  for (const std::string type :
       {"text", "varchar(9)", "char(9)", "name", "public.citext", "public.tame", "public.mood"}) {
    SCOPED_TRACE(type);
    store_as(type);
    is_answered();
  }
  const auto is_refused = [&] {
    const Error error = refused();
    EXPECT_EQ(error.code, Code::kInvalidInput);
    EXPECT_TRUE(says(error, "cast to text is a function of somebody's")) << error.message;
  };
  for (const std::string type : {"public.odd", "public.wild"}) {
    SCOPED_TRACE(type);
    store_as(type);
    is_refused();  // its output function is somebody's
  }
  server().must("CREATE CAST (public.odd AS text) WITH FUNCTION public.loud(public.odd)");
  store_as("public.odd");
  is_refused();
  server().must(
      "DROP CAST (public.odd AS text); CREATE CAST (public.odd AS text) WITHOUT FUNCTION");
  is_answered();
  store_as("public.mood");
  auto engine = opened();
  is_answered();
  server().must("CREATE CAST (public.mood AS text) WITH FUNCTION public.loud(public.mood)");
  is_refused();
  const auto answer = engine->run(*Checker::check(plan, policy_, "q"), log_.log());
  ASSERT_FALSE(answer.has_value());
  EXPECT_TRUE(says(answer.error(), "changed since it was opened")) << answer.error().message;
  EXPECT_EQ(log_.said.find("ran"), std::string::npos) << log_.said;
  server().must(
      "DROP TYPE public.odd CASCADE; DROP TYPE public.mood CASCADE; DROP EXTENSION citext "
      "CASCADE");
}

// Behind a pooler each transaction has a session that others used before.
TEST_F(PostgresEngineTest, RowsAreNotHiddenInASessionOfOthers) {
  Pooler pooler;
  pooler.leave_behind({"SET row_security = on"});
  policy_.engine = pooler.url();
  auto engine = opened();
  answers(*engine);
  server().must("CREATE POLICY few ON " + visits_ + " USING (id < 3); ALTER TABLE " + visits_ +
                " ENABLE ROW LEVEL SECURITY");
  const auto answer = engine->run(count(), log_.log());
  ASSERT_FALSE(answer.has_value());
  EXPECT_TRUE(says(answer.error(), "row-level security")) << answer.error().message;
  server().must("ALTER ROLE reader BYPASSRLS");
  answers(*engine);
  server().must("ALTER ROLE reader NOBYPASSRLS");
}

// A unit may be named by a float or a moment, and constants hold backslashes.
TEST_F(PostgresEngineTest, TextsHaveOneFormInASessionOfOthers) {
  Pooler pooler;
  pooler.leave_behind({"SET extra_float_digits = -15", "SET datestyle = 'German, DMY'",
                       "SET timezone = 'Asia/Kolkata'", "SET standard_conforming_strings = off",
                       "SET transform_null_equals = on", "SET bytea_output = 'escape'"});
  auto connection = std::move(Connection::open(pooler.url(), log_.log()).value());
  const Transaction transaction(*connection);
  ASSERT_TRUE(connection->begin(log_.log()).has_value());
  const auto rows = connection->query(
      "SELECT CAST(CAST('0.1' AS float8) + CAST('0.2' AS float8) AS text), CAST(CAST('2024-03-02 "
      "23:00:00+00' AS timestamptz) AS text), CAST(CAST('2024-03-02' AS date) AS text), "
      "length('\\\\'), NULL = NULL, CAST(CAST('a' AS bytea) AS text)",
      log_.log());
  ASSERT_TRUE(rows.has_value()) << log_.said;
  EXPECT_EQ(rows->at(0), (TextRow{"0.30000000000000004", "2024-03-02 23:00:00+00", "2024-03-02",
                                  "2", std::nullopt, "\\x61"}));
}

TEST_F(PostgresEngineTest, SettingsThatWereNotTakenFailAQuestion) {
  Pooler pooler;
  policy_.engine = pooler.url();
  auto engine = opened();
  answers(*engine);
  const std::vector<std::pair<std::string, std::string>> lost = {
      {"SET LOCAL row_security = off", "SET LOCAL row_security = on"},
      {"SET LOCAL search_path = pg_catalog, pg_temp", "SET LOCAL search_path = public"},
      {"SET LOCAL enable_hashjoin = off", "SET LOCAL enable_hashjoin = on"},
      {"SET LOCAL enable_nestloop = off", "SET LOCAL enable_nestloop = on"},
      {"SET LOCAL timezone = 'UTC'", "SET LOCAL timezone = 'Asia/Kolkata'"},
      {"SET LOCAL statement_timeout = '10min'", "SET LOCAL statement_timeout = 0"},
      {"READ ONLY", "READ WRITE"},
      {"REPEATABLE READ", "READ COMMITTED"}};
  for (const auto& [ours, others] : lost) {
    SCOPED_TRACE(ours);
    bool changed = false;
    pooler.watch([&, from = ours, to = others](std::string& sql) {
      const std::size_t at = sql.find(from);
      if (at == sql.npos) return;
      sql.replace(at, from.size(), to);
      changed = true;
    });
    fails(*engine);
    EXPECT_TRUE(changed);
    pooler.watch({});
    answers(*engine);
  }
}

TEST_F(PostgresEngineTest, NoticesThatAColumnChangedSinceItWasOpened) {
  auto engine = opened();
  answers(*engine);
  server().must("ALTER TABLE " + visits_ + " ALTER age TYPE bigint");
  const auto answer = engine->run(count(), log_.log());
  ASSERT_FALSE(answer.has_value());
  EXPECT_TRUE(says(answer.error(), "changed since it was opened"));
  EXPECT_TRUE(says(answer.error(), "stays charged"));
}

TEST_F(PostgresEngineTest, FailsWithOneTextWhateverHappens) {
  server().must("ALTER ROLE reader SET statement_timeout = '300ms'");
  auto engine = opened();
  server().must("BEGIN; LOCK TABLE " + visits_);  // it waits, and its time is over
  fails(*engine);
  EXPECT_NE(log_.said.find("timeout"), std::string::npos) << log_.said;
  server().must("ROLLBACK");
  answers(*engine);
  server().must("ALTER ROLE reader RESET statement_timeout");
  server().must("REVOKE SELECT ON " + visits_ + " FROM reader");
  fails(*engine);
  server().must("GRANT SELECT ON " + visits_ + " TO reader");
  answers(*engine);
  server().must("DROP TABLE " + visits_);
  fails(*engine);
}

TEST_F(PostgresEngineTest, ConnectsAgainToAServerThatWasStartedAnew) {
  auto engine = opened();
  answers(*engine);
  server().must("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
  answers(*engine);
}

TEST_F(PostgresEngineTest, AServerThatDiesInTheMiddleGivesNoPartOfAnAnswer) {
  auto connection = std::move(Connection::open(server().url(), log_.log()).value());
  ASSERT_TRUE(connection->begin(log_.log()).has_value());
  std::size_t rows = 0;
  bool killed = false;
  const auto done = connection->copy(
      "SELECT repeat('x', 1000) FROM generate_series(1, 100000)", 100, log_.log(),
      [&](std::span<const CopyRow> batch) {
        rows += batch.size();
        if (killed) return;
        killed = true;
        server().must(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
      });
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message, engine_failed().message);
  EXPECT_LT(rows, 100'000U);
}

TEST_F(PostgresEngineTest, CanBeInterrupted) {
  auto engine = opened();
  server().must("BEGIN; LOCK TABLE " + visits_);
  auto answer = std::async(std::launch::async, [&] { return engine->run(count(), {}); });
  while (answer.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    engine->interrupt();
  }
  EXPECT_EQ(answer.get().error().code, Code::kInterrupted);
  server().must("ROLLBACK");
  answers(*engine);
}

// What another session would see by itself is the row that came meanwhile.
TEST_F(PostgresEngineTest, ASessionBesideSeesTheSameSnapshotAndStopsWithIt) {
  auto connection = std::move(Connection::open(server().url(), log_.log()).value());
  auto alone = std::move(Connection::open(server().url(), log_.log()).value());
  const auto rows = [&](Connection& session) {
    return session.query("SELECT count(*) FROM public.seen", log_.log()).value()[0][0].value();
  };
  const auto rows_now = [&] {
    const Transaction transaction(*alone);
    EXPECT_TRUE(alone->begin(log_.log()).has_value());
    return rows(*alone);
  };
  server().must("CREATE TABLE public.seen (x int); GRANT SELECT ON public.seen TO reader");
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(connection->begin(log_.log()).has_value());
    const std::string before = rows(*connection);
    server().must("INSERT INTO public.seen VALUES (1)");
    Connection* const beside = connection->beside().value();
    EXPECT_EQ(rows(*beside), before);
    EXPECT_NE(rows_now(), before);
    if (round == 1) {
      connection->interrupt();
      for (Connection* session : {connection.get(), beside}) {
        EXPECT_EQ(session->query("SELECT 1", log_.log()).error().code, Code::kInterrupted);
      }
    }
    connection->end();
  }
  connection->resume();
  ASSERT_TRUE(connection->begin(log_.log()).has_value());
  EXPECT_EQ(rows(*connection->beside().value()), rows_now());
  connection->end();
  server().must("DROP TABLE public.seen");
}

// Somebody who changes a table waits for our transaction; a session beside that waited behind them
// would wait for itself.
TEST_F(PostgresEngineTest, ASessionBesideDoesNotWaitForLocks) {
  auto connection = std::move(Connection::open(server().url(), log_.log()).value());
  server().must("CREATE TABLE public.seen (x int); GRANT SELECT ON public.seen TO reader");
  ASSERT_TRUE(connection->begin(log_.log()).has_value());
  Connection* const beside = connection->beside().value();
  server().must("BEGIN; LOCK TABLE public.seen");
  EXPECT_FALSE(beside->query("SELECT count(*) FROM public.seen", log_.log()).has_value());
  EXPECT_TRUE(connection->query("SELECT 1", log_.log()).has_value());
  connection->end();
  server().must("ROLLBACK; DROP TABLE public.seen");
}

/// Everything that is sent while `ask` asks.
std::string sent_during(Pooler& pooler, const std::function<void()>& ask) {
  std::string all;
  pooler.watch([&](std::string& sql) { all += sql + "\n"; });
  ask();
  pooler.watch({});
  return all;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// PostgreSQL's hash functions have no secret, and its estimates are no bounds: with these settings
// the work for a person's rows is what sorting takes, whatever is in them.
TEST_F(PostgresEngineTest, PlansNothingThatOnePersonsRowsCouldMakeQuadratic) {
  auto connection = std::move(Connection::open(server().url(), log_.log()).value());
  const std::string other = visits_ + " b";
  const std::vector<std::string> statements = {
      "SELECT count(*) FROM " + visits_ + " a JOIN " + other + " ON a.serial = b.serial",
      "SELECT count(*) FROM " + visits_ + " a LEFT JOIN " + other + " ON a.serial = b.serial",
      "SELECT serial, count(*) FROM " + visits_ + " GROUP BY 1",
      "SELECT count(*) FROM " + visits_ + " a WHERE EXISTS (SELECT 1 FROM " + other +
          " WHERE a.serial = b.serial AND a.age < b.age)",
      "SELECT count(*) FROM " + visits_ + " a WHERE NOT EXISTS (SELECT 1 FROM " + other +
          " WHERE a.serial = b.serial)",
      "SELECT count(*) FROM " + visits_ + " a WHERE age = 1 AND id = 1 AND EXISTS (SELECT 1 FROM " +
          other + " WHERE a.serial = b.serial)"};
  const Transaction transaction(*connection);
  ASSERT_TRUE(connection->begin(log_.log()).has_value());
  for (const std::string& statement : statements) {
    const auto plan = connection->query("EXPLAIN " + statement, log_.log());
    ASSERT_TRUE(plan.has_value()) << log_.said;
    for (const TextRow& line : *plan) {
      for (const std::string bad : {"Hash", "Nested Loop", "Memoize", "SubPlan"}) {
        EXPECT_FALSE(contains(line[0].value(), bad)) << statement << "\n" << line[0].value();
      }
    }
  }
}

// A public table on one side bounds what a bucket holds there.
TEST_F(PostgresEngineTest, JoinsPublicTablesAloneByHashTables) {
  Pooler pooler;
  policy_.engine = pooler.url();
  auto engine = opened();
  const std::string on = "SET LOCAL enable_hashjoin = on";
  const auto asked = [&](Source source) {
    const auto checked = Checker::check(count_plan(std::move(source)), policy_, "q");
    EXPECT_TRUE(checked.has_value()) << checked.error().message;
    return sent_during(
        pooler, [&] { EXPECT_TRUE(engine->run(*checked, log_.log()).has_value()) << log_.said; });
  };
  const Source visits = from("visits");
  Source with_public = from("patients");
  with_public.tables.push_back({"zips", "", {{0, "zip", "zip"}}});
  Source with_private = from("visits");
  with_private.tables.push_back({"patients", "", {{0, "patient_id", "id"}}});
  EXPECT_TRUE(contains(asked(visits), on));
  EXPECT_TRUE(contains(asked(with_public), on));
  EXPECT_FALSE(contains(asked(with_private), on));
}

TEST(PostgresPrivateTables, AreCountedWhereverTheyStand) {
  using lowering::Select;
  using lowering::Sql;
  const auto reading = [](const std::vector<std::string>& tables) {
    Select select;
    select.outputs = {Sql::number(1)};
    for (const std::string& table : tables) {
      select.from.push_back({Sql::name({"public", table}), "t", {}});
    }
    return select;
  };
  const PrivateTables tables({{"public", "a"}, {"public", "b"}});
  EXPECT_FALSE(PrivateTables().allow_hash_joins(reading({"x"})));
  EXPECT_TRUE(tables.allow_hash_joins(reading({"x", "y", "x"})));
  EXPECT_TRUE(tables.allow_hash_joins(reading({"x", "a", "y"})));
  EXPECT_FALSE(tables.allow_hash_joins(reading({"a", "b"})));
  EXPECT_FALSE(tables.allow_hash_joins(reading({"a", "x", "a"})));
  Select with_other = reading({"x", "a"});
  with_other.where.push_back(Sql::exists(reading({"b"})));
  EXPECT_FALSE(tables.allow_hash_joins(with_other));
  // What is read apart says its tables twice (Readings).
  const auto apart = [](const Select& rows, const Select& none) {
    Select sums;
    sums.outputs = {Sql::count_rows()};
    sums.from = {{Sql::union_all({rows, none}), lowering::Readings::kTable, {}}};
    return sums;
  };
  EXPECT_TRUE(tables.allow_hash_joins(apart(reading({"x", "a"}), reading({"x", "a"}))));
  EXPECT_FALSE(tables.allow_hash_joins(apart(with_other, reading({"x", "a"}))));
  Select two_in_where = reading({"x"});
  two_in_where.where.push_back(Sql::exists(reading({"a", "b"})));
  EXPECT_FALSE(tables.allow_hash_joins(apart(two_in_where, reading({"x"}))));
}

TEST_F(PostgresEngineTest, ReadsMaterializedViews) {
  server().must("CREATE MATERIALIZED VIEW " + visits_ + "_kept AS SELECT * FROM " + visits_);
  policy_.tables["visits"].source = visits_ + "_kept";
  auto engine = opened();
  answers(*engine);
  EXPECT_TRUE(engine->ready(count(), log_.log()).has_value()) << log_.said;
  server().must("BEGIN; REFRESH MATERIALIZED VIEW " + visits_ + "_kept");
  auto answer = std::async(std::launch::async, [&] { return engine->run(count(), {}); });
  EXPECT_EQ(answer.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  server().must("COMMIT");
  EXPECT_TRUE(answer.get().has_value());
}

// It goes on without one, in the same transaction.
TEST_F(PostgresEngineTest, ASessionBesideThatIsRefusedLeavesTheTransactionAsItWas) {
  server().must("REVOKE EXECUTE ON FUNCTION pg_export_snapshot() FROM PUBLIC");
  auto connection = std::move(Connection::open(server().url(), log_.log()).value());
  const Transaction transaction(*connection);
  ASSERT_TRUE(connection->begin(log_.log()).has_value());
  EXPECT_FALSE(connection->beside().has_value());
  EXPECT_TRUE(connection->query("SELECT 1", log_.log()).has_value()) << log_.said;
  server().must("GRANT EXECUTE ON FUNCTION pg_export_snapshot() TO PUBLIC");
}

TEST_F(PostgresEngineTest, HandsRowsOverBeforeTheyTakeMuchMemory) {
  auto connection = std::move(Connection::open(server().url(), log_.log()).value());
  const Transaction transaction(*connection);
  ASSERT_TRUE(connection->begin(log_.log()).has_value());
  std::size_t rows = 0;
  std::size_t most = 0;
  const auto done = connection->copy("SELECT repeat('x', 1 << 20) FROM generate_series(1, 40)",
                                     1'000, log_.log(), [&](std::span<const CopyRow> batch) {
                                       std::size_t bytes = 0;
                                       for (const CopyRow row : batch) bytes += row.size();
                                       rows += batch.size();
                                       most = std::max(most, bytes);
                                     });
  EXPECT_TRUE(done.has_value()) << log_.said;
  EXPECT_EQ(rows, 40U);
  EXPECT_LE(most, std::size_t{18} << 20);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// No more memory than now and so much, for as long as it lives.
class ShortOfMemory {
 public:
  explicit ShortOfMemory(std::size_t more) {
    getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit now{pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more,
                     before_.rlim_max};
    setrlimit(RLIMIT_AS, &now);
  }
  ShortOfMemory(const ShortOfMemory&) = delete;
  ShortOfMemory& operator=(const ShortOfMemory&) = delete;
  ~ShortOfMemory() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

// libpq has room for what came, and none for a copy of it: it says so again however often it is
// asked.
TEST_F(PostgresEngineTest, ARowThatFindsNoMemoryEndsTheQuestion) {
  auto connection = std::move(Connection::open(server().url(), log_.log()).value());
  ASSERT_TRUE(connection->begin(log_.log()).has_value());
  {
    const ShortOfMemory limit(std::size_t{190} << 20);
    const auto done =
        connection->copy("SELECT repeat('x', 100000000)", 1, log_.log(), [](const auto&) {});
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().message, engine_failed().message);
  }
  connection->end();
  EXPECT_TRUE(connection->begin(log_.log()).has_value());
  EXPECT_TRUE(connection->query("SELECT 1", log_.log()).has_value()) << log_.said;
  connection->end();
}
#endif

TEST_F(PostgresEngineTest, StopsInTheMiddleOfRowsAndGoesOnAfterwards) {
  auto connection = std::move(Connection::open(server().url(), log_.log()).value());
  ASSERT_TRUE(connection->begin(log_.log()).has_value());
  int batches = 0;
  const auto done = connection->copy("SELECT repeat('x', 1000) FROM generate_series(1, 100000)",
                                     100, log_.log(), [&](std::span<const CopyRow>) {
                                       ++batches;
                                       connection->interrupt();
                                     });
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Code::kInterrupted);
  EXPECT_EQ(batches, 1);
  connection->end();
  connection->resume();
  ASSERT_TRUE(connection->begin(log_.log()).has_value());
  EXPECT_TRUE(connection->query("SELECT 1", log_.log()).has_value()) << log_.said;
  connection->end();
}

// One byte more is NULL wherever the text is compared, counted or sent.
TEST_F(PostgresEngineTest, ALongTextIsReadAsNull) {
  const std::string schema = server().fresh_schema();
  for (const std::string type : {"text", "varchar", "varchar(70000)"}) {
    SCOPED_TRACE(type);
    server().must("CREATE TABLE " + schema + ".t (id bigint, patient_id bigint, note " + type +
                  ")");
    server().must("INSERT INTO " + schema +
                  ".t VALUES (1, 1, repeat('x', 65536)), (2, 2, repeat('x', 65537)), (3, 3, "
                  "repeat('\u00e4', 32769)), (4, 4, NULL), (5, 5, 'x')");
    policy::Policy policy;
    policy.engine = server().url();
    policy.units["patients"].name = "patients";
    policy::Table table;
    table.name = "t";
    table.source = schema + ".t";
    table.unit = policy::UnitPath{"patients", {}, "patient_id", false};
    table.columns = {column_of("note", Type::kText)};
    policy.tables["t"] = table;
    auto connection = std::move(Connection::open(policy.engine, log_.log()).value());
    const auto schemas = open_sources(*connection, policy, log_.log());
    ASSERT_TRUE(schemas.has_value()) << schemas.error().message;
    const lowering::StoredColumn stored = schemas->at("t").columns[2];
    const lowering::Sql read =
        dialect().read(stored, lowering::Sql::name({"note"}), table.columns[0], std::nullopt);
    const Transaction transaction(*connection);
    ASSERT_TRUE(connection->begin(log_.log()).has_value());
    const auto rows = connection->query(
        "SELECT id, octet_length(" + read.print() + ") FROM " + schema + ".t ORDER BY 1",
        log_.log());
    ASSERT_TRUE(rows.has_value()) << log_.said;
    const std::vector<std::optional<std::string>> sizes = {"65536", std::nullopt, std::nullopt,
                                                           std::nullopt, "1"};
    for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(rows->at(i)[1], sizes[i]) << i;
    const std::string same = dialect()
                                 .equal_stored(stored, lowering::Sql::name({"a", "note"}), stored,
                                               lowering::Sql::name({"b", "note"}))
                                 .print();
    const auto joined = connection->query("SELECT a.id, b.id FROM " + schema + ".t a JOIN " +
                                              schema + ".t b ON " + same + " ORDER BY 1",
                                          log_.log());
    ASSERT_TRUE(joined.has_value()) << log_.said;
    EXPECT_EQ(*joined, (std::vector<TextRow>{{"1", "1"}, {"5", "5"}}));
    connection->end();
    server().must("DROP TABLE " + schema + ".t");
  }
}

// A row of more than a gigabyte cannot be sent.
TEST_F(PostgresEngineTest, ARowOfLongTextsDoesNotFailAQuestion) {
  const std::string table = server().fresh_schema() + ".t";
  server().must("CREATE TABLE " + table + " (note text)");
  server().must("INSERT INTO " + table + " VALUES (repeat('x', 270000000))");
  const lowering::StoredColumn stored{"note", "text", kText};
  const std::string read =
      dialect()
          .read(stored, lowering::Sql::name({"note"}), column_of("note", Type::kText), std::nullopt)
          .print();
  auto connection = std::move(Connection::open(server().url(), log_.log()).value());
  const Transaction transaction(*connection);
  ASSERT_TRUE(connection->begin(log_.log()).has_value());
  std::size_t bytes = 0;
  const auto done = connection->copy(
      "SELECT " + read + ", " + read + ", " + read + ", " + read + " FROM " + table, 10, log_.log(),
      [&](std::span<const CopyRow> rows) { bytes += rows[0].size(); });
  EXPECT_TRUE(done.has_value()) << log_.said;
  EXPECT_LT(bytes, 100U);
  connection->end();
  server().must("DROP TABLE " + table);
}

TEST_F(PostgresEngineTest, CannotWriteWhateverItIsSent) {
  server().must("GRANT CREATE ON SCHEMA public TO reader");
  auto connection = std::move(Connection::open(server().url(), log_.log()).value());
  for (const char* sql :
       {"CREATE TABLE public.stolen (x int)", "CREATE TABLE public.stolen AS SELECT 1",
        "CREATE SEQUENCE public.s", "COMMENT ON SCHEMA public IS 'x'"}) {
    const Transaction transaction(*connection);
    ASSERT_TRUE(connection->begin(log_.log()).has_value());
    EXPECT_FALSE(connection->query(sql, log_.log()).has_value()) << sql;
  }
  EXPECT_FALSE(connection->query("SELECT 1", log_.log()).has_value());  // in no transaction
  EXPECT_FALSE(connection->copy("SELECT 1", 1, log_.log(), {}).has_value());
  server().must("REVOKE CREATE ON SCHEMA public FROM reader");
}

// A function of another's with a name of PostgreSQL's own is not found, however well it fits.
TEST_F(PostgresEngineTest, FindsNoFunctionsButPostgreSqlsOwn) {
  server().must(
      "CREATE FUNCTION public.translate(text, text, text, int DEFAULT 0) RETURNS text LANGUAGE "
      "plpgsql AS $$ BEGIN RAISE EXCEPTION 'hijacked'; END $$; CREATE FUNCTION "
      "public.char_length(varchar) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION "
      "'hijacked'; END $$");
  auto engine = opened();
  Plan plan = count_plan();
  plan.filter =
      Expr::of(Op::kLess, {num(0), Expr::of(Op::kLength, {Expr::of(Op::kLower, {col("clinic")})})});
  const auto answer = engine->run(*Checker::check(plan, policy_, "q"), log_.log());
  EXPECT_TRUE(answer.has_value()) << log_.said;
  server().must(
      "DROP FUNCTION public.translate(text, text, text, int); DROP FUNCTION "
      "public.char_length(varchar)");
}

TEST_F(PostgresEngineTest, IsOpenedByThePolicysName) {
  auto engine = open_engine(policy_, log_.log());
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  const auto values = (*engine)->public_values(policy_, "zips", "region", 10, log_.log());
  EXPECT_EQ(values.value(), std::vector<std::string>{});
  EXPECT_EQ((*engine)->public_values(policy_, "visits", "city", 10, {}).error().code,
            Code::kRefused);
  EXPECT_NE((*engine)->explain(count()).find("in this program"), std::string::npos);
}

TEST(PostgresSources, AreDescribedForADraft) {
  server().must("CREATE TABLE IF NOT EXISTS public.drafted (id bigint, cost numeric(9,2))");
  server().must("GRANT SELECT ON public.drafted TO reader");
  const auto halves = split_url("postgres://ann@h:1/db/clinic.visits");
  EXPECT_EQ(halves->first, "postgres://ann@h:1/db");
  EXPECT_EQ(halves->second, "clinic.visits");
  EXPECT_FALSE(split_url("postgres://ann@h/db").has_value());
  const auto columns = engine::describe_source(server().url() + "/public.drafted", "", {});
  ASSERT_TRUE(columns.has_value());
  EXPECT_EQ(columns->at(1).type, "numeric(9,2)");
  EXPECT_FALSE(split_url("visits.csv").has_value());
}

}  // namespace
}  // namespace discreet::engine::postgres::postgres_engine_test
