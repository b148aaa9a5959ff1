// SPDX-License-Identifier: Apache-2.0
// Expressions and whole questions in a real PostgreSQL, compared bit for bit with the reference
// interpreter, the obvious bounding, and DuckDB.
#include "engine/postgres/run.h"

#include <gtest/gtest.h>

#include "engine/census_for_tests.h"
#include "engine/duckdb/dialect.h"
#include "engine/duckdb/files_for_tests.h"
#include "engine/duckdb/run.h"
#include "engine/duckdb/sources.h"
#include "engine/expressions_for_tests.h"
#include "engine/lowering/expression.h"
#include "engine/pairs_for_tests.h"
#include "engine/postgres/binary.h"
#include "engine/postgres/dialect.h"
#include "engine/postgres/pooler_for_tests.h"
#include "engine/postgres/postgres_for_tests.h"
#include "engine/postgres/sources.h"
#include "engine/units_for_tests.h"

namespace discreet::engine::postgres::run_test {
namespace {

using duckdb::GatheredLog;
using lowering::ExpressionLowering;
using lowering::lower_plan;
using lowering::Schemas;
using lowering::Select;
using lowering::Sql;

/// A policy's tables in PostgreSQL, opened.
class Opened {
 public:
  explicit Opened(policy::Policy policy) : policy_(std::move(policy)) { open(); }
  explicit Opened(const Database& database) : policy_(clinic()) {
    write_clinic(database, policy_);
    open();
  }

  const policy::Policy& policy() const { return policy_; }
  const Schemas& schemas() const { return schemas_; }
  Connection& connection() { return *connection_; }
  GatheredLog& log() { return log_; }
  LoweredPlan lower(const Checked& checked) const {
    return lower_plan(checked, dialect(), schemas_);
  }

  std::map<std::string, std::string> run(const Checked& checked) {
    const LoweredPlan lowered = lower(checked);
    const auto answer = run(checked, lowered);
    EXPECT_TRUE(answer.has_value()) << log_.said << lowered.print();
    return answer.value_or(std::map<std::string, std::string>{});
  }
  std::optional<std::map<std::string, std::string>> run(const Checked& checked,
                                                        const LoweredPlan& lowered) {
    EXPECT_TRUE(connection_->begin(log_.log()).has_value());
    auto groups = run_lowered(*connection_, lowered, checked.steps().size(), kSecret, log_.log());
    connection_->end();
    if (!groups) return std::nullopt;
    return shown(*groups);
  }

 private:
  void open() {
    auto connection = Connection::open(policy_.engine, log_.log());
    ASSERT_TRUE(connection.has_value()) << log_.said << connection.error().message;
    connection_ = *std::move(connection);
    auto schemas = open_sources(*connection_, policy_, log_.log());
    ASSERT_TRUE(schemas.has_value()) << log_.said << schemas.error().message;
    schemas_ = *std::move(schemas);
  }
  policy::Policy policy_;
  GatheredLog log_;
  std::unique_ptr<Connection> connection_;
  Schemas schemas_;
};

TEST(PostgresQuestion, IsAddedUpByTheServerWhereNothingIsCut) {
  expect_census_as_in_the_reference(
      [](const Database& database) { return std::make_unique<Opened>(database); });
}

Value read(std::optional<std::string_view> bytes, const Shape& shape) {
  if (!bytes) return null_value(shape.type);
  if (shape.grid) {
    return {Rational(big_endian<std::int64_t>(bytes->data())) * shape.grid->step, shape.type};
  }
  if (shape.type == Type::kText) return text_value(std::string(*bytes));
  return truth_value(bytes->front() != 0);
}

/// Expressions over visits, evaluated by PostgreSQL and by the interpreter.
void expect_as_interpreted(std::vector<RawRow> rows, const std::vector<std::vector<Expr>>& rounds) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i]["id"] = integer_value(static_cast<std::int64_t>(i));
  }
  Opened opened({{"visits", rows}});
  const Source source = from("visits");
  const Interpreter interpreter(source, opened.policy());
  for (const std::vector<Expr>& exprs : rounds) {
    const ExpressionLowering lowering(dialect(), source, opened.policy(), opened.schemas());
    Select select;
    select.outputs.push_back(Sql::cast(Sql::name({"t0", "id"}), "bigint"));
    for (const Expr& expr : exprs) select.outputs.push_back(lowering.lower(expr));
    select.from.push_back({lowering.table("visits"), "t0", {}});
    std::size_t seen = 0;
    const Transaction transaction(opened.connection());
    ASSERT_TRUE(opened.connection().begin(opened.log().log()).has_value());
    auto done = opened.connection().copy(
        select.print(), 100, opened.log().log(), [&](std::span<const CopyRow> batch) {
          for (const CopyRow bytes : batch) {
            FieldReader fields(bytes);
            const auto row = big_endian<std::int64_t>(fields.next()->data());
            ++seen;
            for (const Expr& expr : exprs) {
              const Value expected =
                  interpreter.evaluate(expr, {rows[static_cast<std::size_t>(row)]});
              EXPECT_EQ(tagged(read(fields.next(), lowering.shape(expr))), tagged(expected))
                  << to_string(expr, {""}) << "\nrow " << row << "\n"
                  << lowering.lower(expr).print();
            }
          }
        });
    ASSERT_TRUE(done.has_value()) << opened.log().said << select.print();
    ASSERT_EQ(seen, rows.size());
  }
}

