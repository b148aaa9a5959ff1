// SPDX-License-Identifier: Apache-2.0
// Tables of DuckDB files as sources: what could fail on one row is refused when it is opened.
#include "engine/duckdb/sources.h"

#include <gtest/gtest.h>

#include "engine/duckdb/dialect.h"
#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/files_for_tests.h"
#include "plan/policy_for_tests.h"

namespace discreet::engine::duckdb::sources_test {
namespace {

using namespace plan;

/// A DuckDB file, clinic.duckdb, made by statements over tables of `f`.
class File {
 public:
  explicit File(const std::vector<std::string>& statements) {
    auto connection = std::move(Connection::open(1, log_.log()).value());
    std::vector<std::string> all = {"ATTACH '" + folder_ / "clinic.duckdb" + "' AS f"};
    all.insert(all.end(), statements.begin(), statements.end());
    all.push_back("DETACH f");
    for (const std::string& sql : all) {
      EXPECT_TRUE(connection->query(sql, log_.log()).has_value()) << sql << log_.said;
    }
  }

  /// A policy with a private table for each source: a unit `u` and an integer `x`.
  policy::Policy policy(const std::vector<std::string>& tables) const {
    policy::Policy out;
    out.units["people"].name = "people";
    out.directory = folder_.path();
    for (const std::string& name : tables) {
      policy::Table& table = out.tables[name];
      table.name = name;
      table.source = "clinic.duckdb:" + name;
      table.unit = policy::UnitPath{"people", {}, "u", false};
      table.columns = {column_of("x", Type::kInteger, Grid{0, 100, 1})};
    }
    return out;
  }
  std::string refusal(const std::string& table) {
    const auto engine = DuckDbEngine::open(policy({table}), log_.log());
    if (engine) return "opened";
    EXPECT_EQ(engine.error().code, Code::kInvalidInput) << table;
    return engine.error().message;
  }
  GatheredLog& log() { return log_; }

 private:
  ScratchFolder folder_;
  GatheredLog log_;
};

// A view may cast, and one person's text then fails the questions whose filter it passes.
TEST(TableSources, ThatComputeWhenTheyAreReadAreRefused) {
  File file({"CREATE TABLE f.raw AS SELECT 1 AS u, '7' AS x",
             "CREATE VIEW f.seen AS SELECT u, CAST(x AS INTEGER) AS x FROM f.raw",
             "CREATE TABLE f.made (u INTEGER, s VARCHAR, x INTEGER AS (CAST(s AS INTEGER)))",
             "CREATE TABLE f.plain AS SELECT 1 AS u, 7 AS x"});
  EXPECT_EQ(file.refusal("plain"), "opened");
  EXPECT_EQ(file.refusal("PLAIN"), "opened");  // names have no case
  EXPECT_NE(file.refusal("seen").find("is no table"), std::string::npos) << file.refusal("seen");
  EXPECT_NE(file.refusal("none").find("is no table"), std::string::npos);
  EXPECT_NE(file.refusal("made").find("computed when it is read"), std::string::npos);
}

// Two decimals are not compared through a third that one of the values does not fit.
TEST(TableSources, UnitsOfAnyTwoTypesCanBeJoined) {
  const char* const types[] = {"DECIMAL(38,0)", "DECIMAL(38,10)", "DECIMAL(30,4)", "DECIMAL(18,2)",
                               "DECIMAL(4,0)",  "HUGEINT",        "UHUGEINT",      "UBIGINT",
                               "BIGINT",        "TINYINT",        "DOUBLE",        "FLOAT",
                               "VARCHAR"};
  std::vector<std::string> statements, tables;
  for (const char* type : types) {
    const std::string name = "t" + std::to_string(tables.size());
    statements.push_back("CREATE TABLE f." + name + " AS SELECT TRY_CAST(v AS " + type +
                         ") AS u, 7 AS x FROM (VALUES ('7'), ('99999999999999999999999999999999999"
                         "999'), ('9999999999999999999999999999.99'), ('-1e300'), ('127'), "
                         "('18446744073709551615'), ('-9223372036854775808'), (NULL)) AS r(v)");
    tables.push_back(name);
  }
  File file(statements);
  const policy::Policy policy = file.policy(tables);
  auto engine = DuckDbEngine::open(policy, file.log().log());
  ASSERT_TRUE(engine.has_value()) << file.log().said;
  for (const std::string& a : tables) {
    for (const std::string& b : tables) {
      Plan plan;
      plan.source.tables = {{a, "a", {}}, {b, "b", {{0, "u", "u"}}}};
      plan.measurements = {measurement(MeasureKind::kRows)};
      plan.bounds = {1, 10, true};
      const auto checked = Checker::check(plan, policy, "q");
      ASSERT_TRUE(checked.has_value()) << checked.error().message;
      EXPECT_TRUE((*engine)->run(*checked, file.log().log()).has_value())
          << a << " " << b << file.log().said;
    }
  }
}

}  // namespace
}  // namespace discreet::engine::duckdb::sources_test
