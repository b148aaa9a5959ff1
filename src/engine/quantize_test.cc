// SPDX-License-Identifier: Apache-2.0
#include "engine/quantize.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <regex>
#include <string>

#include "plan/grid.h"
#include "plan/shape_rules.h"

namespace discreet::engine::quantize_test {
namespace {

using policy::Grid;

Rational ratio(std::int64_t n, std::int64_t d = 1) { return Rational::ratio(n, d); }

/// The rule in rationals.
std::int64_t expected(const Grid& grid, const Rational& value) {
  return Rational(plan::onto(grid, value) / grid.step).numerator().get_si();
}

Rational exactly(double value) {
  const mpq_class q(value);
  return Rational::ratio(q.get_num(), q.get_den());
}

std::optional<std::int64_t> of_double(const Quantizer& q, double value) {
  return q.from_binary64(std::bit_cast<std::uint64_t>(value));
}

const std::vector<Grid>& grids() {
  static const std::vector<Grid> all = {
      {0, 120, 1},
      {-5, 5, ratio(1, 100)},
      {0, 500'000, 1},
      {-1'000'000, 1'000'000, 10},
      {ratio(1), ratio(7, 3), ratio(1, 3)},
      {-power_of_two(61), power_of_two(61), 1},
      {0, power_of_two(100), power_of_two(60)},
      {0, power_of_two(-70), power_of_two(-90)},  // finer than the fast way holds
      {0, power_of_two(150), power_of_two(100)},  // coarser
      {10, 20, 5},
  };
  return all;
}

TEST(Quantizer, TakesEdgesOfBinary64ByRule) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Quantizer q(Grid{-5, 5, ratio(1, 100)});
  EXPECT_EQ(of_double(q, std::nan("")), std::nullopt);
  EXPECT_EQ(of_double(q, -std::nan("1")), std::nullopt);
  EXPECT_EQ(of_double(q, kInfinity), 500);
  EXPECT_EQ(of_double(q, -kInfinity), -500);
  EXPECT_EQ(of_double(q, -0.0), 0);
  EXPECT_EQ(of_double(q, 5e-324), 0);
  EXPECT_EQ(of_double(q, -2.2250738585072009e-308), 0);
  EXPECT_EQ(of_double(q, 9223372036854775808.0), 500);
  EXPECT_EQ(of_double(q, std::numeric_limits<double>::max()), 500);
  EXPECT_EQ(of_double(q, 0.125), 13);  // a half, away from zero
  EXPECT_EQ(of_double(q, -0.125), -13);
  EXPECT_EQ(of_double(q, 0.005), 1);    // the double lies above 0.005
  EXPECT_EQ(of_double(q, 1.005), 100);  // and this one below: 1.005 * 100 rounds up to 100.5
  EXPECT_EQ(of_double(Quantizer(Grid{1, 9, 1}), 5e-324), 1);  // the nearer end
}

TEST(Quantizer, TakesAnyBinary64AsItsExactValue) {
  for (const Grid& grid : grids()) {
    const Quantizer q(grid);
    std::uint64_t bits = 1;
    for (int i = 0; i < 3000; ++i) {
      bits = bits * 6364136223846793005 + 1442695040888963407;
      // Exponents near the grid as often as any.
      const std::uint64_t pattern =
          i % 2 == 0 ? bits : (bits & 0x800fffffffffffff) | ((1000 + (bits >> 53) % 80) << 52);
      const double value = std::bit_cast<double>(pattern);
      if (!std::isfinite(value)) continue;
      ASSERT_EQ(q.from_binary64(pattern), expected(grid, exactly(value))) << value;
      const auto small = static_cast<std::uint32_t>(bits >> 32);
      const float narrow = std::bit_cast<float>(small);
      if (!std::isfinite(narrow)) continue;
      ASSERT_EQ(q.from_binary32(small), expected(grid, exactly(static_cast<double>(narrow))));
    }
  }
}

TEST(Quantizer, TakesIntegersAndDecimalsExactly) {
  for (const Grid& grid : grids()) {
    const Quantizer q(grid);
    for (Int128 value : {Int128{0}, Int128{1}, Int128{-1}, Int128{119}, Int128{120}, Int128{121},
                         static_cast<Int128>(INT64_MAX), static_cast<Int128>(INT64_MIN),
                         static_cast<Int128>(INT64_MAX) + 1, kInt128Max, kInt128Min, Int128{15},
                         Int128{-25}, Int128{449'999}}) {
      const Rational exact(to_integer(value));
      EXPECT_EQ(q.from_integer(value), expected(grid, exact));
      for (int scale : {0, 1, 2, 18, 38}) {
        EXPECT_EQ(q.from_decimal(value, scale), expected(grid, exact * plan::power_of_ten(-scale)))
            << scale;
      }
    }
  }
}

/// The rule of plan/expression.md, as a pattern.
std::optional<Rational> number_in(const std::string& text) {
  static const std::regex pattern(
      "[ \\t\\n\\v\\f\\r]*([+-]?)([0-9]+\\.?[0-9]*|\\.[0-9]+)(([eE][+-]?)0*([0-9]+))?[ "
      "\\t\\n\\v\\f\\r]*");
  std::smatch match;
  if (text.size() > 1000 || !std::regex_match(text, match, pattern)) return std::nullopt;
  const std::string exponent = match[5].str();
  if (exponent.size() > 4 || (exponent.size() == 4 && exponent > "1000")) return std::nullopt;
  const Rational size =
      Rational::parse(match[2].str() + (exponent.empty() ? "" : match[4].str() + exponent)).value();
  return match[1].str() == "-" ? -size : size;
}

TEST(Quantizer, ReadsTextAsThePlanSays) {
  for (const Grid& grid : grids()) {
    const Quantizer q(grid);
    for (const std::string text : {"",
                                   " ",
                                   ".",
                                   "0",
                                   "-0",
                                   "+7",
                                   "12.5",
                                   ".5",
                                   "5.",
                                   "-.25",
                                   "1e2",
                                   "1E-2",
                                   "2e",
                                   "e2",
                                   "1e+1",
                                   "1e1001",
                                   "1e1000",
                                   "-1e1000",
                                   "1e-1000",
                                   "nan",
                                   "inf",
                                   "-Infinity",
                                   "0x10",
                                   "1_0",
                                   "1,5",
                                   "1 2",
                                   "--1",
                                   "+-1",
                                   "1/3",
                                   " 42 ",
                                   "\t42\n",
                                   "9223372036854775808",
                                   "9E1.",
                                   "5.e1",
                                   "0.00000000000000000000000000001",
                                   "123456789012345678901234567890.5",
                                   "1.2.3",
                                   "000000000000000000000000000000007"}) {
      const auto number = number_in(text);
      const auto units = q.from_text(text);
      ASSERT_EQ(units.has_value(), number.has_value()) << text;
      if (number) {
        EXPECT_EQ(*units, expected(grid, *number)) << text;
      }
    }
    EXPECT_EQ(q.from_text(std::string(1001, '0')), std::nullopt);
    EXPECT_EQ(q.from_text(std::string(1000, '0')), expected(grid, 0));
  }
}

RC_GTEST_PROP(Quantizer, ReadsRandomTextAsThePlanSays, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0129.eE+- ")));
  const Grid& grid = grids()[1];
  const auto number = number_in(text);
  const auto units = Quantizer(grid).from_text(text);
  RC_ASSERT(units.has_value() == number.has_value());
  if (number) {
    RC_ASSERT(*units == expected(grid, *number));
  }
}

}  // namespace
}  // namespace discreet::engine::quantize_test
