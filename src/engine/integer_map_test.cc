// SPDX-License-Identifier: Apache-2.0
#include "engine/integer_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace discreet::engine::integer_map_test {
namespace {

std::int64_t expected(const IntegerMap::Formula& f, std::int64_t x) {
  const Rational y = f.slope * Rational(x) + f.offset;
  const Integer whole = f.rounding == Rounding::kFloor     ? y.floor()
                        : f.rounding == Rounding::kCeiling ? y.ceil()
                                                           : y.round();
  return Integer(std::clamp(whole, Integer(f.low), Integer(f.high))).get_si();
}

std::vector<IntegerMap::Formula> formulas() {
  std::vector<IntegerMap::Formula> all;
  for (Rounding rounding : {Rounding::kNearest, Rounding::kFloor, Rounding::kCeiling}) {
    for (const char* slope : {"1", "-1", "1/2", "3/7", "100", "1/1000000", "1e30", "1e-30"}) {
      for (const char* offset : {"0", "-5", "1/3", "7/2", "1e25"}) {
        all.push_back({.slope = Rational::parse(slope).value(),
                       .offset = Rational::parse(offset).value(),
                       .rounding = rounding,
                       .low = -1000,
                       .high = 1'000'000'000'000});
      }
    }
  }
  all.push_back({});
  return all;
}

TEST(IntegerMap, IsExactEverywhere) {
  for (const IntegerMap::Formula& formula : formulas()) {
    const IntegerMap map(formula);
    for (std::int64_t x : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{7},
                           std::int64_t{-7}, std::int64_t{3500}, INT64_MAX, INT64_MIN,
                           std::int64_t{1} << 61, -(std::int64_t{1} << 61)}) {
      EXPECT_EQ(map(x), expected(formula, x)) << to_string(formula) << " of " << x;
    }
  }
}

TEST(IntegerMap, ReadsItsTextBack) {
  for (const IntegerMap::Formula& formula : formulas()) {
    EXPECT_EQ(parse_formula(to_string(formula)), formula) << to_string(formula);
  }
  EXPECT_EQ(to_string(IntegerMap::Formula{.slope = Rational::ratio(1, 100), .low = 0, .high = 50}),
            "nearest 1/100*x+0 in 0..50");
}

TEST(IntegerMap, KnowsWhereItChangesNothing) {
  EXPECT_TRUE(IntegerMap({.low = 0, .high = 9}).is_identity_on(0, 9));
  EXPECT_FALSE(IntegerMap({.low = 0, .high = 8}).is_identity_on(0, 9));
  EXPECT_FALSE(IntegerMap({.offset = 1, .low = 0, .high = 99}).is_identity_on(0, 9));
  EXPECT_FALSE(IntegerMap({.slope = 2, .low = 0, .high = 99}).is_identity_on(0, 9));
}

}  // namespace
}  // namespace discreet::engine::integer_map_test
