// SPDX-License-Identifier: Apache-2.0
// Nine of TPC-H's questions with customers as units: our time from a checked question to its exact,
// bounded integers, beside DuckDB's own time for the same text on the same file; and the error at
// epsilon 1. The data is made once. DISCREET_BENCH_CUSTOMERS may ask for another number of
// customers.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "bench.h"
#include "engine/open.h"
#include "session/exact_for_tests.h"

namespace discreet::sql_joins_bench {
namespace {

using session::Ours;
using session::Plain;
using session::Table;

/// A folder with one file thrice, since DuckDB opens a file once in a process: engine.duckdb, which
/// the engine is timed on, shop.duckdb, which is asked for values, and plain.duckdb, which DuckDB
/// itself reads.
std::string data_folder() {
  const std::string customers = bench::from_environment("DISCREET_BENCH_CUSTOMERS",
                                                        std::to_string(bench::sized(50'000, 500)));
  const std::string folder = (bench::folder() / "sql-joins" / customers).string();
  if (std::filesystem::exists(folder + "/plain.duckdb") &&
      std::filesystem::exists(folder + "/engine.duckdb")) {
    return folder;
  }
  std::filesystem::create_directories(folder);
  std::filesystem::remove(folder + "/shop.duckdb");
  {
    Plain writer(folder + "/shop.duckdb");
    for (const std::string& statement : sql::shop_data(std::stoi(customers))) writer.run(statement);
  }
  std::filesystem::copy_file(folder + "/shop.duckdb", folder + "/engine.duckdb",
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::copy_file(folder + "/shop.duckdb", folder + "/new.duckdb");
  std::filesystem::rename(folder + "/new.duckdb", folder + "/plain.duckdb");
  return folder;
}

std::unique_ptr<engine::Engine> opened(const policy::Policy& policy) {
  auto engine = engine::open_engine(policy, {});
  if (!engine) bench::fail(engine.error().message);
  return *std::move(engine);
}

/// All read data that was made before any was opened.
struct World {
  const std::string folder = data_folder();
  const policy::Policy policy = session::shop(std::filesystem::absolute(folder));
  const policy::Policy timed = session::shop(std::filesystem::absolute(folder), "engine.duckdb");
  const std::unique_ptr<engine::Engine> engine = opened(timed);
  Ours ours{policy, Ours::Bounds::kPolicy};
  Plain plain{folder + "/plain.duckdb"};
};

/// The median over groups of what bounds and noise do to the first number, relative to the truth.
double error_of(World& world, const std::string& text) {
  std::vector<bool> is_key;
  const Table mine = world.ours.run(text, is_key);
  std::vector<double> errors;
  for (const auto& [key, truth] : world.plain.run(text, is_key)) {
    const auto found = mine.find(key);
    if (found == mine.end() || truth[0].value == 0) continue;
    const sql::Number& number = found->second[0];
    const double off = std::abs(number.value - truth[0].value) + (number.high - number.low) / 2;
    errors.push_back(off / std::abs(truth[0].value));
  }
  if (errors.empty()) session::fail("no groups: " + text);
  std::nth_element(errors.begin(), errors.begin() + static_cast<long>(errors.size() / 2),
                   errors.end());
  return errors[errors.size() / 2];
}

void run_ours(benchmark::State& state, World& world, const char* text) {
  const plan::Checked checked = session::shop_question(text, world.timed, *world.engine);
  for (auto _ : state) {
    if (!world.engine->run(checked, {})) bench::fail(text);
  }
  state.counters["error"] = error_of(world, text);
}

void run_plain(benchmark::State& state, World& world, const char* text) {
  for (auto _ : state) benchmark::DoNotOptimize(world.plain.run(text));
}

int run(const bench::Words& words) {
  World world;
  for (const sql::ShopQuestion& question : sql::kShopQuestions) {
    for (const bool is_ours : {false, true}) {  // close in time: other work hits both
      benchmark::RegisterBenchmark(
          (std::string(is_ours ? "ours/" : "plain/") + question.name).c_str(),
          [&world, &question, is_ours](benchmark::State& state) {
            (is_ours ? run_ours : run_plain)(state, world, question.sql);
          })
          ->UseRealTime()
          ->MeasureProcessCPUTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  return bench::run_registered(words);
}

const bench::Benchmark kBenchmark("sql-joins", run);

}  // namespace
}  // namespace discreet::sql_joins_bench
