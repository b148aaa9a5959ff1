// SPDX-License-Identifier: Apache-2.0
// What a table of a real Trino can do to a question: values that its connector cannot convert,
// files that change, formats that fail on a line, row filters and masks, people with very many
// rows. Who passes a question's filter must not show in any of it.
#include <chrono>
#include <thread>

#include "engine/questions_for_tests.h"
#include "engine/trino/run.h"
#include "engine/trino/sources.h"
#include "engine/trino/trino_engine.h"
#include "tests/trino_cluster.h"

namespace discreet::engine::trino {
namespace {

/// One table, of people called u, with numbers.
policy::Policy policy_of(const std::string& source, const std::vector<std::string>& columns) {
  policy::Policy policy;
  policy.engine = Cluster::instance().url();
  policy.units["people"].name = "people";
  policy::Table table;
  table.name = "t";
  table.source = source;
  table.unit = policy::UnitPath{"people", {}, "u", false};
  for (const std::string& name : columns) {
    table.columns.push_back(column_of(name, Type::kInteger, Grid{0, 200, 1}));
  }
  policy.tables["t"] = table;
  return policy;
}

/// SUM(column) of the one whose p is `who`.
Checked sum_of(const policy::Policy& policy, const std::string& column, std::int64_t who) {
  Plan plan;
  plan.source = from("t");
  plan.filter = Expr::of(Op::kEqual, {col("p"), num(who)});
  plan.bounds = {1, 1, true};
  plan.measurements = {measurement(MeasureKind::kSum, col(column))};
  return Checker::check(plan, policy, "q").value();
}

/// What somebody sees who asks: what is said before a charge or, if that is nothing, after it.
std::string seen(TrinoEngine& engine, const Checked& checked) {
  if (const auto ready = engine.ready(checked, {}); !ready) return ready.error().message;
  const auto ran = engine.run(checked, {});
  return ran ? "answered" : ran.error().message;
}

/// Files of wide types under a table of narrow ones.
class NarrowedTable {
 public:
  NarrowedTable(const std::string& format,
                const std::vector<std::pair<std::string, std::string>>& types)
      : types_(types) {
    for (const char* name : {"wide", "narrow"}) {
      std::string columns = "u bigint, p integer";
      for (std::size_t c = 0; c < types.size(); ++c) {
        columns += ", x" + std::to_string(c) + " " +
                   (name == std::string("wide") ? types[c].first : types[c].second);
      }
      cluster_.must("CREATE TABLE " + named(name) + " (" + columns + ") WITH (format = '" + format +
                    "', external_location = 'local:///files/" + schema_ + "/t')");
    }
  }

  /// 60 people, of whom the one called `bad` has a value in each column that the narrow table does
  /// not hold; nobody, if it is 0.
  void write(std::int64_t bad) {
    std::string sql = "INSERT INTO " + named("wide") + " SELECT i, i";
    for (const auto& [wide, narrow] : types_) {
      sql += ", IF(i = " + std::to_string(bad) + ", CAST(5000000000 AS " + wide + "), CAST(i AS " +
             wide + "))";
    }
    cluster_.must(sql + " FROM UNNEST(sequence(1, 60)) AS t(i)");
  }
  void remove() const {
    for (const auto& file : std::filesystem::directory_iterator(place_)) {
      std::filesystem::remove(file);
    }
  }
  std::string named(const std::string& table) const { return "hive." + schema_ + "." + table; }
  policy::Policy policy() const {
    std::vector<std::string> columns = {"p"};
    for (std::size_t c = 0; c < types_.size(); ++c) columns.push_back("x" + std::to_string(c));
    return policy_of(named("narrow"), columns);
  }

