// SPDX-License-Identifier: Apache-2.0
// Nine of TPC-H's questions with customers as units: our time from a checked question to its exact,
// bounded integers, beside DuckDB's own time for the same text on the same file; and the error at
// epsilon 1. The data is made once, in the folder DISCREET_BENCH_DATA.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "session/exact_for_tests.h"

namespace {

using namespace discreet;
using session::Ours;
using session::Plain;
using session::Table;

std::string from_environment(const char* name, const char* otherwise) {
  const char* const named = std::getenv(name);
  return named != nullptr ? named : otherwise;
}

/// A folder with shop.duckdb, which we read, and plain.duckdb, which DuckDB reads: it opens a file
/// once in a process.
std::string data_folder() {
  const std::string customers = from_environment("DISCREET_BENCH_CUSTOMERS", "50000");
  const std::string folder =
      from_environment("DISCREET_BENCH_DATA", "build/bench/sql-joins") + "/" + customers;
  if (std::filesystem::exists(folder + "/plain.duckdb")) return folder;
  std::filesystem::create_directories(folder);
  std::filesystem::remove(folder + "/shop.duckdb");
  {
    Plain writer(folder + "/shop.duckdb");
    for (const std::string& statement : sql::shop_data(std::stoi(customers))) writer.run(statement);
  }
  std::filesystem::copy_file(folder + "/shop.duckdb", folder + "/new.duckdb");
  std::filesystem::rename(folder + "/new.duckdb", folder + "/plain.duckdb");
  return folder;
}

// Both stay until the process ends: DuckDB's own statics go before ours would.
Ours& ours() {
  static const policy::Policy policy = session::shop(std::filesystem::absolute(data_folder()));
  static Ours* const made = new Ours(policy, Ours::Bounds::kPolicy);
  return *made;
}

Plain& plain() {
  static Plain* const made = new Plain(data_folder() + "/plain.duckdb");
  return *made;
}

/// The median over groups of what bounds and noise do to the first number, relative to the truth.
double error_of(const std::string& text) {
  std::vector<bool> is_key;
  const Table mine = ours().run(text, is_key);
  std::vector<double> errors;
  for (const auto& [key, truth] : plain().run(text, is_key)) {
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

void run_ours(benchmark::State& state, const char* text) {
  const Ours::Question question = ours().prepare(text);
  for (auto _ : state) benchmark::DoNotOptimize(ours().run(question));
  state.counters["error"] = error_of(text);
}

void run_plain(benchmark::State& state, const char* text) {
  Plain& database = plain();  // made before the clock runs
  for (auto _ : state) benchmark::DoNotOptimize(database.run(text));
}

const bool kRegistered = [] {
  for (const sql::ShopQuestion& question : sql::kShopQuestions) {
    for (const bool is_ours : {false, true}) {  // close in time: other work hits both
      benchmark::RegisterBenchmark(
          (std::string(is_ours ? "ours/" : "plain/") + question.name).c_str(),
          is_ours ? run_ours : run_plain, question.sql)
          ->UseRealTime()
          ->MeasureProcessCPUTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
