// SPDX-License-Identifier: Apache-2.0
// What files may hold, with and without one unit: lines of text with any bytes, stored words with
// any bits. `soak_readers [LINE_CASES FILE_PAIRS [SEED]]`; 10^6 and 50,000 pairs (10^5 files).
// Prints what was tried; fails at the first thing that one unit changes of the others.
#include <cstdio>
#include <cstdlib>

#include "engine/duckdb/stored_bits_for_tests.h"
#include "engine/text/line_cases_for_tests.h"

int main(int argc, char** argv) {
  using namespace discreet::engine;
  const long lines = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const long files = argc > 2 ? std::atol(argv[2]) : 50'000;
  const std::uint64_t seed =
      argc > 3 ? std::strtoull(argv[3], nullptr, 10) : std::random_device()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  text::LineTrial trial;
  text::LineCases cases(seed);
  for (long i = 0; i < lines; ++i) {
    const text::LineCase the = cases.next();
    if (trial.holds(the)) continue;
    std::printf("line case %ld: others:\n%s\none:\n%s\n", i, the.others.c_str(), the.one.c_str());
    return 1;
  }
  std::printf("%ld line cases: no difference\n", lines);
  duckdb::StoredBitsTrial bits(seed);
  for (long i = 0; i < files; ++i) {
    const std::string wrong = bits.next();
    if (wrong.empty()) continue;
    std::printf("pair %ld: %s\n", i, wrong.c_str());
    return 1;
  }
  std::printf("%ld container files: no difference\n", 2 * files);
  return 0;
}