 private:
  Cluster& cluster_ = Cluster::instance();
  std::vector<std::pair<std::string, std::string>> types_;
  std::string schema_ = cluster_.fresh_schema();
  std::string place_ = cluster_.files(schema_, "t");
};

// The filter picks a person whose row is blameless, or nobody: that must not show, whatever a row
// of somebody else's holds.
TEST(TrinoTables, AreClosedForAllByAValueThatCannotBeConverted) {
  Random random(29);
  NarrowedTable table("PARQUET", {{"bigint", "integer"},
                                  {"bigint", "smallint"},
                                  {"decimal(18,2)", "decimal(5,2)"},
                                  {"bigint", "bigint"}});
  table.write(1 + up_to(random, 59));
  const policy::Policy policy = table.policy();
  GatheredLog log;
  auto engine = TrinoEngine::open(policy, log.log());
  ASSERT_TRUE(engine.has_value()) << log.said << engine.error().message;
  EXPECT_EQ(seen(**engine, sum_of(policy, "x3", 7)), "answered");
  for (const std::string column : {"x0", "x2"}) {
    const std::string nobody = seen(**engine, sum_of(policy, column, 99));
    EXPECT_EQ(seen(**engine, sum_of(policy, column, 1 + up_to(random, 59))), nobody);
    EXPECT_NE(nobody.find("cannot be read to its end"), std::string::npos) << column << nobody;
  }
  // Of a run that nothing was asked before.
  const auto ran = (*engine)->run(sum_of(policy, "x0", 99), {});
  ASSERT_FALSE(ran.has_value());
  EXPECT_NE(ran.error().message.find("cannot be read to its end"), std::string::npos);
  EXPECT_NE(ran.error().message.find("stays charged"), std::string::npos);
  const auto keys = (*engine)->repeated_keys(policy, {});  // policy check --data
  ASSERT_FALSE(keys.has_value());
  EXPECT_NE(keys.error().message.find("cannot be read to its end"), std::string::npos);

  // Files are looked at each time: mended ones open the table, and another bad one closes it.
  table.remove();
  table.write(0);
  EXPECT_EQ(seen(**engine, sum_of(policy, "x0", 7)), "answered");
  EXPECT_TRUE((*engine)->repeated_keys(policy, {}).has_value());
  table.write(31);
  const std::string nobody = seen(**engine, sum_of(policy, "x0", 99));
  EXPECT_EQ(seen(**engine, sum_of(policy, "x0", 7)), nobody);
  EXPECT_NE(nobody.find("cannot be read to its end"), std::string::npos) << nobody;
}

TEST(LongTrinoTables, OfAnyFormatAndTypeShowTheSameWhoeverPasses) {
  Random random(30);
  const std::vector<std::string> wide = {"bigint", "integer", "decimal(38,2)", "double", "varchar"};
  const std::vector<std::string> narrow = {"tinyint", "smallint",     "integer", "bigint",
                                           "real",    "decimal(4,1)", "varchar"};
  for (int round = 0; round < 12; ++round) {
    std::vector<std::pair<std::string, std::string>> types;
    for (int c = 0; c < 3; ++c) {
      types.emplace_back(wide[static_cast<std::size_t>(up_to(random, 4))],
                         narrow[static_cast<std::size_t>(up_to(random, 6))]);
    }
    if (std::any_of(types.begin(), types.end(),
                    [](const auto& type) { return type.first == "integer"; })) {
      continue;  // does not hold the value itself
    }
    NarrowedTable table(round % 2 == 0 ? "PARQUET" : "ORC", types);
    table.write(1 + up_to(random, 59));
    const policy::Policy policy = table.policy();
    auto engine = TrinoEngine::open(policy, {});
    if (!engine) continue;
    for (std::size_t c = 0; c < types.size(); ++c) {
      const std::string column = "x" + std::to_string(c);
      EXPECT_EQ(seen(**engine, sum_of(policy, column, 1 + up_to(random, 59))),
                seen(**engine, sum_of(policy, column, 99)))
          << types[c].first << " under " << types[c].second;
    }
  }
}

std::string refusal(const policy::Policy& policy) {
  const auto engine = TrinoEngine::open(policy, {});
  return engine ? "it opened" : engine.error().message;
}

// Formats in which a row is a line that may be broken, of tables that have always been so and of
// one that becomes so.
TEST(TrinoTables, InFormatsThatFailOnALineAreRefused) {
  Cluster& cluster = Cluster::instance();
  const std::string schema = cluster.fresh_schema();
  const auto make = [&](const std::string& name, const std::string& format) {
    cluster.must("CREATE TABLE hive." + schema + "." + name +
                 " (u bigint, p integer, x integer) WITH (format = '" + format + "')");
    return policy_of("hive." + schema + "." + name, {"p", "x"});
  };
  for (const char* format : {"JSON", "TEXTFILE", "AVRO"}) {
    const std::string words = refusal(make(std::string("t_") + format, format));
    EXPECT_NE(words.find(std::string("stored as ") + format), std::string::npos) << words;
  }
  const policy::Policy policy = make("t", "ORC");
  auto engine = TrinoEngine::open(policy, {});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(seen(**engine, sum_of(policy, "x", 1)), "answered");
  cluster.must("DROP TABLE hive." + schema + ".t");
  make("t", "JSON");
  cluster.must("INSERT INTO hive." + schema + ".t VALUES (1, 1, 5)");
  const std::string words = seen(**engine, sum_of(policy, "x", 1));
  EXPECT_NE(words.find("stored as JSON"), std::string::npos) << words;
}

// tests/trino.sh has rules for tables of these names.
TEST(TrinoTables, ThatAreFilteredOrMaskedAreRefused) {
  Cluster& cluster = Cluster::instance();
  const std::string schema = "memory.m" + std::to_string(getpid());
  const std::string rows = " AS SELECT i AS u, i AS p, i AS x FROM UNNEST(sequence(1, 9)) AS t(i)";
  cluster.must("CREATE SCHEMA " + schema);
  for (const std::string name : {"filtered", "masked", "failing"}) {
    cluster.must("CREATE TABLE " + schema + "." + name + rows);
    const std::string words = refusal(policy_of(schema + "." + name, {"p", "x"}));
    EXPECT_NE(words.find("row filter"), std::string::npos) << name << words;
  }

  // A rule that comes later; the mask fails on one row.
  const std::string name = "later" + std::to_string(getpid());
  cluster.must("CREATE TABLE " + schema + "." + name + rows);
  const policy::Policy policy = policy_of(schema + "." + name, {"p", "x"});
  auto engine = TrinoEngine::open(policy, {});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  EXPECT_EQ(seen(**engine, sum_of(policy, "x", 1)), "answered");
  const std::string rule = "{\"user\": \"test\", \"table\": \"" + name +
                           "\", \"privileges\": [\"SELECT\"], \"columns\": [{\"name\": \"x\", "
                           "\"mask\": \"1 / (x - 5)\"}]}";
  cluster.with_rule(rule, [&] {
    for (const std::int64_t who : {5, 99}) {
      const std::string words = seen(**engine, sum_of(policy, "x", who));
      EXPECT_NE(words.find("row filter"), std::string::npos) << who << words;
    }
  });
}

/// Asks what some of these values are not in a column, each with a word of its own, which makes no
/// list of them. What Trino cannot compile is refused before a charge, and what is not refused it can.
void expect_known_before(const std::string& type, const std::vector<std::pair<int, bool>>& counts) {
  Cluster& cluster = Cluster::instance();
  const std::string table = "memory.default.c" + std::to_string(getpid()) + "_" + type;
  cluster.must("CREATE TABLE " + table + " AS SELECT i AS u, CAST(i AS " + type +
               ") AS d FROM UNNEST(sequence(1, 9)) AS t(i)");
  policy::Policy policy = policy_of(table, {});
  policy.tables["t"].columns = {
      column_of("d", Type::kDecimal, Grid{0, 200, Rational::ratio(1, 100)})};
  auto engine = TrinoEngine::open(policy, {});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  for (const auto& [count, compiles] : counts) {
    Plan plan;
    plan.source = from("t");
    std::vector<Expr> any;
    for (int i = 0; i < count; ++i) {
      any.push_back(
          Expr::of(Op::kNot, {Expr::of(Op::kEqual, {col("d"), dec(std::to_string(i) + ".25")})}));
    }
    plan.filter = Expr::of(Op::kOr, std::move(any));
    plan.measurements = {measurement(MeasureKind::kRows)};
    const Checked checked = Checker::check(plan, policy, "q").value();
    GatheredLog log;
    const auto ready = (*engine)->ready(checked, log.log());
    EXPECT_EQ(ready.has_value(), compiles) << type << count << log.said;
    EXPECT_EQ((*engine)->run(checked, log.log()).has_value(), compiles)
        << type << count << log.said;
    if (ready) continue;
    EXPECT_EQ(ready.error().code, Code::kUnsupported);
    EXPECT_NE(ready.error().message.find("too long for Trino"), std::string::npos);
  }
}

TEST(TrinoTables, TakeQuestionsThatTrinoCanCompile) {
  expect_known_before("double", {{3, true}, {300, false}});  // a text of more than 1,000,000
}

TEST(LongTrinoTables, TakeQuestionsThatTrinoCanCompile) {
  expect_known_before("varchar", {{100, false}});  // a method of more than 64 KB
}

// One person with very many different rows: she does not decide whether the workers' memory is
// enough.
TEST(TrinoTables, WithVeryManyRowsOfOnePersonNeedNoMoreMemory) {
  Cluster& cluster = Cluster::instance();
  const std::string schema = "memory.n" + std::to_string(getpid());
  cluster.must("CREATE SCHEMA " + schema);
  // 600,000 in all. A scan holds a page of what one statement wrote, whoever's it is: so they are
  // written in pieces.
  cluster.must("CREATE TABLE " + schema + ".t (u integer, x integer)");
  for (int piece = 0; piece < 12; ++piece) {
    cluster.must("INSERT INTO " + schema + ".t SELECT 1, " + std::to_string(piece) +
                 " * 50000 + a * 1000 + b FROM UNNEST(sequence(0, 49)) AS s(a), "
                 "UNNEST(sequence(1, 1000)) AS t(b)");
  }
  policy::Policy policy = policy_of(schema + ".t", {});
  policy.tables["t"].columns = {column_of("x", Type::kInteger)};
  policy.engine += "&session.query_max_memory_per_node=8MB";
  auto engine = TrinoEngine::open(policy, {});
  ASSERT_TRUE(engine.has_value()) << engine.error().message;
  Plan plan;
  plan.source = from("t");
  plan.bounds = {1, 100, true};
  plan.measurements = {measurement(MeasureKind::kDistinct, col("x"))};
  GatheredLog log;
  const auto ran = (*engine)->run(Checker::check(plan, policy, "q").value(), log.log());
  EXPECT_TRUE(ran.has_value()) << log.said;
}

}  // namespace
}  // namespace discreet::engine::trino
