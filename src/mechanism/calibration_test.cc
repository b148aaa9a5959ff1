// SPDX-License-Identifier: Apache-2.0
#include "mechanism/calibration.h"

#include <gtest/gtest.h>

#include "mechanism/tails.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::calibration_test {
namespace {

TEST(LaplaceScale, IsExact) {
  EXPECT_EQ(laplace_scale(sensitivity_of("1"), epsilon_of("0.1"))->value(), Rational(10));
  EXPECT_EQ(laplace_scale(sensitivity_of("2/3"), epsilon_of("7"))->value(), rational("2/21"));
}

TEST(LaplaceScale, OutsideItsRangeNamesTheFix) {
  const auto large = laplace_scale(sensitivity_of("1"), epsilon_of("1e-13"));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, Code::kInvalidInput);
  EXPECT_NE(large.error().message.find("raise epsilon"), std::string::npos);
  const auto small = laplace_scale(sensitivity_of("1e-13"), epsilon_of("1"));
  ASSERT_FALSE(small);
  EXPECT_NE(small.error().message.find("lower epsilon"), std::string::npos);
  EXPECT_TRUE(laplace_scale(sensitivity_of("1"), Epsilon::trusted(power_of_two(40))));
  EXPECT_TRUE(laplace_scale(sensitivity_of("1"), Epsilon::trusted(power_of_two(-40))));
}

TEST(GaussianVariance, IsExactAndChecked) {
  EXPECT_EQ(gaussian_variance(l2_squared_of("3"), rho_of("1/10"))->value(), Rational(15));
  EXPECT_FALSE(gaussian_variance(l2_squared_of("1"), rho_of("1e-19")));
  EXPECT_FALSE(gaussian_variance(l2_squared_of("1"), rho_of("1e12")));
}

Real delta_at(const char* sensitivity, const char* epsilon, const Rational& variance) {
  return gaussian_delta(sensitivity_of(sensitivity), epsilon_of(epsilon),
                        Variance::trusted(variance));
}

// Digits from mpmath: the hockey-stick divergence, integrated numerically.
TEST(GaussianDelta, AgreesWithAnotherProgram) {
  struct Case {
    const char *sensitivity, *epsilon, *variance, *low, *high;
  };
  for (const Case& c : {
           Case{"1", "1", "13.9177", "9.99947745057597009e-6", "9.99947745057597010e-6"},
           Case{"1", "0.5", "4", "0.0524403232876696617", "0.0524403232876696618"},
           Case{"3", "2", "1/2", "0.915341028926687316", "0.915341028926687317"},
       }) {
    const Real delta = delta_at(c.sensitivity, c.epsilon, rational(c.variance));
    EXPECT_TRUE(surely_at_most(delta, rational(c.high))) << c.low;
    EXPECT_FALSE(surely_at_most(delta, rational(c.low))) << c.low;
  }
}

TEST(AnalyticGaussian, IsCertifiedAndWithinOnePartInABillionOfTheLeast) {
  for (const char* sensitivity : {"1", "1000", "1/2"}) {
    for (const char* epsilon : {"0.01", "1", "10", "1000"}) {
      for (const char* delta : {"0.4", "1e-5", "1e-12", "1e-200"}) {
        const auto variance =
            analytic_gaussian_variance({.sensitivity = sensitivity_of(sensitivity),
                                        .epsilon = epsilon_of(epsilon),
                                        .delta = delta_of(delta)});
        ASSERT_TRUE(variance) << sensitivity << " " << epsilon << " " << delta;
        EXPECT_TRUE(
            surely_at_most(delta_at(sensitivity, epsilon, variance->value()), rational(delta)));
        const Rational less = variance->value() * rational("0.999999999");
        EXPECT_FALSE(surely_at_most(delta_at(sensitivity, epsilon, less), rational(delta)))
            << sensitivity << " " << epsilon << " " << delta << " " << variance->to_string();
      }
    }
  }
}

TEST(AnalyticGaussian, GivesTheKnownDeviation) {
  const auto variance = analytic_gaussian_variance(
      {.sensitivity = sensitivity_of("1"), .epsilon = epsilon_of("1"), .delta = delta_of("1e-5")});
  // 3.7306... squared, where the classical 2 ln(1.25/delta) would take 23.47.
  EXPECT_GT(variance->value(), rational("13.9176"));
  EXPECT_LT(variance->value(), rational("13.9177"));
}

TEST(AnalyticGaussian, RefusesWhatItCannotDo) {
  const auto no_delta = analytic_gaussian_variance(
      {.sensitivity = sensitivity_of("1"), .epsilon = epsilon_of("1"), .delta = delta_of("0")});
  ASSERT_FALSE(no_delta);
  EXPECT_NE(no_delta.error().message.find("above 0"), std::string::npos);
  const auto too_wide = analytic_gaussian_variance({.sensitivity = sensitivity_of("1e12"),
                                                    .epsilon = epsilon_of("1e-3"),
                                                    .delta = delta_of("1e-9")});
  ASSERT_FALSE(too_wide);
  EXPECT_NE(too_wide.error().message.find("2^60"), std::string::npos);
}

// The ends of what can be asked for: no hang, no crash, and still certified.
TEST(AnalyticGaussian, StandsTheExtremes) {
  const auto huge_epsilon =
      analytic_gaussian_variance({.sensitivity = sensitivity_of("1"),
                                  .epsilon = Epsilon::trusted(power_of_two(40)),
                                  .delta = delta_of("1e-6")});
  ASSERT_TRUE(huge_epsilon);
  EXPECT_LT(huge_epsilon->value(), power_of_two(-39));
  EXPECT_FALSE(analytic_gaussian_variance({.sensitivity = sensitivity_of("1e500"),
                                           .epsilon = epsilon_of("1e-500"),
                                           .delta = delta_of("1e-900")}));
  const auto tiny = analytic_gaussian_variance({.sensitivity = sensitivity_of("1e-500"),
                                                .epsilon = epsilon_of("1"),
                                                .delta = delta_of("1e-900")});
  ASSERT_TRUE(tiny);
  EXPECT_EQ(tiny->value(), power_of_two(-40));
}

TEST(RoundUpToLedger, NeverRoundsDown) {
  const Real ln3 = [](int p) { return log(Interval::around(3, p)); };
  EXPECT_EQ(round_up_to_ledger(ln3), rational("1.098612288668109692"));
  EXPECT_EQ(round_up_to_ledger(real(rational("1/4"))), rational("1/4"));
  EXPECT_EQ(round_up_to_ledger(exp_real(-1000)), rational("1e-18"));
}

}  // namespace
}  // namespace discreet::mechanism::calibration_test
