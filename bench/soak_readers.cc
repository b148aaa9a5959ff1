// SPDX-License-Identifier: Apache-2.0
// What files and databases may hold, with and without one unit: lines of text with any bytes, stored
// words with any bits, fields of PostgreSQL's protocol with any bytes. Prints what was tried; fails
// at the first thing that one unit changes of the others, or that is read in another way than its
// definition says.
//
//   ./dev soak readers [LINE_CASES FILE_PAIRS FIELD_VALUES [SEED]]
//   10^6 line cases, 50,000 pairs (10^5 container files) and 10^6 field values
#include <cstdio>
#include <cstdlib>

#include "engine/duckdb/stored_bits_for_tests.h"
#include "engine/postgres/field_trial_for_tests.h"
#include "engine/text/line_cases_for_tests.h"

int main(int argc, char** argv) {
  using namespace discreet::engine;
  const long lines = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const long files = argc > 2 ? std::atol(argv[2]) : 50'000;
  const long values = argc > 3 ? std::atol(argv[3]) : 1'000'000;
  const std::uint64_t seed =
      argc > 4 ? std::strtoull(argv[4], nullptr, 10) : std::random_device()();
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
  postgres::FieldTrial fields(seed);
  for (long i = 0; i < values; ++i) {
    std::string wrong = fields.value();
    if (wrong.empty() && i % postgres::FieldTrial::kValuesOfUnits == 0) wrong = fields.units();
    if (wrong.empty()) continue;
    std::printf("field value %ld: %s\n", i, wrong.c_str());
    return 1;
  }
  std::printf("%ld field values alone, and as many in rows of units: no difference\n", values);
  return 0;
}
