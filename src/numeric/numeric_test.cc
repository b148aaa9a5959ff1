// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "numeric/int128.h"
#include "numeric/interval.h"
#include "numeric/rational.h"
#include "numeric/real.h"

namespace discreet::numeric_test {
namespace {

Rational q(long n, long d = 1) { return Rational::ratio(n, d); }

TEST(Rational, ReadsDecimalsFractionsAndExponentsExactly) {
  const std::pair<const char*, Rational> cases[] = {
      {"0.1", q(1, 10)}, {"1/3", q(1, 3)}, {"-2.5e-3", q(-1, 400)}, {"42", q(42)},    {"+7", q(7)},
      {".5", q(1, 2)},   {"5.", q(5)},     {"1e3", q(1000)},        {"2/4", q(1, 2)}, {"-0", q(0)},
      {"1E+2", q(100)},  {"007", q(7)},
  };
  for (const auto& [text, value] : cases) EXPECT_EQ(*Rational::parse(text), value) << text;
}

TEST(Rational, RefusesEverythingElse) {
  for (const char* text :
       {"",   " 1",   "1 ",    "nan",   "NaN", "inf",   "-inf",   "1/0",           "1/",
        "/2", "1/-2", "1/2/3", "0x10",  "1e",  "1e+",   "1e1001", "1e99999999999", ".",
        "-",  "+-1",  "1,5",   "1_000", "e5",  "1.2.3", "1/2.5"}) {
    EXPECT_FALSE(Rational::parse(text)) << text;
  }
  EXPECT_FALSE(Rational::parse(std::string("1\0", 2)));
  EXPECT_FALSE(Rational::parse(std::string(1000000, '9')));
  EXPECT_TRUE(Rational::parse(std::string(1000, '9')));
}

TEST(Rational, PrintsWhatItReads) {
  for (const char* text :
       {"0.1", "-0.05", "1/3", "42", "0", "-7", "0.000000000000000001", "-22/7"}) {
    EXPECT_EQ(Rational::parse(text)->to_string(), text);
  }
}

RC_GTEST_PROP(RationalLaws, ParseInvertsPrint, (int n, unsigned short d)) {
  const Rational x = q(n, d + 1);
  RC_ASSERT(*Rational::parse(x.to_string()) == x);
}

RC_GTEST_PROP(RationalLaws, FloorRoundAndCeilEncloseTheValue, (int n, unsigned short d)) {
  const Rational x = q(n, d + 1);
  RC_ASSERT(Rational(x.floor()) <= x && x < Rational(x.floor()) + 1);
  RC_ASSERT(Rational(x.ceil()) >= x && x > Rational(x.ceil()) - 1);
  RC_ASSERT((Rational(x.round()) - x).abs() <= q(1, 2));
}

RC_GTEST_PROP(RationalLaws, DoublesEncloseTheValue, (int n, unsigned short d)) {
  const Rational x = q(n, d + 1);
  const double low = x.to_double(Round::kDown);
  const double high = x.to_double(Round::kUp);
  RC_ASSERT(Rational(mpq_class(low).get_num()) <= x * Rational(Integer(mpq_class(low).get_den())));
  RC_ASSERT(low <= high && std::nextafter(low, 1e300) >= high);
}

TEST(Rational, RoundsOutwardForPeople) {
  EXPECT_EQ(q(2, 3).to_decimal(3, Round::kUp), "0.667");
  EXPECT_EQ(q(2, 3).to_decimal(3, Round::kDown), "0.666");
  EXPECT_EQ(q(-2, 3).to_decimal(3, Round::kUp), "-0.666");
}

TEST(Rational, RoundsToBitsOnTheNamedSide) {
  EXPECT_EQ(round_to_bits(q(1, 3), 2, Round::kDown), q(1, 4));
  EXPECT_EQ(round_to_bits(q(1, 3), 2, Round::kUp), q(1, 2));
  EXPECT_EQ(round_to_bits(q(-1, 3), 2, Round::kDown), q(-1, 2));
}

TEST(Int128, ConvertsBothWaysAtTheLimits) {
  for (Int128 x :
       {Int128{0}, Int128{-1}, kInt128Max, kInt128Min, Int128{1} << 64, -(Int128{1} << 64)}) {
    EXPECT_TRUE(to_int128(to_integer(x)) == x);
    EXPECT_EQ(to_string(x), to_integer(x).get_str());
  }
  EXPECT_FALSE(fits_int128(to_integer(kInt128Max) + 1));
  EXPECT_FALSE(fits_int128(to_integer(kInt128Min) - 1));
}

TEST(Int128, SaturatesAtTheNearestValue) {
  EXPECT_EQ(saturate_to_int64(kInt128Max), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(saturate_to_int64(kInt128Min), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(saturate_to_int64(-5), -5);
  EXPECT_TRUE(saturating_add(kInt128Max, 1) == kInt128Max);
  EXPECT_TRUE(saturating_add(kInt128Min, -1) == kInt128Min);
  EXPECT_TRUE(saturating_add(kInt128Max, -1) == kInt128Max - 1);
  for (const auto& [a, b, floor] :
       {std::tuple{7, 2, 3}, {-7, 2, -4}, {-6, 2, -3}, {0, 5, 0}, {-1, 9, -1}}) {
    EXPECT_TRUE(floor_div(a, b) == floor) << a << " / " << b;
  }
  EXPECT_TRUE(floor_div(kInt128Min, 1) == kInt128Min);
}

// The law of interval.h, for arithmetic, against exact rationals.
RC_GTEST_PROP(IntervalLaws, ArithmeticContainsTheExactResult,
              (int a, unsigned short b, int c, unsigned short d)) {
  const Rational x = q(a, b + 1);
  const Rational y = q(c, d + 1);
  const Interval i = Interval::around(x, 20);  // few bits: every operation rounds
  const Interval j = Interval::around(y, 20);
  const auto contains = [](const Interval& interval, const Rational& r) {
    return interval.low() <= r && r <= interval.high();
  };
  RC_ASSERT(contains(i + j, x + y));
  RC_ASSERT(contains(i - j, x - y));
  RC_ASSERT(contains(i * j, x * y));
  if (y.sign() != 0) RC_ASSERT(contains(i / j, x / y));
}

TEST(Interval, TranscendentalFunctionsNestAsPrecisionGrows) {
  using Function = Interval (*)(const Interval&);
  for (Function f :
       {Function{exp}, Function{expm1}, Function{log}, Function{sqrt}, Function{erfc}}) {
    for (const Rational& x : {q(1, 3), q(7, 5), q(26)}) {
      const Interval coarse = f(Interval::around(x, 30));
      const Interval fine = f(Interval::around(x, 300));
      EXPECT_LE(coarse.low(), fine.low());
      EXPECT_GE(coarse.high(), fine.high());
      EXPECT_LE(fine.low(), fine.high());
      EXPECT_LT(fine.high() - fine.low(), coarse.high() - coarse.low());
    }
  }
}

TEST(Real, GivesTheDigitsOfKnownConstants) {
  // floor(2^64 / e), from the continued fraction of e, computed apart from this code.
  EXPECT_EQ(floor_scaled(exp_real(-1), 64), Integer("6786177901268885274"));
  EXPECT_EQ(floor_scaled(exp_real(0), 64), Integer("18446744073709551616"));
  EXPECT_EQ(floor_scaled(real(q(1, 3)), 4), 5);
}

}  // namespace
}  // namespace discreet::numeric_test