TEST(PostgresExpression, IsWhatTheInterpreterSays) {
  Random random(20261116);
  const std::vector<RawRow> rows = random_visits(random, 60);
  std::vector<std::vector<Expr>> rounds;
  for (int round = 0; round < 12; ++round) rounds.push_back(random_expressions(random, 40));
  for (int round = 0; round < 4; ++round) rounds.push_back(random_chains(random, 20));
  rounds.push_back(
      {long_chain(Op::kOr, col("age"), 2'300), long_chain(Op::kAnd, col("cost"), 2'300)});
  expect_as_interpreted(rows, rounds);
}

TEST(PostgresExpression, FollowsOurRulesInHardCases) {
  for (const ExpressionCase& one :
       {text_case(), calendar_case(), arithmetic_case(), nought_case()}) {
    expect_as_interpreted(one.rows, {one.exprs});
  }
}

// The kept rows are the same on both engines, since the rule and the secret are.
void compare_on_both(Random& random, int rounds, int questions,
                     const std::function<Plan(Random&)>& make) {
  int compared = 0;
  for (int round = 0; round < rounds; ++round) {
    const Database database = random_clinic(random, round == 0 ? 0 : 60);
    Opened opened(database);
    duckdb::ScratchFolder folder;
    policy::Policy files = clinic();
    duckdb::write_clinic(folder, "parquet", database, files);
    auto embedded = std::move(duckdb::Connection::open(2, {}).value());
    const Schemas schemas = duckdb::open_sources(*embedded, files, {}).value();
    policy::Policy village = opened.policy();  // people in larger units, some in none
    village.units["patients"].within = policy::Within{"streets", "patients.zip", 2};
    village.units["streets"].name = "streets";
    for (int i = 0; i < questions; ++i) {
      auto checked = Checker::check(make(random), i % 3 == 0 ? village : opened.policy(), "q");
      if (!checked) continue;
      ++compared;
      const LoweredPlan lowered = opened.lower(*checked);
      const auto answer = opened.run(*checked);
      ASSERT_EQ(answer, expected(*checked, lowered, database)) << lowered.print();
      const auto other =
          duckdb::run_lowered(*embedded, lower_plan(*checked, duckdb::dialect(), schemas),
                              checked->steps().size(), kSecret, {});
      ASSERT_EQ(answer, shown(other.value())) << lowered.print();
    }
  }
  EXPECT_GT(compared, rounds * questions / 4);
}

TEST(PostgresQuestion, GivesTheReferencesBitsAndDuckDbs) {
  Random random(42);
  compare_on_both(random, 3, 50, random_plan);
}

