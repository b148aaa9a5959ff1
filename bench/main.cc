// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <cstdio>
#include <map>

#include "base/check.h"
#include "bench.h"

namespace discreet::bench {
namespace {

std::map<std::string, int (*)(const Words&)>& benchmarks() {
  static std::map<std::string, int (*)(const Words&)> all;
  return all;
}

int run_named(const std::string& name, const Words& words) {
  const auto found = benchmarks().find(name);
  if (found != benchmarks().end()) return found->second(words);
  std::fprintf(stderr, "usage: bench NAME [WORD..], where NAME is one of:");
  for (const auto& [known, run] : benchmarks()) std::fprintf(stderr, " %s", known.c_str());
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace

Benchmark::Benchmark(const char* name, int (*run)(const Words&)) {
  DISCREET_CHECK(benchmarks().emplace(name, run).second);
}

int run_registered(Words words) {
  words.insert(words.begin(), "bench");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();
  return ran == 0 ? 1 : 0;
}

std::string from_environment(const char* name, const std::string& otherwise) {
  const char* const named = std::getenv(name);
  return named != nullptr ? named : otherwise;
}

bool is_smallest() { return std::getenv("DISCREET_BENCH_SMALLEST") != nullptr; }

std::filesystem::path folder() { return from_environment("DISCREET_BENCH_FOLDER", "build/bench"); }

std::string program() {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename("discreet").string();
}

ScratchFolder::ScratchFolder(const std::string& name) {
  std::filesystem::create_directories(folder());
  std::string path = (folder() / (name + "-XXXXXX")).string();
  DISCREET_CHECK(mkdtemp(path.data()) != nullptr);
  path_ = path;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void fail(const std::string& words) {
  std::fprintf(stderr, "%s\n", words.c_str());
  std::_Exit(1);
}

}  // namespace discreet::bench

int main(int count, char** words) {
  const std::string name = count < 2 ? "" : words[1];
  return discreet::bench::run_named(name, {words + std::min(count, 2), words + count});
}
