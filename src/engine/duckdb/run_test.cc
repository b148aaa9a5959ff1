// SPDX-License-Identifier: Apache-2.0
// Whole questions, compared bit for bit with the reference interpreter and the obvious bounding.
#include "engine/duckdb/run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "engine/bounding_for_tests.h"
#include "engine/duckdb/files_for_tests.h"
#include "engine/key.h"
#include "plan/random_for_tests.h"

namespace discreet::engine::duckdb {
namespace {

using namespace plan;
using mechanism::Groups;

constexpr Secret kSecret{{11, 22}};

/// key bytes -> units, integers, runs; as text, to be compared and shown.
std::map<std::string, std::string> shown(const Groups& groups) {
  std::map<std::string, std::string> out;
  for (std::size_t g = 0; g < groups.keys.size(); ++g) {
    std::string line = "units " + std::to_string(groups.units[g]);
    for (std::size_t m = 0; m < groups.integers.size(); ++m) {
      line += " | ";
      if (!groups.integers[m].empty()) line += discreet::to_string(groups.integers[m][g]);
      if (groups.runs[m].empty()) continue;
      for (const auto& [value, count] : groups.runs[m][g]) {
        line += std::to_string(value) + "x" + std::to_string(count) + " ";
      }
    }
    EXPECT_TRUE(out.emplace(groups.keys[g], line).second) << "a key came twice";
  }
  return out;
}

std::uint64_t word(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// What the bounding sees of a row: contents as they are packed, texts hashed.
PlainRow plain(const Checked& checked, const BoundingTask& task, const OwnedRow& row,
               const std::string& unit_text) {
  const Interpreter interpreter(checked.plan().source, checked.policy());
  PlainRow out;
  if (task.wide_unit) {
    const Hash128 hash = keyed_hash_wide(kSecret, unit_text);
    out.unit = {hash.low, hash.high};
  } else {
    out.unit = {word(std::stoll(unit_text))};
  }
  out.key = encode_key(row.key, checked.key_shapes());
  std::vector<Expr> seen;
  for (const plan::Step& step : checked.steps()) {
    if (!step.measurement.argument) continue;
    const Expr& argument = *step.measurement.argument;
    if (std::find(seen.begin(), seen.end(), argument) != seen.end()) continue;
    seen.push_back(argument);
    const Value value = interpreter.evaluate(argument, row.row);
    std::optional<std::int64_t> content;
    if (value.is_null()) {
    } else if (const bool* truth = std::get_if<bool>(&value.data)) {
      content = *truth ? 1 : 0;
    } else if (step.shape.grid) {
      content = Rational(value.number() / step.shape.grid->step).numerator().get_si();
    } else {
      content = static_cast<std::int64_t>(keyed_hash(kSecret, value.text()));
    }
    out.contents.push_back(content);
  }
  return out;
}

/// The text of a unit, from plan::tagged.
std::string unit_text(const std::string& tag) {
  if (tag[0] == 's') return tag.substr(tag.find(':') + 1);
  return tag.substr(1, tag.find('/') - 1);
}

std::map<std::string, std::string> expected(const Checked& checked, const LoweredPlan& lowered,
                                            const Database& database) {
  std::vector<OwnedRow> rows = owned_rows(checked, database);
  if (lowered.bounded) {
    const BoundingTask& task = lowered.bounded->task;
    std::vector<PlainRow> plains;
    for (const OwnedRow& row : rows) {
      plains.push_back(plain(checked, task, row, unit_text(row.unit)));
    }
    std::vector<OwnedRow> kept;
    for (std::size_t place : reference_kept(
             plains, RowLayout(task.wide_unit, task.contents),
             static_cast<std::size_t>(checked.plan().bounds.groups_per_unit),
             static_cast<std::size_t>(checked.plan().bounds.rows_per_unit_and_group), kSecret)) {
      kept.push_back(rows[place]);
    }
    rows = std::move(kept);
  }
  std::map<std::string, std::string> out;
  for (const auto& [name, group] : measure(checked, rows)) {
    std::string line = "units " + std::to_string(group.units.size());
    for (std::size_t m = 0; m < group.integers.size(); ++m) {
      line += " | ";
      if (checked.steps()[m].measurement.kind != MeasureKind::kQuantile) {
        line += group.integers[m].get_str();
      }
      for (const auto& [value, count] : group.runs[m]) {
        line += std::to_string(value) + "x" + std::to_string(count) + " ";
      }
    }
    out.emplace(encode_key(group.key, checked.key_shapes()), line);
  }
  return out;
}

/// Files of a database, opened with some number of threads.
class Opened {
 public:
  Opened(const std::string& format, const Database& database, std::size_t threads)
      : policy_(clinic()) {
    write_clinic(folder_, format, database, policy_);
    connection_ = std::move(Connection::open(threads, log_.log()).value());
    auto schemas = open_sources(*connection_, policy_, log_.log());
    EXPECT_TRUE(schemas.has_value()) << log_.said;
    schemas_ = *schemas;
  }

  const policy::Policy& policy() const { return policy_; }
  LoweredPlan lower(const Checked& checked) const { return lower_plan(checked, schemas_); }

  std::map<std::string, std::string> run(const Checked& checked) {
    const LoweredPlan lowered = lower(checked);
    auto groups = run_lowered(*connection_, lowered, checked.steps().size(), kSecret, log_.log());
    EXPECT_TRUE(groups.has_value()) << log_.said << lowered.print();
    return groups ? shown(*groups) : std::map<std::string, std::string>{};
  }

 private:
  ScratchFolder folder_;
  policy::Policy policy_;
  GatheredLog log_;
  std::unique_ptr<Connection> connection_;
  Schemas schemas_;
};

Database random_clinic(Random& random, int size) {
  Database database;
  const int patients = 1 + size / 4;
  for (int i = 0; i < patients; ++i) {
    RawRow row;
    row["id"] = integer_value(i);
    row["cohort"] = integer_value(2019 + up_to(random, 6));
    row["zip"] =
        up_to(random, 5) == 0 ? null_value() : text_value("z" + std::to_string(up_to(random, 3)));
    row["weight"] = decimal_value(Rational::ratio(up_to(random, 250'000), 1'000));
    database["patients"].push_back(row);
  }
  for (int i = 0; i < size; ++i) {
    RawRow row = random_visit(random);
    row["id"] = integer_value(i);
    row["patient_id"] =
        up_to(random, 9) == 0 ? null_value() : integer_value(up_to(random, patients));
    row["note"] = text_value("n" + std::to_string(up_to(random, 2)));
    database["visits"].push_back(row);
  }
  for (int i = 0; i < size; ++i) {
    RawRow row;
    row["visit_id"] = up_to(random, 9) == 0 ? null_value() : integer_value(up_to(random, size + 1));
    row["value"] = integer_value(up_to(random, 200) - 80);
    database["labs"].push_back(row);
    database["events"].push_back({{"size", integer_value(up_to(random, 14))}});
  }
  for (int i = 0; i < 3; ++i) {
    database["zips"].push_back(
        {{"zip", text_value("z" + std::to_string(i))}, {"region", text_value(i == 0 ? "a" : "b")}});
  }
  return database;
}

Source random_source(Random& random) {
  switch (up_to(random, 5)) {
    case 0:
      return from("events");
    case 1:
      return from("labs");
    case 2:
      return visits_and_patients();
    case 3:
      return {{{"labs", "l", {}}, {"visits", "v", {{0, "visit_id", "id"}}}}};
    case 4:
      return {{{"patients", "p", {}}, {"zips", "z", {{0, "zip", "zip"}}}}};
    default:
      return from("visits");
  }
}

/// A column that can be added up, of the source's first table.
Expr number_of(Random& random, const Source& source) {
  const std::string& table = source.tables[0].table;
  if (table == "events") return col("size");
  if (table == "labs") return col("value");
  if (table == "patients") return up_to(random, 1) == 0 ? col("cohort") : col("weight");
  return col(one_of_these<std::string>(random, {"age", "change", "cost", "filled"}));
}

std::vector<Expr> keys_of(Random& random, const Source& source) {
  const std::string& table = source.tables[0].table;
  if (up_to(random, 3) == 0) return {};
  if (table == "events") return {col("size")};
  if (table == "labs") return {Expr::of(Op::kLess, {col("value"), num(10)})};
  if (table == "patients") return {col("zip")};
  switch (up_to(random, 4)) {
    case 0:
      return {col("clinic")};
    case 1:
      return {col("city")};
    case 2:
      return {col("urgent"), col("city")};
    case 3:
      return {Expr::of(Op::kDatePart, {col("day")}, "quarter"), col("urgent")};
    default:
      return {col("city"), col("age"), col("clinic")};
  }
}

Plan random_plan(Random& random) {
  Plan plan;
  plan.source = random_source(random);
  plan.delta = Delta::trusted(Rational::ratio(1, 1'000'000));
  plan.bounds = {1 + up_to(random, 3), 1 + up_to(random, 3), true};
  for (Expr& key : keys_of(random, plan.source)) plan.keys.push_back({std::move(key), "k"});
  if (plan.source.tables[0].table == "visits" && up_to(random, 1) == 0) {
    plan.filter = random_expression(random, 2);
  }
  plan.measurements.push_back(measurement(MeasureKind::kRows));
  for (int i = up_to(random, 4); i > 0; --i) {
    const auto kind = static_cast<MeasureKind>(up_to(random, 5));
    Measurement m = measurement(kind);
    if (kind != MeasureKind::kUnits) m.argument = number_of(random, plan.source);
    if (kind == MeasureKind::kDistinct && plan.source.tables[0].table == "visits") {
      m.argument =
          one_of_these<Expr>(random, {col("city"), col("urgent"), col("age"), col("cost")});
    }
    if (kind == MeasureKind::kQuantile) m.fraction = Rational::ratio(1 + up_to(random, 2), 4);
    if (kind == MeasureKind::kSum && up_to(random, 1) == 0) m.centre = Rational::ratio(7, 2);
    if (kind == MeasureKind::kSum && up_to(random, 2) == 0) m.clamp = Grid{-2, 30, 1};
    plan.measurements.push_back(std::move(m));
  }
  return plan;
}

class Question : public testing::TestWithParam<std::string> {};

TEST_P(Question, GivesTheReferencesBits) {
  Random random(42);
  int compared = 0;
  for (int round = 0; round < 4; ++round) {
    const Database database = random_clinic(random, round == 0 ? 0 : 60);
    Opened opened(GetParam(), database, static_cast<std::size_t>(1 + round % 4));
    for (int i = 0; i < 40; ++i) {
      auto checked = Checker::check(random_plan(random), opened.policy(), "q");
      if (!checked) continue;
      ++compared;
      const LoweredPlan lowered = opened.lower(*checked);
      ASSERT_EQ(opened.run(*checked), expected(*checked, lowered, database)) << lowered.print();
    }
  }
  EXPECT_GT(compared, 60);
}

INSTANTIATE_TEST_SUITE_P(Formats, Question, testing::Values("parquet", "csv", "json", "duckdb"),
                         [](const auto& format) { return format.param; });

TEST(Question, DoesNotDependOnPhysicalOrderOrThreads) {
  Random random(43);
  Database database = random_clinic(random, 3'000);
  std::vector<Checked> questions;
  const policy::Policy policy = clinic();
  while (questions.size() < 12) {
    Plan plan = random_plan(random);
    auto checked = Checker::check(std::move(plan), policy, "q");
    if (checked) questions.push_back(*std::move(checked));
  }
  std::vector<std::map<std::string, std::string>> first;
  for (std::size_t threads : {1, 2, 4}) {
    Opened opened("parquet", database, threads);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto answer = opened.run(questions[i]);
      if (threads == 1) {
        first.push_back(answer);
      } else {
        EXPECT_EQ(answer, first[i]);
      }
    }
    for (auto& [table, rows] : database) std::shuffle(rows.begin(), rows.end(), random);
  }
}

// A table with one column of doubles (threats A2): what would make a floating-point sum depend on
// order, wrap, or be poisoned.
struct Doubles {
  ScratchFolder folder;
  policy::Policy policy;
  GatheredLog log;
  std::unique_ptr<Connection> connection;
  Schemas schemas;

  Doubles(const std::vector<std::string>& values, Grid grid, const std::string& type = "DOUBLE") {
    auto writer = Connection::open(1, log.log()).value().release();
    std::string sql = "COPY (SELECT * FROM (VALUES ";
    for (std::size_t i = 0; i < values.size(); ++i) {
      sql +=
          (i == 0 ? "(" : ", (") + std::to_string(i) + ", CAST(" + values[i] + " AS " + type + "))";
    }
    must(*writer,
         sql + ") AS t(u, x)) TO " + quote_text(folder / "t.parquet") + " (FORMAT parquet)");
    delete writer;
    policy::Units units;
    units.name = "people";
    policy.units["people"] = units;
    policy::Table table;
    table.name = "t";
    table.source = "t.parquet";
    table.unit = policy::UnitPath{"people", {}, "u", false};
    table.columns = {column_of("x", Type::kDecimal, std::move(grid))};
    policy.tables["t"] = table;
    policy.directory = folder.path();
    connection = std::move(Connection::open(2, log.log()).value());
    schemas = open_sources(*connection, policy, log.log()).value();
  }

  /// The groups as shown(): one, without keys.
  std::string sum_and_rows() {
    Plan plan;
    plan.source = from("t");
    plan.measurements = {measurement(MeasureKind::kSum, col("x")),
                         measurement(MeasureKind::kRows, col("x")),
                         measurement(MeasureKind::kRows)};
    auto checked = Checker::check(plan, policy, "q");
    EXPECT_TRUE(checked.has_value()) << checked.error().message;
    auto groups = run_lowered(*connection, lower_plan(*checked, schemas), 3, kSecret, log.log());
    EXPECT_TRUE(groups.has_value()) << log.said;
    return shown(*groups)[""];
  }
};

TEST(RawNumbers, AreTakenByTheTotalRule) {
  const Grid grid{-10, 10, 1};
  EXPECT_EQ(Doubles({"'NaN'", "3"}, grid).sum_and_rows(), "units 2 | 3 | 1 | 2");
  EXPECT_EQ(Doubles({"'inf'", "3"}, grid).sum_and_rows(), "units 2 | 13 | 2 | 2");
  EXPECT_EQ(Doubles({"'-inf'", "'inf'"}, grid).sum_and_rows(), "units 2 | 0 | 2 | 2");
  EXPECT_EQ(Doubles({"-0.0", "5e-324", "-5e-324"}, grid).sum_and_rows(), "units 3 | 0 | 3 | 3");
  EXPECT_EQ(Doubles({"9.3e18", "-9.3e18", "1e308"}, grid).sum_and_rows(), "units 3 | 10 | 3 | 3");
  EXPECT_EQ(Doubles({"NULL", "2.5", "-2.5"}, grid).sum_and_rows(), "units 3 | 0 | 2 | 3");
  EXPECT_EQ(
      Doubles({"9223372036854775807", "-9223372036854775808", "1"}, grid, "BIGINT").sum_and_rows(),
      "units 3 | 1 | 3 | 3");
  EXPECT_EQ(Doubles({"18446744073709551615"}, grid, "UBIGINT").sum_and_rows(),
            "units 1 | 10 | 1 | 1");
  EXPECT_EQ(Doubles({"'x'", "' 7 '", "'1e1'", "''"}, grid, "VARCHAR").sum_and_rows(),
            "units 4 | 17 | 2 | 4");
}

// [2^31-1, 1] and [2^63-1, 1] wrap in the type that holds them; ours are sums of clamped integers
// in 128 bits.
TEST(RawNumbers, NeverWrapAround) {
  const Grid wide{0, Rational(INT32_MAX), 1};
  EXPECT_EQ(Doubles({"2147483647", "1"}, wide, "INTEGER").sum_and_rows(),
            "units 2 | 2147483648 | 2 | 2");
  const Grid wider{0, power_of_two(31), 1};
  EXPECT_EQ(
      Doubles(std::vector<std::string>(50, "9223372036854775807"), wider, "BIGINT").sum_and_rows(),
      "units 50 | 107374182400 | 50 | 50");
}

// 2^53 and a thousand ones add up differently in another order, in floating point.
TEST(RawNumbers, AddUpTheSameInAnyOrder) {
  std::vector<std::string> values(1'000, "1");
  values.push_back("4294967295");
  const Grid grid{0, power_of_two(32) - Rational(1), 1};
  const std::string ones_first = Doubles(values, grid).sum_and_rows();
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(Doubles(values, grid).sum_and_rows(), ones_first);
  EXPECT_EQ(ones_first, "units 1001 | 4294968295 | 1001 | 1001");
}

TEST(Keys, OfAnyTextAreGroupsLikeOthers) {
  Database database;
  const std::string megabyte(1 << 20, 'x');
  const std::vector<std::string> texts = {
      "",  std::string("\0", 1), std::string("a\0b", 3), "a",      "A",
      "é", "e\xCC\x81",          "' OR 1=1 --",          megabyte, megabyte + "y"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    RawRow row;
    row["patient_id"] = integer_value(static_cast<std::int64_t>(i));
    row["city"] = text_value(texts[i]);
    database["visits"].push_back(row);
  }
  database["visits"].push_back({{"patient_id", integer_value(99)}});  // NULL
  Plan plan = count_plan();
  plan.keys = {{col("city"), "city"}};
  plan.delta = Delta::trusted(Rational::ratio(1, 1'000'000));
  for (const char* format : {"parquet", "duckdb"}) {
    Opened opened(format, database, 2);
    auto checked = Checker::check(plan, opened.policy(), "q");
    ASSERT_TRUE(checked.has_value());
    const auto answer = opened.run(*checked);
    EXPECT_EQ(answer, expected(*checked, opened.lower(*checked), database));
    EXPECT_EQ(answer.size(), texts.size());  // NULL is one; the two megabytes are one
    std::string cut;
    append_text(cut, std::string(256, 'x'));
    EXPECT_EQ(answer.at(cut), "units 2 | 2");
  }
}

TEST(Units, MayBeOfAnyType) {
  for (const std::string type :
       {"VARCHAR", "UUID", "DOUBLE", "HUGEINT", "UBIGINT", "SMALLINT", "DATE"}) {
    ScratchFolder folder;
    GatheredLog log;
    const bool text = type == "VARCHAR";
    auto writer = Connection::open(1, log.log()).value().release();
    must(*writer,
         "COPY (SELECT " +
             std::string(type == "UUID"   ? "CAST(lpad(CAST(i % 5 AS VARCHAR), 32, '0') AS UUID)"
                         : type == "DATE" ? "DATE '2020-01-01' + CAST(i % 5 AS INTEGER)"
                         : text           ? "'user ' || (i % 5)"
                                          : "CAST(i % 5 AS " + type + ")") +
             " AS u, i AS x FROM range(40) AS r(i)) TO " + quote_text(folder / "t.parquet"));
    delete writer;
    policy::Policy policy;
    policy.units["people"].name = "people";
    policy.directory = folder.path();
    policy::Table table;
    table.name = "t";
    table.source = "t.parquet";
    table.unit = policy::UnitPath{"people", {}, "u", false};
    table.bounds = {1, 3, true};
    table.columns = {column_of("x", Type::kInteger, Grid{0, 100, 1})};
    policy.tables["t"] = table;
    auto connection = std::move(Connection::open(2, log.log()).value());
    auto schemas = open_sources(*connection, policy, log.log());
    ASSERT_TRUE(schemas.has_value()) << log.said;
    Plan plan;
    plan.source = from("t");
    plan.measurements = {measurement(MeasureKind::kRows), measurement(MeasureKind::kUnits)};
    auto checked = Checker::check(plan, policy, "q");
    ASSERT_TRUE(checked.has_value());
    auto groups = run_lowered(*connection, lower_plan(*checked, *schemas), 2, kSecret, log.log());
    ASSERT_TRUE(groups.has_value()) << log.said;
    EXPECT_EQ(shown(*groups)[""], "units 5 | 15 | 5") << type;
  }
}

}  // namespace
}  // namespace discreet::engine::duckdb
