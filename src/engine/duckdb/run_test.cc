// SPDX-License-Identifier: Apache-2.0
// Whole questions, compared bit for bit with the reference interpreter and the obvious bounding.
#include "engine/duckdb/run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/census_for_tests.h"
#include "engine/duckdb/dialect.h"
#include "engine/duckdb/files_for_tests.h"
#include "engine/duckdb/sources.h"
#include "engine/key.h"
#include "engine/pairs_for_tests.h"

namespace discreet::engine::duckdb::run_test {
namespace {

using namespace plan;
using lowering::lower_plan;
using lowering::LoweredPlan;
using mechanism::Groups;

/// Files of a database, opened with some number of threads.
class Opened {
 public:
  Opened(const std::string& format, const Database& database, std::size_t threads)
      : policy_(clinic()) {
    write_clinic(folder_, format, database, policy_);
    connection_ = std::move(Connection::open(threads, log_.log(), {}, kSecret).value());
    auto schemas = open_sources(*connection_, policy_, log_.log());
    EXPECT_TRUE(schemas.has_value()) << log_.said;
    schemas_ = *schemas;
  }

  const policy::Policy& policy() const { return policy_; }
  LoweredPlan lower(const Checked& checked, const lowering::CutFacts& facts = {}) const {
    return lower_plan(checked, facts, dialect(), schemas_);
  }

  std::map<std::string, std::string> run(const Checked& checked) {
    const LoweredPlan lowered = lower(checked);
    const auto answer = run(checked, lowered);
    EXPECT_TRUE(answer.has_value()) << log_.said << lowered.print();
    return answer.value_or(std::map<std::string, std::string>{});
  }
  std::optional<std::map<std::string, std::string>> run(const Checked& checked,
                                                        const LoweredPlan& lowered) {
    auto groups = run_lowered(*connection_, lowered, checked.steps().size(), kSecret, log_.log());
    if (!groups) return std::nullopt;
    return shown(*groups);
  }

 private:
  ScratchFolder folder_;
  policy::Policy policy_;
  GatheredLog log_;
  std::unique_ptr<Connection> connection_;
  Schemas schemas_;
};

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

TEST_P(Question, OverSubqueriesAndJoinsGivesTheReferencesBits) {
  Random random(44);
  int compared = 0;
  for (int round = 0; round < 2; ++round) {
    const Database database = random_clinic(random, round == 0 ? 0 : 30);
    Opened opened(GetParam(), database, static_cast<std::size_t>(1 + round));
    for (int i = 0; i < (round == 0 ? 5 : 25); ++i) {
      auto checked = Checker::check(random_relational(random, false), opened.policy(), "q");
      if (!checked) continue;
      ++compared;
      for (const bool few_rows : {false, true}) {
        const LoweredPlan lowered = opened.lower(*checked, {.few_rows = few_rows});
        ASSERT_EQ(opened.run(*checked, lowered), expected(*checked, lowered, database))
            << lowered.print();
      }
    }
  }
  EXPECT_GT(compared, 20);
}

TEST(Question, IsAddedUpByTheDatabaseWhereNothingIsCut) {
  expect_census_as_in_the_reference(
      [](const Database& database) { return std::make_unique<Opened>("duckdb", database, 3); });
}

// A file could be another one at the next statement.
TEST(Question, OfFilesIsAskedInOneStatement) {
  Random random(49);
  Opened opened("parquet", whole_clinic(random, 20), 1);
  const auto checked = Checker::check(random_labs(random), opened.policy(), "q");
  ASSERT_TRUE(checked.has_value());
  EXPECT_FALSE(opened.lower(*checked).census.has_value());
}

TEST(Pairs, GiveTheReferencesBitsWhereNothingIsCut) {
  expect_pairs_as_in_the_reference(
      [](const Database& database) { return std::make_unique<Opened>("parquet", database, 2); });
}

TEST(Pairs, NoPersonMovesThemByMoreThanDeclared) {
  expect_no_person_moves_pairs(
      [](const Database& database) { return std::make_unique<Opened>("parquet", database, 1); });
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
    auto groups =
        run_lowered(*connection, lower_plan(*checked, dialect(), schemas), 3, kSecret, log.log());
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
    auto groups =
        run_lowered(*connection, lower_plan(*checked, dialect(), *schemas), 2, kSecret, log.log());
    ASSERT_TRUE(groups.has_value()) << log.said;
    EXPECT_EQ(shown(*groups)[""], "units 5 | 15 | 5") << type;
  }
}

// One person's rows are bounded together whatever each table stores the id as: a column of whole
// numbers becomes one of doubles where somebody's is missing.
TEST(Run, AUnitIsTheSameInTablesThatStoreItDifferently) {
  for (const std::string type :
       {"DOUBLE", "FLOAT", "DECIMAL(9,0)", "DECIMAL(9,2)", "DECIMAL(30,3)", "HUGEINT", "VARCHAR"}) {
    ScratchFolder folder;
    GatheredLog log;
    policy::Policy policy;
    policy.units["people"].name = "people";
    policy.directory = folder.path();
    for (const std::string name : {"a", "b"}) {
      auto writer = std::move(Connection::open(1, log.log()).value());
      must(*writer, "COPY (SELECT CAST(i * 10 AS " + (name == "a" ? "BIGINT" : type) +
                        ") AS u, i AS x FROM range(5) AS r(i)) TO " +
                        quote_text(folder / (name + ".parquet")));
      policy::Table table;
      table.name = name;
      table.source = name + ".parquet";
      table.unit = policy::UnitPath{"people", {}, "u", false};
      table.bounds = {1, 1, true};
      table.columns = {column_of("x", Type::kInteger, Grid{0, 100, 1})};
      policy.tables[name] = table;
    }
    auto connection = std::move(Connection::open(2, log.log()).value());
    auto schemas = open_sources(*connection, policy, log.log());
    ASSERT_TRUE(schemas.has_value()) << log.said;
    const auto ask = [&](const Source& source) {
      Plan plan;
      plan.source = source;
      plan.measurements = {measurement(MeasureKind::kRows), measurement(MeasureKind::kUnits)};
      auto checked = Checker::check(plan, policy, "q");
      EXPECT_TRUE(checked.has_value());
      auto groups = run_lowered(*connection, lower_plan(*checked, dialect(), *schemas), 2, kSecret,
                                log.log());
      EXPECT_TRUE(groups.has_value()) << log.said;
      return shown(*groups)[""];
    };
    Part a, b;
    a.source = from("a");
    b.source = from("b");
    TableUse both;
    both.parts = {a, b};
    EXPECT_EQ(ask({{both}}), "units 5 | 5 | 5") << type;
    EXPECT_EQ(ask({{{"a", "", {}}, {"b", "", {{0, "u", "u"}}}}}), "units 5 | 5 | 5") << type;
  }
}

}  // namespace
}  // namespace discreet::engine::duckdb::run_test
