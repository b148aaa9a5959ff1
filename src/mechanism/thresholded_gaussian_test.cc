// SPDX-License-Identifier: Apache-2.0
#include "mechanism/thresholded_gaussian.h"

#include <gtest/gtest.h>

#include "mechanism/brackets_for_tests.h"
#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"

namespace discreet::mechanism::thresholded_gaussian_test {
namespace {

using Shown = std::optional<Int128>;

Result<ThresholdedGaussian> attempt(const char* rho, const char* delta,
                                    const char* sensitivity = "1") {
  return ThresholdedGaussian::make({.rho = *Rho::parse(rho),
                                    .delta = *Delta::parse(delta),
                                    .sensitivity = *Sensitivity::parse(sensitivity)});
}

Tabulated<Shown> table(const ThresholdedGaussian& mechanism, Int128 x) {
  return tabulate<6>(20, [&](auto& tape) {
    return Door::replay(mechanism, Sensitive<Int128>(x), tape).outcome();
  });
}

Shown released(const ThresholdedGaussian& mechanism, Int128 x) {
  return Door::release(mechanism, Sensitive<Int128>(x), cli::OwnValues::for_use_of(mechanism))
      ->value();
}

Interval weight(const Rational& variance, long z) {
  return exp(interval(-Rational(z) * Rational(z) / (2 * variance)));
}

/// Pr[Z >= t], t >= 1, for sigma up to about 30: terms beyond 40 sigma are below e^-800.
struct ExactTail {
  Rational variance;
  Interval total = interval(0);
  long last;
  explicit ExactTail(const Rational& v) : variance(v) {
    last = 2;
    while (Rational(last) * Rational(last) < 1600 * v) ++last;
    for (long z = -last; z <= last; ++z) total = total + weight(variance, z);
  }
  Interval operator()(long t) const {
    Interval sum = interval(0);
    for (long z = t; z <= std::max(last, t); ++z) sum = sum + weight(variance, z);
    return sum / total;
  }
};

TEST(ThresholdedGaussian, TheThresholdIsSafeAndCloseToTheLeast) {
  for (const char* rho : {"5", "1/2", "1/8", "1/50", "1/1000"}) {  // sigma 0.3 to 22
    const Rational variance = 1 / (2 * Rho::parse(rho)->value());
    const ExactTail tail(variance);
    for (const char* delta : {"1e-12", "1e-6", "0.01", "0.3"}) {
      const Interval allowed = interval(Delta::parse(delta)->value());
      const long jump = static_cast<long>(attempt(rho, delta)->threshold()) - 1;
      ASSERT_GE(jump, 1);
      EXPECT_TRUE(certainly_less(tail(jump), allowed)) << rho << ' ' << delta;
      // At sigma 5 and 22 the off-by-one mutant is caught; for narrow noise one step is spare.
      const long spare = variance >= 25 ? 1 : 2;
      if (jump > spare) {
        EXPECT_TRUE(certainly_less(allowed, tail(jump - spare))) << rho << ' ' << delta;
      }
    }
  }
}

TEST(ThresholdedGaussian, AllTapesGiveTheNoisyCountOrNothing) {
  const auto mechanism = *attempt("1/2", "0.1");  // sigma 1
  const Int128 threshold = mechanism.threshold();
  ASSERT_EQ(threshold, 3);
  const ExactTail noise(Rational(1));
  for (const Int128 x : {1, 2, 4}) {
    const auto seen = table(mechanism, x);
    EXPECT_LT(seen.cut_off, ratio(1, 10));
    for (Int128 y = threshold; y < 8; ++y) {
      const Interval p = weight(Rational(1), static_cast<long>(y - x)) / noise.total;
      EXPECT_TRUE(agrees(seen, Shown(y), p));
    }
    EXPECT_EQ(seen.mass.count(Shown(threshold - 1)), 0u);
  }
  EXPECT_EQ(table(mechanism, 0).mass.size(), 1u);
  EXPECT_EQ(table(mechanism, 0).mass.count(std::nullopt), 1u);
}

TEST(ThresholdedGaussian, ASingleUnitsKeyAppearsWithinDeltaAndTheMutantsDoesNot) {
  const auto mechanism = *attempt("1/2", "0.1");
  const auto shown = [&](Int128 x) {
    Rational sum;
    for (const auto& [outcome, mass] : table(mechanism, x).mass) {
      if (outcome) sum = sum + mass;
    }
    return sum;
  };
  EXPECT_EQ(shown(0), Rational(0));
  EXPECT_LE(shown(1), ratio(1, 10));
  EXPECT_GT(shown(2), ratio(1, 10));  // a threshold one lower
}

TEST(ThresholdedGaussian, AbsentKeysNeverAppearAndLargeOnesDo) {
  const auto mechanism = *attempt("1/100", "1e-9", "3");
  const Integer sure = mechanism.shown_from(*Confidence::parse("0.999999999999"));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(released(mechanism, 0));
    EXPECT_FALSE(released(mechanism, kInt128Min));
    EXPECT_TRUE(released(mechanism, to_int128(sure)));
    EXPECT_TRUE(released(mechanism, kInt128Max));
  }
}

TEST(ThresholdedGaussian, CostsRhoAndDeltaAndClaimsNoEpsilon) {
  const auto mechanism = *attempt("1/8", "1e-6", "2");
  EXPECT_FALSE(mechanism.cost().epsilon);
  EXPECT_EQ(mechanism.cost().rho->value(), ratio(1, 8));
  EXPECT_EQ(mechanism.cost().delta.value(), ratio(1, 1'000'000));
  EXPECT_EQ(mechanism.noise().text, "thresholded-gaussian(variance=16,sensitivity=2,threshold=" +
                                        to_string(mechanism.threshold()) + ")");
}

TEST(ThresholdedGaussian, RefusesWhatCannotBePrivate) {
  const auto none = attempt("1", "0");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("delta above 0"), std::string::npos);
  EXPECT_FALSE(attempt("1", "1e-6", "3/2"));
  EXPECT_FALSE(attempt("1e-30", "1e-6"));
  EXPECT_FALSE(attempt("1e30", "1e-6"));
  EXPECT_TRUE(attempt("1", "1e-1000"));
}

}  // namespace
}  // namespace discreet::mechanism::thresholded_gaussian_test
