// SPDX-License-Identifier: Apache-2.0
// Gaussian, GaussianVector and RoundedGaussian.
#include "mechanism/gaussian.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mechanism/calibration.h"
#include "mechanism/door.h"
#include "mechanism/gaussian_vector.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/rounded_gaussian.h"
#include "mechanism/tails.h"
#include "mechanism/tape_for_tests.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::gaussian_test {
namespace {

using cli::OwnValues;

Gaussian gaussian(const char* squared, const char* rho) {
  return Gaussian::make({.sensitivity_squared = l2_squared_of(squared), .rho = rho_of(rho)})
      .value();
}

RoundedGaussian rounded(const char* sensitivity, const char* epsilon, const char* delta) {
  return RoundedGaussian::make({.sensitivity = sensitivity_of(sensitivity),
                                .epsilon = epsilon_of(epsilon),
                                .delta = delta_of(delta)})
      .value();
}

// Pr[Z = z] ~ exp(-z^2 / 2 sigma^2)
Interval discrete_mass(const Rational& variance, int z) {
  const auto weight = [&](int y) {
    return exp(Interval::around(Rational(-y * y) / variance / Rational(2), 128));
  };
  Interval total = weight(0);
  for (int y = 1; y < 60; ++y) total = total + weight(y) + weight(y);
  return weight(z) / total;
}

// Pr[z - 1/2 <= N(0, sigma^2) < z + 1/2]
Interval rounded_mass(const Variance& variance, int z) {
  if (z == 0) return Interval::around(1, 128) - gaussian_tail(variance, 1)(128);
  const Integer size = z < 0 ? -z : z;
  return (gaussian_tail(variance, size)(128) - gaussian_tail(variance, size + 1)(128)) /
         Interval::around(2, 128);
}

template <class M, class Mass>
bool agrees(const M& mechanism, Int128 value, const Mass& mass) {
  const Sensitive<Int128> sealed(value);
  const auto table =
      tabulate<5>(18, [&](auto& tape) { return Door::replay(mechanism, sealed, tape).outcome(); });
  if (table.cut_off > rational("0.05")) return false;
  for (int z = -5; z <= 5; ++z) {
    const Interval truth = mass(z);
    if (truth.high() < table.low(value + z) || truth.low() > table.high(value + z)) return false;
  }
  return true;
}

TEST(Gaussian, IsTheTheoremsDistributionOnEveryTape) {
  for (const char* rho : {"1/2", "2"}) {
    const Gaussian mechanism = gaussian("1", rho);
    const Rational variance = mechanism.sigma_squared().value();
    EXPECT_TRUE(agrees(mechanism, -7, [&](int z) { return discrete_mass(variance, z); })) << rho;
    // Planted: a variance off by a fifth is seen.
    EXPECT_FALSE(agrees(mechanism, -7, [&](int z) {
      return discrete_mass(variance * rational("6/5"), z);
    })) << rho;
  }
}

TEST(Gaussian, CostsRhoAndClaimsNoEpsilon) {
  const Cost cost = gaussian("3", "1/10").cost();
  EXPECT_FALSE(cost.epsilon.has_value());
  EXPECT_EQ(cost.rho->value(), rational("1/10"));
  EXPECT_EQ(cost.delta.value(), Rational(0));
  EXPECT_EQ(gaussian("3", "1/10").sigma_squared().value(), Rational(15));
  EXPECT_EQ(gaussian("3", "1/10").noise().text,
            "discrete-gaussian(sigma_squared=15,sensitivity_squared=3)");
}

RC_GTEST_PROP(GaussianPrivacyMap, IsZeroAtZeroMonotoneAndExactAtTheSensitivity, ()) {
  const auto positive = rc::gen::inRange(1, 100000);
  const Rational squared = Rational::ratio(*positive, *positive);
  const Rational rho = Rational::ratio(*positive, *positive);
  const auto mechanism = Gaussian::make(
      {.sensitivity_squared = L2Squared::trusted(squared), .rho = Rho::trusted(rho)});
  RC_ASSERT(mechanism.has_value());
  RC_ASSERT(mechanism->privacy_map(0) == Rational(0));
  RC_ASSERT(mechanism->privacy_map(squared) == rho);
  RC_ASSERT(mechanism->privacy_map(squared) < mechanism->privacy_map(squared + Rational(1)));
}

TEST(Gaussian, RefusesAVarianceThatItCannotDraw) {
  EXPECT_FALSE(Gaussian::make({.sensitivity_squared = l2_squared_of("1"), .rho = rho_of("1e-30")}));
  EXPECT_FALSE(Gaussian::make({.sensitivity_squared = l2_squared_of("1"), .rho = rho_of("1e30")}));
}

// 10^5 draws: outside the 1 - 10^-12 interval with probability below 10^-7.
TEST(GaussianVector, StaysInItsIntervalAndKeepsItsLength) {
  const auto vector =
      GaussianVector::make({.sensitivity_squared = l2_squared_of("1"), .rho = rho_of("1/200")});
  ASSERT_TRUE(vector);
  const Rational width = vector->accuracy(confidence_of("0.999999999999"))->half_width;
  EXPECT_EQ(width, Rational(71));  // 7.13 sigma
  const auto answers = Door::release(*vector, Sensitive(std::vector<std::int64_t>(100000, -50)),
                                     OwnValues::for_use_of(*vector));
  ASSERT_TRUE(answers);
  EXPECT_EQ(answers->value().size(), 100000u);
  for (const std::int64_t y : answers->value()) EXPECT_LE((Rational(y) + 50).abs(), width);
  EXPECT_NE(vector->noise(), gaussian("1", "1/200").noise());
}

TEST(GaussianVector, DrawsEachEntryAsGaussianWould) {
  const auto vector =
      GaussianVector::make({.sensitivity_squared = l2_squared_of("1"), .rho = rho_of("1")});
  const Sensitive sealed(std::vector<std::int64_t>{5, -3});
  const auto table =
      tabulate<4>(20, [&](auto& tape) { return Door::replay(*vector, sealed, tape).outcome(); });
  EXPECT_LT(table.cut_off, rational("0.05"));
  for (int a = -1; a <= 1; ++a) {
    for (int b = -1; b <= 1; ++b) {
      const Interval both = discrete_mass(rational("1/2"), a) * discrete_mass(rational("1/2"), b);
      EXPECT_LE(table.low({5 + a, -3 + b}), both.high());
      EXPECT_GE(table.high({5 + a, -3 + b}), both.low());
    }
  }
}

TEST(RoundedGaussian, IsTheTheoremsDistributionOnEveryTape) {
  for (const char* epsilon : {"3", "8"}) {
    const RoundedGaussian mechanism = rounded("1", epsilon, "0.01");
    const Variance variance = mechanism.sigma_squared();
    EXPECT_TRUE(agrees(mechanism, 9, [&](int z) { return rounded_mass(variance, z); })) << epsilon;
    const Variance wrong = Variance::trusted(variance.value() * rational("6/5"));
    EXPECT_FALSE(agrees(mechanism, 9, [&](int z) { return rounded_mass(wrong, z); })) << epsilon;
  }
}

// (epsilon, delta) of the integer mechanism itself: sum over y of (p(y) - e^epsilon p(y - 1))+,
// which rounding can only have lowered.
TEST(RoundedGaussian, PaysAtMostItsDelta) {
  const RoundedGaussian mechanism = rounded("1", "1", "1e-3");
  const Interval ratio = exp(Interval::around(1, 128));
  Rational sum;
  for (int y = -40; y <= 40; ++y) {
    const Interval gap = rounded_mass(mechanism.sigma_squared(), y) -
                         ratio * rounded_mass(mechanism.sigma_squared(), y + 1);
    if (gap.high().sign() > 0) sum = sum + gap.high();
  }
  EXPECT_LE(sum, rational("1e-3"));
  EXPECT_GT(sum, rational("9e-4"));
}

TEST(RoundedGaussian, CostsEpsilonDeltaAndItsTrueRho) {
  const RoundedGaussian mechanism = rounded("2", "1", "1e-6");
  const Cost cost = mechanism.cost();
  EXPECT_EQ(cost.epsilon->value(), Rational(1));
  EXPECT_EQ(cost.delta.value(), rational("1e-6"));
  EXPECT_EQ(cost.rho->value(), Rational(2) / mechanism.sigma_squared().value());
  EXPECT_TRUE(mechanism.noise().text.starts_with("rounded-gaussian(sigma_squared="));
}

TEST(RoundedGaussian, ReleasesThroughTheDoor) {
  const RoundedGaussian mechanism = rounded("1", "1", "1e-6");
  const Confidence confidence = confidence_of("0.999999999999");
  const auto answer =
      Door::release(mechanism, Sensitive<Int128>(Int128{1000}), OwnValues::for_use_of(mechanism),
                    {.confidence = confidence, .recorder = nullptr});
  ASSERT_TRUE(answer);
  EXPECT_LE((Rational(to_integer(answer->value())) - 1000).abs(),
            answer->provenance().accuracy->half_width);
}

TEST(RoundedGaussian, RefusesADeltaOfZero) {
  EXPECT_FALSE(RoundedGaussian::make(
      {.sensitivity = sensitivity_of("1"), .epsilon = epsilon_of("1"), .delta = delta_of("0")}));
}

}  // namespace
}  // namespace discreet::mechanism::gaussian_test
