// SPDX-License-Identifier: Apache-2.0
// Laplace and LaplaceVector, and the law of saturation.h.
#include "mechanism/laplace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mechanism/door.h"
#include "mechanism/laplace_vector.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/tails.h"
#include "mechanism/tape_for_tests.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::laplace_test {
namespace {

using cli::OwnValues;

Laplace laplace(const char* sensitivity, const char* epsilon) {
  return Laplace::make({.sensitivity = sensitivity_of(sensitivity), .epsilon = epsilon_of(epsilon)})
      .value();
}

LaplaceVector laplace_vector(const char* sensitivity, const char* epsilon) {
  return LaplaceVector::make(
             {.sensitivity = sensitivity_of(sensitivity), .epsilon = epsilon_of(epsilon)})
      .value();
}

// Pr[Z = z] = (1-q)/(1+q) q^|z|
Interval mass(const Rational& scale, Int128 z) {
  const Interval one = Interval::around(1, 128);
  const Interval q = exp(Interval::around(Rational(-1) / scale, 128));
  const Integer size = abs(to_integer(z));
  return (one - q) / (one + q) * exp(Interval::around(-Rational(size) / scale, 128));
}

// Whether what was tabulated may be x + discrete Laplace of this scale.
bool agrees(const Tabulated<Int128>& table, Int128 x, const Rational& scale) {
  for (Int128 y = x - 6; y <= x + 6; ++y) {
    const Interval truth = mass(scale, y - x);
    if (truth.high() < table.low(y) || truth.low() > table.high(y)) return false;
  }
  return true;
}

Tabulated<Int128> tabulate_laplace(const Laplace& mechanism, Int128 value) {
  const Sensitive<Int128> sealed(value);
  return tabulate<6>(18,
                     [&](auto& tape) { return Door::replay(mechanism, sealed, tape).outcome(); });
}

TEST(Laplace, IsTheTheoremsDistributionOnEveryTape) {
  for (const char* epsilon : {"1", "3/2", "1/3"}) {
    const Laplace mechanism = laplace("1", epsilon);
    const Tabulated<Int128> table = tabulate_laplace(mechanism, 41);
    EXPECT_LT(table.cut_off, rational("0.05")) << epsilon;
    EXPECT_TRUE(agrees(table, 41, mechanism.scale().value())) << epsilon;
    // Planted: a value off by one, and a scale off by a fifth, are seen.
    EXPECT_FALSE(agrees(table, 42, mechanism.scale().value())) << epsilon;
    EXPECT_FALSE(agrees(table, 41, mechanism.scale().value() * rational("6/5"))) << epsilon;
  }
}

TEST(Laplace, NeighboursDifferByAtMostEpsilonOnEveryTape) {
  const Laplace mechanism = laplace("1", "1");
  const Tabulated<Int128> a = tabulate_laplace(mechanism, 0);
  const Tabulated<Int128> b = tabulate_laplace(mechanism, 1);
  const Rational ratio = upper_bound(exp_real(1));
  for (Int128 y = -5; y <= 6; ++y) {
    EXPECT_LE(a.low(y), ratio * b.high(y));
    EXPECT_LE(b.low(y), ratio * a.high(y));
  }
}

TEST(Laplace, CostsEpsilonAndHalfItsSquare) {
  const Cost cost = laplace("3", "1/2").cost();
  EXPECT_EQ(cost.epsilon->value(), rational("1/2"));
  EXPECT_EQ(cost.rho->value(), rational("1/8"));
  EXPECT_EQ(cost.delta.value(), Rational(0));
}

TEST(Laplace, NameCarriesEveryParameterOfPrivacy) {
  EXPECT_EQ(laplace("1", "1/2").noise().text, "discrete-laplace(scale=2,sensitivity=1)");
  EXPECT_NE(laplace("1", "1/2").noise(), laplace("2", "1").noise());
  EXPECT_NE(laplace("1", "1").noise(), laplace_vector("1", "1").noise());
}

RC_GTEST_PROP(LaplacePrivacyMap, IsZeroAtZeroMonotoneAndExactAtTheSensitivity, ()) {
  const auto positive = rc::gen::inRange(1, 100000);
  const Rational sensitivity = Rational::ratio(*positive, *positive);
  const Rational epsilon = Rational::ratio(*positive, *positive);
  const auto mechanism = Laplace::make(
      {.sensitivity = Sensitivity::trusted(sensitivity), .epsilon = Epsilon::trusted(epsilon)});
  RC_ASSERT(mechanism.has_value());
  RC_ASSERT(mechanism->privacy_map(0) == Rational(0));
  RC_ASSERT(mechanism->privacy_map(sensitivity) == epsilon);
  const Rational near = Rational::ratio(*positive, *positive);
  RC_ASSERT(mechanism->privacy_map(near) < mechanism->privacy_map(near + Rational(1)));
}

TEST(Laplace, RefusesAScaleThatItCannotDraw) {
  EXPECT_FALSE(Laplace::make({.sensitivity = sensitivity_of("1e13"), .epsilon = epsilon_of("1")}));
  EXPECT_FALSE(Laplace::make({.sensitivity = sensitivity_of("1"), .epsilon = epsilon_of("1e-20")}));
}

TEST(Laplace, AccuracyIsTheExactHalfWidth) {
  const auto accuracy = laplace("1", "1").accuracy(default_confidence());
  EXPECT_EQ(accuracy->half_width, Rational(3));
  EXPECT_EQ(accuracy->confidence, default_confidence());
}

TEST(Laplace, SaturatesOnlyTheAnswer) {
  const Laplace mechanism = laplace("1", "1");
  for (const Int128 value : {kInt128Max, kInt128Min, kAnswerMax, -kAnswerMax}) {
    const auto answer =
        Door::release(mechanism, Sensitive<Int128>(value), OwnValues::for_use_of(mechanism));
    ASSERT_TRUE(answer);
    EXPECT_LE(answer->value(), kAnswerMax);
    EXPECT_GE(answer->value(), -kAnswerMax);
  }
}

// 10^5 releases: outside the 1 - 10^-12 interval with probability below 10^-7.
TEST(Laplace, ReleasesStayInTheirInterval) {
  const Laplace mechanism = laplace("1", "1/10");
  const Confidence confidence = confidence_of("0.999999999999");
  const Rational width = mechanism.accuracy(confidence)->half_width;
  const LaplaceVector vector = laplace_vector("1", "1/10");
  const auto answers = Door::release(vector, Sensitive(std::vector<std::int64_t>(100000, 1000)),
                                     OwnValues::for_use_of(vector));
  ASSERT_TRUE(answers);
  for (const std::int64_t y : answers->value()) EXPECT_LE((Rational(y) - 1000).abs(), width);
}

// The law of saturation.h, against sums in unbounded integers, near every edge there is.
TEST(AddNoise, IsAFunctionOfTheExactSum) {
  const Integer limit = to_integer(kAnswerMax);
  const Integer word = to_integer(kInt128Max);
  const auto clamp = [](const Integer& x, const Integer& m) {
    return Integer(x > m ? m : (x < -m ? Integer(-m) : x));
  };
  std::vector<Integer> edges = {0, 1, -1};
  for (const Integer& edge : {limit, word, Integer(word + limit), Integer(2 * word)}) {
    for (int d = -2; d <= 2; ++d) {
      edges.push_back(edge + d);
      edges.push_back(-edge + d);
    }
  }
  for (const Integer& x : edges) {
    if (!fits_int128(x)) continue;
    for (const Integer& z : edges) {
      const Integer expected = clamp(clamp(x, limit) + z, limit);
      EXPECT_EQ(to_integer(add_noise(to_int128(x), to_int128(clamp(z, word)))), expected);
    }
  }
}

TEST(AddNoiseToEntry, IsAFunctionOfTheExactSum) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const auto clamp = [](Int128 x, Int128 m) { return std::clamp(x, -m, m); };
  std::vector<Int128> edges = {0, 1, -1};
  for (const Int128 edge : {Int128{kEntryMax}, Int128{kMax}, Int128{kMax} + kEntryMax}) {
    for (int d = -2; d <= 2; ++d) {
      edges.push_back(edge + d);
      edges.push_back(-edge + d);
    }
  }
  for (const Int128 x : edges) {
    if (x != saturate_to_int64(x)) continue;
    for (const Int128 z : edges) {
      const Int128 expected = clamp(clamp(x, kEntryMax) + z, kEntryMax);
      EXPECT_EQ(Int128{add_noise_to_entry(saturate_to_int64(x), saturate_to_int64(z))}, expected);
    }
  }
}

