// SPDX-License-Identifier: Apache-2.0
// Questions over 10^7 rows of 10^6 users in 1,000 cities (Zipf), beside the same question without
// privacy, asked to the same library. The data is made once. DISCREET_BENCH_ROWS may ask for
// another number of rows, DISCREET_BENCH_ENGINE may set a limit: duckdb?memory=4GB.
#include <duckdb.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "bench.h"
#include "engine/duckdb/duckdb_engine.h"
#include "plan/checker.h"

namespace discreet::sql_bench {
namespace {

using bench::fail;
using engine::duckdb::DuckDbEngine;
using plan::Expr;
using plan::MeasureKind;
using policy::Grid;
using policy::Type;

std::string folder() { return (bench::folder() / "sql").string(); }

std::string rows() {
  return bench::from_environment("DISCREET_BENCH_ROWS",
                                 std::to_string(bench::sized(10'000'000, 10'000)));
}

/// DuckDB without us.
class Plain {
 public:
  Plain(const std::string& file, const char* mode) {
    duckdb_config config = nullptr;
    duckdb_create_config(&config);
    duckdb_set_config(config, "access_mode", mode);
    char* words = nullptr;
    if (duckdb_open_ext(file.c_str(), &database_, config, &words) != DuckDBSuccess) fail(words);
    duckdb_destroy_config(&config);
    duckdb_connect(database_, &connection_);
  }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  ~Plain() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  void run(const std::string& sql) {
    duckdb_result result;
    if (duckdb_query(connection_, sql.c_str(), &result) != DuckDBSuccess) {
      fail(duckdb_result_error(&result));
    }
    duckdb_destroy_result(&result);
  }

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

/// The data of the issue, from hashes, so that it is the same everywhere.
std::string data_file() {
  const std::string file = folder() + "/visits-" + rows() + ".duckdb";
  if (std::filesystem::exists(file)) return file;
  std::filesystem::create_directories(folder());
  const std::string unfinished = file + ".new";
  std::filesystem::remove(unfinished);
  {
    Plain plain(unfinished, "READ_WRITE");
    plain.run(
        "CREATE TEMP TABLE zipf AS SELECT 'city' || lpad(CAST(k AS VARCHAR), 4, '0') AS city, "
        "(sum(1.0 / k) OVER (ORDER BY k) - 1.0 / k) / (SELECT sum(1.0 / j) FROM range(1, 1001) "
        "r(j)) AS low FROM range(1, 1001) r(k)");
    plain.run(
        "CREATE TABLE visits AS SELECT user_id, city, "
        "CAST(18 + hash(user_id, 3) % 60 + hash(i, 4) % 2 AS BIGINT) AS age, "
        "least(500000, exp(10.5 + 0.6 * sqrt(-2 * ln((hash(i, 5) % 4294967296 + 1) / "
        "4294967297.0)) "
        "* cos(6.283185307179586 * (hash(i, 6) % 4294967296) / 4294967296.0))) AS income "
        "FROM (SELECT i, CAST(hash(i, 1) % (" +
        rows() +
        " // 10) AS BIGINT) AS user_id, "
        "(hash(i, 2) % 4294967296) / 4294967296.0 AS u FROM range(" +
        rows() + ") r(i)) ASOF JOIN zipf ON u >= low");
    if (std::stoll(rows()) <= 10'000'000) {  // for peers, which are asked no more
      plain.run("COPY (SELECT age FROM visits) TO '" + folder() + "/ages-" + rows() +
                ".csv' (FORMAT csv, HEADER false)");
      plain.run("COPY visits TO '" + folder() + "/visits-" + rows() + ".parquet' (FORMAT parquet)");
    }
  }
  std::filesystem::rename(unfinished, file);
  return file;
}

policy::Policy make_policy() {
  policy::Policy policy;
  policy.engine = bench::from_environment("DISCREET_BENCH_ENGINE", policy.engine);
  policy.units["people"].name = "people";
  policy.units["rows"].name = "rows";
  policy::Table visits;
  visits.source = std::filesystem::absolute(data_file()).string() + ":visits";
  visits.columns.resize(3);
  visits.columns[0].name = "city";
  visits.columns[1].name = "age";
  visits.columns[1].type = Type::kInteger;
  visits.columns[1].grid = Grid{0, 120, 1};
  visits.columns[2].name = "income";
  visits.columns[2].type = Type::kDecimal;
  visits.columns[2].grid = Grid{0, 500'000, 1};
  visits.name = "visits";
  visits.unit = policy::UnitPath{"people", {}, "user_id", false};
  policy.tables["visits"] = visits;
  visits.name = "rows";
  visits.unit = policy::UnitPath{"rows", {}, "", true};
  policy.tables["rows"] = visits;
  return policy;
}

/// What is asked, opened by the first question that needs it: memory is measured of one alone.
class World {
 public:
  const policy::Policy& policy() {
    if (!policy_) policy_ = make_policy();
    return *policy_;
  }
  DuckDbEngine& engine() {
    if (!engine_) {
      auto opened = DuckDbEngine::open(policy(), {});
      if (!opened) fail(opened.error().message);
      engine_ = *std::move(opened);
    }
    return *engine_;
  }
  Plain& plain() {
    if (!plain_) plain_.emplace(data_file(), "READ_ONLY");
    return *plain_;
  }

 private:
  std::optional<policy::Policy> policy_;
  std::unique_ptr<DuckDbEngine> engine_;
  std::optional<Plain> plain_;
};

plan::Measurement measured(MeasureKind kind, const char* column = nullptr) {
  plan::Measurement m;
  m.kind = kind;
  if (column != nullptr) m.argument = Expr::column(0, column);
  return m;
}

plan::Plan question(const std::string& table) {
  plan::Plan plan;
  plan.source.tables = {{table, "", {}}};
  plan.delta = Delta::trusted(Rational::ratio(1, 1'000'000));
  return plan;
}

plan::Plan count_rows() {
  plan::Plan plan = question("rows");
  plan.measurements = {measured(MeasureKind::kRows)};
  return plan;
}

plan::Plan by_city() {
  plan::Plan plan = question("visits");
  plan.bounds = {3, 4, true};
  plan.keys = {{Expr::column(0, "city"), "city"}};
  plan.measurements = {measured(MeasureKind::kRows), measured(MeasureKind::kSum, "income")};
  return plan;
}

plan::Plan quantiles(const std::string& table) {
  plan::Plan plan = question(table);
  plan.bounds = {1, 4, true};
  plan.measurements = {measured(MeasureKind::kQuantile, "age")};
  for (int quarter : {1, 2, 3}) {
    plan.measurements[0].fractions.push_back(Rational::ratio(quarter, 4));
  }
  return plan;
}

void ours(benchmark::State& state, World& world, const plan::Plan& plan) {
  auto checked = plan::Checker::check(plan, world.policy(), "bench");
  if (!checked) fail(checked.error().message);
  DuckDbEngine& engine = world.engine();
  for (auto _ : state) {
    auto answer = engine.run(*checked, {});
    if (!answer) fail(answer.error().message);
  }
}

void plain(benchmark::State& state, World& world, const std::string& sql) {
  Plain& database = world.plain();
  for (auto _ : state) database.run(sql);
}

// In pairs, close in time: other work on the machine hits both.
int run(const bench::Words& words) {
  World world;
  const auto add = [](const std::string& name, const auto& measure) {
    benchmark::RegisterBenchmark(name.c_str(), measure)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  };
  const auto add_plain = [&](const std::string& name, const std::string& sql) {
    add("plain/" + name, [&world, sql](benchmark::State& state) { plain(state, world, sql); });
  };
  const auto add_ours = [&](const std::string& name, const plan::Plan& plan) {
    add("ours/" + name, [&world, plan](benchmark::State& state) { ours(state, world, plan); });
  };
  add_plain("count", "SELECT count(*) FROM visits");
  add_ours("count", count_rows());
  add_plain("by_city", "SELECT city, count(*), sum(income) FROM visits GROUP BY city");
  add_ours("by_city", by_city());
  add_plain("quantiles", "SELECT quantile_disc(age, [0.25, 0.5, 0.75]) FROM visits");
  add_ours("quantiles_of_rows", quantiles("rows"));
  add_ours("quantiles_of_users", quantiles("visits"));
  return bench::run_registered(words);
}

const bench::Benchmark kBenchmark("sql", run);

}  // namespace
}  // namespace discreet::sql_bench
