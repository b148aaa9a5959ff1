// SPDX-License-Identifier: Apache-2.0
#include "accounting/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "accounting/outward.h"

namespace discreet::accounting::calibrate_test {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }
Target target(const char* epsilon, const char* delta) {
  return {number(epsilon), *Delta::parse(delta)};
}

TEST(Calibrate, GaussianMeetsTheTargetAndIsTheLeast) {
  for (const Notion notion : {Notion::kBest, Notion::kZcdp, Notion::kRenyi}) {
    for (const char* epsilon : {"0.1", "1", "30"}) {
      const Calibrated c = *calibrate_gaussian(target(epsilon, "1e-6"), 1000, notion);
      const double wanted = number(epsilon).to_double(Round::kUp);
      EXPECT_LE(c.epsilon.upper, wanted);
      const std::vector<Use> less = {{Gaussian{c.noise * number("0.9999")}, 1000}};
      EXPECT_GT(epsilon_of(less, *Delta::parse("1e-6"), notion).upper, wanted);
    }
  }
}

TEST(Calibrate, TheAnchorComesBack) {
  EXPECT_NEAR(calibrate_gaussian(target("1.367571475", "1e-6"), 1000)->noise.to_double(Round::kUp),
              100, 1e-3);
}

TEST(Calibrate, LaplaceAtDeltaZeroIsBasicComposition) {
  const Calibrated c = *calibrate_laplace(target("2", "0"), 10);
  EXPECT_NEAR(c.noise.to_double(Round::kUp), 5, 1e-4);
  EXPECT_LE(c.epsilon.upper, 2);
}

TEST(Calibrate, SampledGaussiansMeetTheTarget) {
  const Calibrated c =
      *calibrate_subsampled(target("1", "1e-6"), 10'000, number("0.01"), Notion::kRenyi);
  EXPECT_LE(c.epsilon.upper, 1);
  EXPECT_NEAR(c.noise.to_double(Round::kUp), 4.607, 0.01);
}

TEST(Calibrate, SaysWhenItCannot) {
  EXPECT_FALSE(calibrate_gaussian(target("1", "0"), 1).has_value());
  EXPECT_FALSE(calibrate_gaussian(target("-1", "1e-6"), 1).has_value());
  EXPECT_FALSE(calibrate_gaussian(target("1", "1e-6"), 0).has_value());
  EXPECT_FALSE(calibrate_subsampled(target("1", "1e-6"), 10, 2).has_value());
  EXPECT_FALSE(
      calibrate_subsampled(target("1", "1e-6"), 10, number("0.5"), Notion::kZcdp).has_value());
}

TEST(Calibrate, NoiseForAnError) {
  const Confidence c = *Confidence::parse("0.95");
  const double scale = laplace_scale_for_error(3, c)->to_double(Round::kDown);
  EXPECT_LE(std::exp(-3 / scale), 0.05 * (1 + 1e-12));
  EXPECT_NEAR(scale, 3 / std::log(20.0), 1e-12);
  const double sigma =
      gaussian_sigma_for_error(number("1.959963984540054"), c)->to_double(Round::kDown);
  EXPECT_NEAR(sigma, 1, 1e-12);
  EXPECT_FALSE(laplace_scale_for_error(0, c).has_value());
  EXPECT_FALSE(gaussian_sigma_for_error(-1, c).has_value());
}

}  // namespace
}  // namespace discreet::accounting::calibrate_test