// What somebody left behind in a session: settings, and temporary things with PostgreSQL's names.
const std::vector<std::string>& left_behind() {
  static const std::vector<std::string> all = {
      "SET search_path = hostile, pg_catalog",
      "SET row_security = on",
      "SET datestyle = 'German, DMY'",
      "SET timezone = 'Asia/Kolkata'",
      "SET standard_conforming_strings = off",
      "SET extra_float_digits = -15",
      "SET bytea_output = 'escape'",
      "SET client_encoding = 'LATIN1'",
      "SET transform_null_equals = on",
      "SET quote_all_identifiers = on",
      "SET client_min_messages = debug1",
      "SET intervalstyle = 'sql_standard'",
      "SET default_transaction_isolation = 'read uncommitted'",
      "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
      "SET statement_timeout = '7s'",
      "SET jit = on; SET jit_above_cost = 0",
      "SET gin_fuzzy_search_limit = 1",
      "SET enable_sort = off; SET enable_mergejoin = off; SET enable_hashagg = on",
      "CREATE TEMP TABLE pg_class (oid oid, relname name, relnamespace oid, relkind \"char\")",
      "CREATE TEMP TABLE pg_cast (castsource oid, casttarget oid, castmethod \"char\")",
      "CREATE DOMAIN pg_temp.text AS pg_catalog.text CHECK (false)",
      "CREATE DOMAIN pg_temp.date AS pg_catalog.date CHECK (false)"};
  return all;
}

TEST(PostgresQuestion, IsTheSameInASessionThatOthersUsed) {
  PrivatePostgres& server = PrivatePostgres::instance();
  server.must("CREATE SCHEMA hostile; GRANT USAGE ON SCHEMA hostile TO reader");
  for (const std::string type : {"bigint", "integer", "text", "numeric"}) {
    const std::string pair = "(a " + type + ", b " + type + ")";
    server.must("CREATE FUNCTION hostile.same" + pair +
                " RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'ran'; END $$");
    for (const std::string sign : {"=", "<", "<>"}) {
      server.must("CREATE OPERATOR hostile." + sign + " (LEFTARG = " + type +
                  ", RIGHTARG = " + type + ", FUNCTION = hostile.same)");
    }
  }
  Random random(44);
  Pooler pooler;
  for (int round = 0; round < 5; ++round) {
    const Database database = random_clinic(random, 40);
    policy::Policy policy = clinic();
    write_clinic(database, policy);
    policy.engine = pooler.url();
    pooler.leave_behind(round == 0 ? left_behind() : std::vector<std::string>{});
    Opened opened(policy);
    for (int i = 0; i < 8; ++i) {
      if (round > 0) {
        std::vector<std::string> some;
        for (const std::string& one : left_behind()) {
          if (up_to(random, 1) == 0) some.push_back(one);
        }
        pooler.leave_behind(some);
      }
      auto checked = Checker::check(random_plan(random), policy, "q");
      if (!checked) continue;
      const LoweredPlan lowered = opened.lower(*checked);
      ASSERT_EQ(opened.run(*checked), expected(*checked, lowered, database)) << lowered.print();
    }
  }
  EXPECT_GT(pooler.transactions(), 20);
  server.must("DROP SCHEMA hostile CASCADE");
}

// Also where a float is written with an exponent.
TEST(PostgresUnits, AreTheSameInTablesThatStoreThemDifferently) {
  PrivatePostgres& server = PrivatePostgres::instance();
  for (const std::string type :
       {"double precision", "real", "numeric", "numeric(30,2)", "integer", "text"}) {
    SCOPED_TRACE(type);
    const std::string schema = server.fresh_schema();
    const std::string step = type == "integer" ? "10" : "1152921504606846976";  // 2^60
    expect_one_row_of_each_unit(
        server.url(),
        [&](const std::string& name) {
          server.must("CREATE TABLE " + schema + "." + name + " AS SELECT CAST(i * " + step +
                      " AS " + (name == "a" ? "bigint" : type) +
                      ") AS u, i AS x FROM generate_series(0, 4) i");
          return schema + "." + name;
        },
        [](const policy::Policy& policy) { return std::make_unique<Opened>(policy); });
  }
}

// Semi, anti and left joins, groups within a person, DISTINCT, UNION ALL, nested.
TEST(PostgresQuestion, OverSubqueriesGivesTheReferencesBitsAndDuckDbs) {
  Random random(43);
  compare_on_both(random, 2, 40, [](Random& r) { return random_relational(r, false); });
}

TEST(PostgresPairs, GiveTheReferencesBitsWhereNothingIsCut) {
  expect_pairs_as_in_the_reference(
      [](const Database& database) { return std::make_unique<Opened>(database); });
}

TEST(PostgresPairs, NoPersonMovesThemByMoreThanDeclared) {
  expect_no_person_moves_pairs(
      [](const Database& database) { return std::make_unique<Opened>(database); });
}

}  // namespace
}  // namespace discreet::engine::postgres::run_test
