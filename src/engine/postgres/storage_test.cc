// SPDX-License-Identifier: Apache-2.0
// Random schemas, data and questions (storage_for_tests.h): PostgreSQL, DuckDB and the reference
// give the same bits.
#include <gtest/gtest.h>

#include <tuple>

#include "engine/duckdb/dialect.h"
#include "engine/duckdb/run.h"
#include "engine/postgres/dialect.h"
#include "engine/postgres/fields_for_tests.h"
#include "engine/postgres/run.h"
#include "engine/postgres/storage_for_tests.h"

namespace discreet::engine::postgres::storage_test {
namespace {

using lowering::lower_plan;

TEST(PostgresStorage, OfAnyKindGivesTheReferencesBitsAndDuckDbs) {
  Random random(7);
  int compared = 0;
  for (int round = 0; round < 20; ++round) {
    Twins twins(random, round == 0 ? 1 : 70);
    for (int i = 0; i < 12; ++i) {
      auto checked = Checker::check(twins.random_question(random), twins.policy, "q");
      for (int again = 0; !checked && again < 8; ++again) {
        checked = Checker::check(twins.random_question(random), twins.policy, "q");
      }
      if (!checked) continue;
      ++compared;
      const std::size_t steps = checked->steps().size();
      const LoweredPlan lowered = lower_plan(*checked, dialect(), twins.schemas);
      const auto groups = twins.run(lowered, steps);
      ASSERT_TRUE(groups.has_value()) << twins.log.said << lowered.print();
      const auto answer = shown(*groups);
      ASSERT_EQ(answer, expected(*checked, lowered, twins.database)) << lowered.print();
      const auto other = duckdb::run_lowered(
          *twins.embedded, lower_plan(*checked, duckdb::dialect(), twins.embedded_schemas), steps,
          kSecret, twins.log.log());
      ASSERT_TRUE(other.has_value()) << twins.log.said;
      ASSERT_EQ(answer, shown(*other)) << lowered.print();
    }
  }
  EXPECT_GT(compared, 150);
}

// What is fetched raw is quantised by our code, what stands in an expression by the server's SQL:
// both are one rule.
TEST(PostgresStorage, IsReadAloneAsInAnExpression) {
  Random random(8);
  for (int round = 0; round < 12; ++round) {
    Twins twins(random, 60);
    for (const std::string& name : twins.names) {
      const Type type = twins.policy.tables["t"].find(name)->type;
      if (type == Type::kText || type == Type::kBoolean) continue;
      Plan plan;
      plan.source = from("t");
      plan.bounds = {1, 1'000, true};
      plan.measurements = {
          measurement(MeasureKind::kDistinct, col(name)),
          measurement(MeasureKind::kDistinct, Expr::of(Op::kCoalesce, {col(name), col(name)}))};
      auto checked = Checker::check(plan, twins.policy, "q");
      ASSERT_TRUE(checked.has_value()) << checked.error().message;
      const LoweredPlan lowered = lower_plan(*checked, dialect(), twins.schemas);
      auto groups = twins.run(lowered, 2);
      ASSERT_TRUE(groups.has_value()) << twins.log.said << lowered.print();
      ASSERT_EQ(shown(*groups), expected(*checked, lowered, twins.database)) << lowered.print();
    }
  }
}

/// Every column alone, which is fetched as it is stored where it can be, and in an expression, which
/// the server computes.
void expect_read(const std::string& source, const std::vector<policy::Column>& columns,
                 const Database& database) {
  policy::Policy policy;
  policy.engine = PrivatePostgres::instance().url();
  policy.units["people"].name = "people";
  policy::Table table;
  table.name = "t";
  table.source = source;
  table.unit = policy::UnitPath{"people", {}, "u", false};
  table.columns = columns;
  policy.tables["t"] = table;
  GatheredLog log;
  auto connection = std::move(Connection::open(policy.engine, log.log()).value());
  const auto schemas = open_sources(*connection, policy, log.log());
  ASSERT_TRUE(schemas.has_value()) << schemas.error().message;
  Plan plan;
  plan.source = from("t");
  plan.bounds = {1, 100'000, true};
  for (const policy::Column& column : columns) {
    const Expr alone = col(column.name);
    const Expr computed = Expr::of(Op::kCoalesce, {alone, alone});
    for (const Expr& read : {alone, computed}) {
      plan.measurements.push_back(measurement(MeasureKind::kDistinct, read));
      if (!policy::is_number(column.type)) continue;
      plan.measurements.push_back(measurement(MeasureKind::kSum, read));
    }
  }
  auto checked = Checker::check(plan, policy, "q");
  ASSERT_TRUE(checked.has_value()) << checked.error().message;
  const LoweredPlan lowered = lower_plan(*checked, dialect(), *schemas);
  const Transaction transaction(*connection);
  ASSERT_TRUE(connection->begin(log.log()).has_value());
  auto groups = run_lowered(*connection, lowered, checked->steps().size(), kSecret, log.log());
  ASSERT_TRUE(groups.has_value()) << log.said << lowered.print();
  EXPECT_EQ(shown(*groups), expected(*checked, lowered, database)) << lowered.print();
}

/// Digits that a server keeps as they are: it cuts those that a number says it does not show, and
/// rounds to the decimals that a column has.
std::string stored_numeric(Random& random, const Grid& grid, int decimals_most) {
  NumericField field = random_numeric(random, grid);
  const auto behind = [&] {
    return 4 * (static_cast<int>(field.digits.size()) - 1 - field.weight);
  };
  while (!field.digits.empty() && behind() > decimals_most) field.digits.pop_back();
  field.count = static_cast<std::uint16_t>(field.digits.size());
  field.decimals = static_cast<std::uint16_t>(std::max(0, behind()));
  return field.bytes();
}

std::string all_digits(const Rational& value, int places) {
  std::string digits =
      Rational(value.abs() * power_of_ten(places)).floor().get_str();  // what is behind is cut
  const auto behind = static_cast<std::size_t>(places);
  if (digits.size() <= behind) digits.insert(0, behind + 1 - digits.size(), '0');
  digits.insert(digits.size() - behind, ".");
  return (value.sign() < 0 ? "-" : "") + digits;
}

// Numbers that have more digits than a word counts, and such as are decided by their last one. A
// column with a length is read here, one without it by the server.
TEST(PostgresStorage, ReadsNumericsOfAnyLengthByOneRule) {
  PrivatePostgres& server = PrivatePostgres::instance();
  Random random(9);
  for (const Rational& step : {Rational(1), Rational::ratio(1, 100), Rational::ratio(3, 7),
                               Rational::ratio(5, 2), Rational::ratio(7, 1)}) {
    const Grid grid{step * Rational(-40), step * Rational(300), step};
    const std::string schema = server.fresh_schema();
    server.must("CREATE TABLE " + schema + ".t (u integer, x numeric, y numeric(1000, 900))");
    Database database;
    const auto add = [&](const std::string& x, const Rational& value, const std::string& y,
                         const Rational& other) {
      const auto u = static_cast<int>(database["t"].size() % 5);
      server.must("INSERT INTO " + schema + ".t VALUES (" + std::to_string(u) + ", " + x + ", " +
                  y + ")");
      database["t"].push_back(
          {{"u", integer_value(u)}, {"x", decimal_value(value)}, {"y", decimal_value(other)}});
    };
    for (const int sign : {1, -1}) {
      const std::string minus = sign < 0 ? "-" : "";
      const std::string nines = minus +
                                "CAST(repeat('9', 131072) || '.' || repeat('9', 16383) AS "
                                "numeric)";
      const std::string tiny = minus + "CAST('1e-16383' AS numeric)";
      add(nines, far(sign < 0), minus + "CAST(repeat('9', 100) AS numeric)", far(sign < 0));
      add(tiny, Rational(sign) * power_of_ten(-100), minus + "CAST('1e-900' AS numeric)",
          Rational(sign) * power_of_ten(-100));
    }
    for (int i = 0; i < 24; ++i) {
      const Rational half = step * Rational::ratio(2 * (up_to(random, 320) - 45) + 1, 2);
      const auto near = [&](int places) {
        const Rational cut = Rational(half * power_of_ten(places)).abs().floor();
        const int more = up_to(random, 2) - 1;
        const Rational value = (Rational(cut) + Rational(more)) * power_of_ten(-places);
        return half.sign() < 0 ? -value : value;
      };
      const Rational x = near(one_of_these<int>(random, {5, 950, 1'000, 2'000, 16'383}));
      const Rational y = near(900);
      add("'" + all_digits(x, 16'383) + "'", x, "'" + all_digits(y, 900) + "'", y);
    }
    expect_read(schema + ".t",
                {column_of("x", Type::kDecimal, grid), column_of("y", Type::kDecimal, grid)},
                database);
  }
}

// What a type can hold is more than its texts say: every pattern of bits that the server takes.
TEST(PostgresStorage, ReadsBitsOfAnyPatternByTheirDefinition) {
  PrivatePostgres& server = PrivatePostgres::instance();
  Random random(10);
  const std::vector<std::tuple<std::string, unsigned int, Type>> types = {
      {"smallint", kInt2, Type::kInteger},
      {"integer", kInt4, Type::kInteger},
      {"bigint", kInt8, Type::kInteger},
      {"real", kFloat4, Type::kDecimal},
      {"double precision", kFloat8, Type::kDecimal},
      {"numeric", kNumeric, Type::kDecimal},
      {"numeric(1000,600)", kNumeric, Type::kDecimal},
      {"date", kDate, Type::kDate},
      {"timestamp", kTimestamp, Type::kTimestamp},
      {"timestamptz", kTimestamptz, Type::kTimestamp}};
  for (const auto& [name, type, declared] : types) {
    SCOPED_TRACE(name);
    const Grid grid =
        declared == Type::kDate        ? Grid{18'262, 20'453, 1}
        : declared == Type::kTimestamp ? Grid{Rational(18'262 * kMicrosecondsPerDay + 1),
                                              Rational(19'500 * kMicrosecondsPerDay), 1}
        : declared == Type::kInteger
            ? Grid{-50, 3'000, 5}
            : Grid{Rational::ratio(-30, 7), Rational::ratio(3'000, 7), Rational::ratio(3, 7)};
    const std::string table = server.fresh_schema() + ".t";
    server.must("CREATE TABLE " + table + " (u integer, x " + name + ")");
    Database database;
    const int most = field_cases(200);
    for (int i = 0; i < most; ++i) {
      const std::string bytes = type == kNumeric
                                    ? stored_numeric(random, grid, name == "numeric" ? 16'383 : 600)
                                    : random_field(random, type, grid);
      const int u = up_to(random, 5);
      if (!server.store(table, row_of({big_endian_bytes(u), bytes}))) continue;
      const std::optional<std::int64_t> steps = slow_steps(type, bytes, grid);
      database["t"].push_back(
          {{"u", integer_value(u)},
           {"x", steps ? Value{Rational(*steps) * grid.step, declared} : null_value(declared)}});
    }
    EXPECT_GT(database["t"].size(), static_cast<std::size_t>(most / 8));
    expect_read(table, {column_of("x", declared, grid)}, database);
  }
}

TEST(PostgresUnits, AreEqualWhereTheirValuesAre) {
  PrivatePostgres& server = PrivatePostgres::instance();
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {"numeric", {"1", "1.0", "1.00"}},
      {"double precision", {"0", "-0", "0e5"}},
      {"char(5)", {"a", "a ", "a   "}},
      {"uuid",
       {"A0000000-0000-0000-0000-000000000001", "a0000000000000000000000000000001",
        "{a0000000-0000-0000-0000-000000000001}"}},
      {"smallint", {"7", "07", " 7"}},
      {"timestamptz", {"2020-01-01 00:00:00+00", "2020-01-01 01:00:00+01", "2020-01-01 00:00Z"}},
      {"text", {"same", "same", "same"}},
  };
  for (const auto& [type, names] : cases) {
    const std::string schema = server.fresh_schema();
    server.must("CREATE TABLE " + schema + ".t (u " + type + ", x integer)");
    for (const std::string& name : names) {
      server.must("INSERT INTO " + schema + ".t VALUES ('" + name + "', 1)");
    }
    policy::Policy policy;
    policy.engine = server.url();
    policy.units["people"].name = "people";
    policy::Table table;
    table.name = "t";
    table.source = schema + ".t";
    table.unit = policy::UnitPath{"people", {}, "u", false};
    table.columns = {column_of("x", Type::kInteger, Grid{0, 9, 1})};
    policy.tables["t"] = table;
    GatheredLog log;
    auto connection = std::move(Connection::open(policy.engine, log.log()).value());
    const auto schemas = open_sources(*connection, policy, log.log());
    ASSERT_TRUE(schemas.has_value()) << type << schemas.error().message;
    Plan plan;
    plan.source = from("t");
    plan.bounds = {1, 2, true};
    plan.measurements = {measurement(MeasureKind::kRows), measurement(MeasureKind::kUnits)};
    auto checked = Checker::check(plan, policy, "q");
    ASSERT_TRUE(checked.has_value());
    const Transaction transaction(*connection);
    ASSERT_TRUE(connection->begin(log.log()).has_value());
    auto groups =
        run_lowered(*connection, lower_plan(*checked, dialect(), *schemas), 2, kSecret, log.log());
    ASSERT_TRUE(groups.has_value()) << log.said;
    EXPECT_EQ(shown(*groups)[""], "units 1 | 2 | 1") << type;
  }
}

}  // namespace
}  // namespace discreet::engine::postgres::storage_test
