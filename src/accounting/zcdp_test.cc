// SPDX-License-Identifier: Apache-2.0
#include "accounting/zcdp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "accounting/conversion.h"
#include "accounting/gaussian_dp.h"
#include "accounting/outward.h"

namespace discreet::accounting::zcdp_test {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

TEST(Zcdp, EachMechanismHasItsRho) {
  EXPECT_EQ(zcdp_of(Gaussian{2})->rho, number("1/8"));
  EXPECT_EQ(zcdp_of(DiscreteGaussian{2})->rho, number("1/8"));
  EXPECT_EQ(zcdp_of(Laplace{number("0.1")})->rho, number("0.005"));
  EXPECT_EQ(zcdp_of(Exponential{number("0.4")})->rho, number("0.02"));
  EXPECT_EQ(zcdp_of(PermuteAndFlip{number("0.4")})->rho, number("0.08"));
  EXPECT_EQ(zcdp_of(Generic{number("0.4"), number("1e-9")})->rho, number("0.08"));
  EXPECT_EQ(zcdp_of(Generic{number("0.4"), number("1e-9")})->delta, number("1e-9"));
  EXPECT_FALSE(zcdp_of(SubsampledGaussian{1, number("0.5")}));
  EXPECT_FALSE(zcdp_of(SubsampledLaplace{1, number("0.5")}));
}

TEST(Zcdp, SumsAreExact) {
  EXPECT_EQ(zcdp_of({{Laplace{number("0.1")}, 10'000'000}, {Gaussian{10}, 3}})->rho,
            number("50000.015"));
}

// The conversion is compared with a fine grid over all orders of its own formula, and with the
// older bound.
TEST(Zcdp, ConversionIsTheBestOrderAndBeatsTheClassicalOne) {
  for (const char* rho : {"1e-9", "0.005", "0.1", "1", "30", "500"}) {
    for (const char* delta : {"0.1", "1e-6", "1e-18"}) {
      const double ours = zcdp_epsilon({number(rho), 0}, number(delta));
      const double r = number(rho).to_double(Round::kDown);
      const double log_delta = std::log(number(delta).to_double(Round::kDown));
      double best = 1e300;
      for (double x = -25; x < 30; x += 0.01) {
        const double order = 1 + std::exp(x);
        best = std::min(best, epsilon_guess(order, r * order, log_delta));
      }
      EXPECT_LE(ours, std::max(0.0, best) * (1 + 1e-9) + 1e-12);
      EXPECT_GE(ours, std::max(0.0, best) * (1 - 1e-3));
      EXPECT_LE(ours, zcdp_epsilon_classical(number(rho), number(delta)));
    }
  }
}

TEST(Zcdp, IsAboveTheExactGaussian) {
  for (const char* sigma : {"1", "10", "300"}) {
    const std::vector<Use> uses = {{Gaussian{number(sigma)}, 100}};
    for (const char* delta : {"0.01", "1e-6", "1e-15"}) {
      EXPECT_GE(zcdp_epsilon(*zcdp_of(uses), number(delta)),
                GaussianDp::of(uses)->epsilon(number(delta)).lower);
    }
    for (const char* epsilon : {"0", "0.5", "2", "40"}) {
      EXPECT_GE(zcdp_delta(*zcdp_of(uses), number(epsilon)),
                GaussianDp::of(uses)->delta(number(epsilon)).lower);
    }
  }
}

TEST(Zcdp, EpsilonAndDeltaAgree) {
  const Zcdp cost{number("0.1"), 0};
  const double epsilon = zcdp_epsilon(cost, number("1e-6"));
  EXPECT_NEAR(zcdp_delta(cost, exactly(epsilon)), 1e-6, 1e-9);
}

TEST(Zcdp, WhatIsSetAsideComesOutOfDelta) {
  EXPECT_GT(zcdp_epsilon({number("0.1"), number("5e-7")}, number("1e-6")),
            zcdp_epsilon({number("0.1"), 0}, number("1e-6")));
  EXPECT_TRUE(std::isinf(zcdp_epsilon({number("0.1"), number("1e-6")}, number("1e-6"))));
  EXPECT_GE(zcdp_delta({number("0.1"), number("0.25")}, 100), 0.25);
  EXPECT_EQ(zcdp_delta({number("0.1"), 2}, 100), 1);
}

TEST(Zcdp, RhoForATargetFitsAndIsTheLargest) {
  for (const char* epsilon : {"0.01", "1", "20"}) {
    const Rational rho = zcdp_rho_for(number(epsilon), number("1e-6"));
    EXPECT_LE(zcdp_epsilon({rho, 0}, number("1e-6")), number(epsilon).to_double(Round::kUp));
    EXPECT_GT(zcdp_epsilon({rho * number("1.0001"), 0}, number("1e-6")),
              number(epsilon).to_double(Round::kUp));
  }
}

TEST(Zcdp, HoldsAtTheLimits) {
  for (const char* rho : {"1e-25", "1e33"}) {
    for (const char* delta : {"0.999", "1e-18", "1e-300"}) {
      const double epsilon = zcdp_epsilon({number(rho), 0}, number(delta));
      EXPECT_TRUE(std::isfinite(epsilon)) << rho << " " << delta;
      EXPECT_GE(epsilon, 0);
      EXPECT_LE(epsilon, zcdp_epsilon_classical(number(rho), number(delta)) * (1 + 1e-11));
    }
  }
}

}  // namespace
}  // namespace discreet::accounting::zcdp_test