TEST(LaplaceVector, DrawsEachEntryAsLaplaceWould) {
  const LaplaceVector vector = laplace_vector("1", "2");
  const Sensitive sealed(std::vector<std::int64_t>{5, -3});
  const auto table =
      tabulate<4>(20, [&](auto& tape) { return Door::replay(vector, sealed, tape).outcome(); });
  EXPECT_LT(table.cut_off, rational("0.05"));
  for (std::int64_t a = 4; a <= 6; ++a) {
    for (std::int64_t b = -4; b <= -2; ++b) {
      const Interval both = mass(rational("1/2"), a - 5) * mass(rational("1/2"), b + 3);
      EXPECT_LE(table.low({a, b}), both.high());
      EXPECT_GE(table.high({a, b}), both.low());
    }
  }
}

TEST(LaplaceVector, TakesAnyLengthAndKeepsIt) {
  const LaplaceVector vector = laplace_vector("2", "1");
  for (const std::size_t n : {0, 1, 2, 1000}) {
    const auto answer = Door::release(vector, Sensitive(std::vector<std::int64_t>(n, 7)),
                                      OwnValues::for_use_of(vector));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->value().size(), n);
  }
  EXPECT_EQ(LaplaceVector::describe({1, -2, 3}), "1 -2 3");
  EXPECT_EQ(LaplaceVector::coordinates({4, 5}), (std::vector<Int128>{4, 5}));
}

}  // namespace
}  // namespace discreet::mechanism::laplace_test
