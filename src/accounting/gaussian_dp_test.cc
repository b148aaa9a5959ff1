// SPDX-License-Identifier: Apache-2.0
#include "accounting/gaussian_dp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "accounting/outward.h"

namespace discreet::accounting::gaussian_dp_test {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

double phi(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

TEST(GaussianDp, MatchesTheExactAnchors) {
  struct Case {
    const char* sigma;
    std::uint64_t count;
    double epsilon;
    double tolerance;
  };
  for (const Case& c : {Case{"100", 1000, 1.367571, 1e-6}, Case{"1", 1000, 649.385, 1e-3},
                        Case{"100", 10000, 4.886554, 1e-6}}) {
    const Bounds b =
        GaussianDp::of({{Gaussian{number(c.sigma)}, c.count}})->epsilon(number("1e-6"));
    EXPECT_LE(b.lower, b.upper);
    EXPECT_NEAR(b.upper, c.epsilon, c.tolerance);
    EXPECT_LE(b.upper - b.lower, 1e-11 * b.upper);
  }
}

TEST(GaussianDp, DeltaBracketsThePlainFormula) {
  for (const double mu : {0.1, 1.0, 3.0}) {
    const GaussianDp g = GaussianDp::of_mu_squared(exactly(mu) * exactly(mu));
    for (const double e : {0.0, 0.3, 1.0, 4.0}) {
      const Bounds b = g.delta(exactly(e));
      const double plain = phi(-e / mu + mu / 2) - std::exp(e) * phi(-e / mu - mu / 2);
      EXPECT_LE(b.lower, b.upper);
      EXPECT_NEAR(b.upper, plain, 1e-13);
      EXPECT_NEAR(b.lower, plain, 1e-13);
    }
  }
}

TEST(GaussianDp, EpsilonAndDeltaAreInverses) {
  for (const char* mu2 : {"1e-20", "1e-4", "1", "100", "1e12"}) {
    const GaussianDp g = GaussianDp::of_mu_squared(number(mu2));
    for (const char* delta : {"0.1", "1e-6", "1e-18", "1e-100"}) {
      const Bounds e = g.epsilon(number(delta));
      ASSERT_TRUE(std::isfinite(e.upper));
      EXPECT_LE(e.lower, e.upper);
      EXPECT_LE(e.upper - e.lower, 1e-9 * e.upper);
      EXPECT_LE(g.delta(exactly(e.upper)).upper, number(delta).to_double(Round::kUp));
      if (e.lower > 0) {
        EXPECT_GE(g.delta(exactly(e.lower)).lower, number(delta).to_double(Round::kDown));
      }
    }
  }
}

TEST(GaussianDp, FarTailsAgreeWithNearOnes) {
  // mu is just below and just above where the product of e^eps and the tail is taken as one number.
  for (const char* mu : {"32700", "32800"}) {
    const GaussianDp g = GaussianDp::of_mu_squared(number(mu) * number(mu));
    const double m = number(mu).to_double(Round::kDown);
    const Bounds b = g.delta(exactly(m * m / 2));  // a = 0
    EXPECT_LE(b.upper - b.lower, 1e-9);
    EXPECT_NEAR(b.upper, 0.5 - 0.3989422804 / m, 1e-9);
  }
}

TEST(GaussianDp, CompositionAddsSquaresAndGroupsMultiply) {
  const GaussianDp one = GaussianDp::of_mu_squared(number("0.04"));
  const GaussianDp four = one.composed(one).composed(one).composed(one);
  EXPECT_NEAR(four.mu().upper, 0.4, 1e-15);
  EXPECT_NEAR(one.group(2).mu().upper, 0.4, 1e-15);
  EXPECT_NEAR(four.epsilon(number("1e-6")).upper, one.group(2).epsilon(number("1e-6")).upper,
              1e-11);
}

TEST(GaussianDp, TradeOffCurveIsTheDefinition) {
  const GaussianDp g = GaussianDp::of_mu_squared(1);
  EXPECT_EQ(g.trade_off(0).lower, 1);
  EXPECT_EQ(g.trade_off(1).upper, 0);
  // Phi(Phi^-1(1/2) - 1) = Phi(-1); and alpha = Phi(-1) = 0.15865525393145707 gives 1/2.
  EXPECT_NEAR(g.trade_off(number("0.5")).lower, 0.15865525393145707, 1e-12);
  EXPECT_NEAR(g.trade_off(number("0.15865525393145707")).upper, 0.5, 1e-12);
  EXPECT_NEAR(g.trade_off(number("0.8413447460685429")).upper, 0.02275013194817921, 1e-12);
  double last = 1;
  for (int i = 1; i < 20; ++i) {
    const Bounds b = g.trade_off(Rational::ratio(i, 20));
    EXPECT_LE(b.lower, b.upper);
    EXPECT_LT(b.upper, last);
    last = b.lower;
  }
}

TEST(GaussianDp, IsOnlyForGaussians) {
  EXPECT_FALSE(GaussianDp::of({{Gaussian{1}, 1}, {Laplace{1}, 1}}));
  EXPECT_FALSE(GaussianDp::of({{DiscreteGaussian{1}, 1}}));
  EXPECT_FALSE(GaussianDp::of({{SubsampledGaussian{1, number("0.5")}, 1}}));
  EXPECT_TRUE(GaussianDp::of({{SubsampledGaussian{1, 1}, 1}}));
}

TEST(NormalTail, SeriesAgreesWithErfc) {
  // On both sides of the switch at 12; the reference is erfc by MPFR.
  for (const char* z : {"11.999", "12.001", "20", "37.5"}) {
    const Interval x = at(number(z));
    const Interval plain = at(number("0.5")) * erfc(x / sqrt(at(2)));
    const Interval ours = normal_tail(x);
    EXPECT_FALSE(certainly_less(plain, ours));
    EXPECT_FALSE(certainly_less(ours, plain));
    EXPECT_LE(up(ours), down(ours) * (1 + 1e-15));
  }
}

TEST(Outward, EndsFarOutsideDoublesAreHandled) {
  EXPECT_EQ(up(exp(at(1e12))), std::numeric_limits<double>::infinity());
  EXPECT_GT(down(exp(at(1e12))), 1e300);
  EXPECT_LE(down(exp(at(-1e12))), 0);
  EXPECT_GT(down(exp(at(-1e12))), -1e-300);
  EXPECT_GT(up(exp(at(-1e12))), 0);
  EXPECT_LT(up(exp(at(-1e12))), 1e-300);
  EXPECT_LE(down(at(number("0.1"))), 0.1);
  EXPECT_GE(up(at(number("0.1"))), 0.1);
}

}  // namespace
}  // namespace discreet::accounting::gaussian_dp_test
