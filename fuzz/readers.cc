// SPDX-License-Identifier: Apache-2.0
// What files may hold, with and without one unit. The first byte says what is tried:
//   0, 1  a CSV, a JSON: the bytes up to the first 0x1e are others' lines, the rest is the unit's,
//         put between two of these lines
//   2     lines made from the bytes as a seed, with what breaks readers among them
//   3     a DuckDB file whose columns hold random bits of every type that is read, likewise
//   4     fields of PostgreSQL's protocol, likewise; each is also compared with its definition
// Nothing that is read of all others may change, and nothing may fail.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/check.h"
#include "engine/duckdb/stored_bits_for_tests.h"
#include "engine/postgres/field_trial_for_tests.h"
#include "engine/text/line_cases_for_tests.h"

namespace {

/// How much was tried, said at the end.
struct Tried {
  long lines = 0;
  long files = 0;
  long fields = 0;
  ~Tried() {
    std::printf("%ld line cases, %ld pairs of container files, %ld fields\n", lines, files, fields);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace discreet::engine;
  static Tried tried;
  static text::LineTrial trial;
  if (size < 3) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::uint64_t seed = std::hash<std::string>()(bytes) * 65'536 + data[1] * 256U + data[2];
  if (data[0] == 4) {
    postgres::FieldTrial fields(seed);
    for (int i = 0; i < 20; ++i) {
      const std::string wrong = i == 0 ? fields.units() : fields.value();
      if (!wrong.empty()) std::printf("%s\n", wrong.c_str());
      DISCREET_CHECK(wrong.empty());
    }
    tried.fields += 20 + postgres::FieldTrial::kValuesOfUnits;
    return 0;
  }
  if (data[0] == 3) {
    const std::string wrong = duckdb::StoredBitsTrial(seed).next();
    if (!wrong.empty()) std::printf("%s\n", wrong.c_str());
    DISCREET_CHECK(wrong.empty());
    ++tried.files;
    return 0;
  }
  if (data[0] == 2) {
    text::LineCases cases(seed);
    for (int i = 0; i < 20; ++i) DISCREET_CHECK(trial.holds(cases.next()));
    tried.lines += 20;
    return 0;
  }
  const std::size_t mark = std::min(bytes.find('\x1e'), bytes.size());
  text::LineCase the;
  the.is_json = data[0] == 1;
  the.others = bytes.substr(0, mark);
  the.one = bytes.substr(std::min(mark + 1, bytes.size()));
  the.at = data[1] * 256U + data[2];
  the.seed = seed;
  DISCREET_CHECK(trial.holds(the));
  ++tried.lines;
  return 0;
}
