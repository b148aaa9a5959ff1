// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share. All of bench/*.cc but the soaks are one program: `bench NAME [WORD..]`
// runs the benchmark NAME. A file defines a function and names it:
//
//   int run(const bench::Words& words) {
//     World world;  // databases and servers: closed before run() returns
//     benchmark::RegisterBenchmark("ours/count", [&](benchmark::State& state) { ... });
//     return bench::run_registered(words);
//   }
//   const bench::Benchmark kBenchmark("sql", run);
//
// No engine or database may be static. When two DuckDB databases were open in a process, one that
// is closed after the main thread's thread-local variables are gone corrupts the heap, and static
// variables are destroyed after those.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace discreet::bench {

/// What follows the name on the command line.
using Words = std::vector<std::string>;

/// Makes a benchmark known to `bench NAME`, whose exit status is what `run` returns.
struct Benchmark {
  Benchmark(const char* name, int (*run)(const Words&));
};

/// Runs what is registered with Google Benchmark, whose options `words` are, and forgets it.
/// Returns 1 when none of it matches the filter.
int run_registered(Words words);

std::string from_environment(const char* name, const std::string& otherwise);

/// Whether this run only shows that the benchmark works (bench/NAME.py --smallest).
bool is_smallest();

/// One of two sizes.
template <class Size>
Size sized(Size full, Size smallest) {
  return is_smallest() ? smallest : full;
}

/// Where data is kept between runs: $DISCREET_BENCH_FOLDER, or build/bench.
std::filesystem::path folder();

/// The program `discreet` beside this one.
std::string program();

/// An empty folder in folder(), on the disk that holds the build and not in /tmp, which may be
/// memory. Removed at the end.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Says why and ends the process with status 1. Nothing is destroyed: databases may be open.
[[noreturn]] void fail(const std::string& words);

}  // namespace discreet::bench
