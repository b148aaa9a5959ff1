// SPDX-License-Identifier: Apache-2.0
#include "accounting/composition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/outward.h"

namespace discreet::accounting::composition_test {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

/// delta of k randomized responses by going through all 2^k outcomes.
double enumerated_delta(double e, double d, int k, double epsilon) {
  const double p = std::exp(e) / (1 + std::exp(e));
  double sum = 0;
  for (int outcome = 0; outcome < (1 << k); ++outcome) {
    double mass_p = 1;
    double mass_q = 1;
    for (int i = 0; i < k; ++i) {
      const bool flipped = ((outcome >> i) & 1) != 0;
      mass_p *= flipped ? 1 - p : p;
      mass_q *= flipped ? p : 1 - p;
    }
    sum += std::max(0.0, mass_p - std::exp(epsilon) * mass_q);
  }
  return 1 - std::pow(1 - d, k) * (1 - sum);
}

TEST(Composition, BasicAddsExactly) {
  const auto sum =
      basic({{Laplace{number("0.1")}, 10'000'000}, {Generic{number("0.2"), number("1e-9")}, 3}});
  EXPECT_EQ(sum->epsilon, number("1000000.6"));
  EXPECT_EQ(sum->delta, number("3e-9"));
  EXPECT_FALSE(basic({{Gaussian{1}, 1}}));
}

TEST(Composition, ManyOddFractionsStaySmall) {
  std::vector<Use> uses;
  for (int i = 0; i < 2000; ++i) uses.push_back({Laplace{Rational::ratio(1, 100'003 + 2 * i)}, 1});
  const auto sum = basic(uses);
  EXPECT_LE(mpz_sizeinbase(sum->epsilon.denominator().get_mpz_t(), 2), 513U);
  double plain = 0;
  for (int i = 0; i < 2000; ++i) plain += 1.0 / (100'003 + 2 * i);
  EXPECT_NEAR(sum->epsilon.to_double(Round::kUp), plain, 1e-12);
}

TEST(Composition, OptimalIsTheEnumeration) {
  for (const int k : {1, 2, 7, 10}) {
    for (const double e : {0.1, 1.0, 3.0}) {
      for (const double d : {0.0, 1e-3}) {
        for (const double epsilon : {0.0, 0.05, 0.5, 2.0, 20.0}) {
          const EpsilonDelta each{exactly(e), exactly(d)};
          const Bounds b = optimal_delta(each, static_cast<std::uint64_t>(k), exactly(epsilon));
          EXPECT_LE(b.lower, b.upper);
          EXPECT_NEAR(b.upper, enumerated_delta(e, d, k, epsilon), 1e-12);
          if (b.lower > 1e-12 && b.lower > k * d * 1.001) {
            const Bounds back =
                optimal_epsilon(each, static_cast<std::uint64_t>(k), exactly(b.upper));
            EXPECT_LE(back.lower, back.upper);
            EXPECT_NEAR(back.upper, epsilon, 1e-9);
          }
        }
      }
    }
  }
}

// All outcomes of seven different responses, one by one.
TEST(Composition, LossDistributionsBracketTheOptimumOfDifferentGuarantees) {
  const char* epsilons[] = {"0.1", "0.23", "0.31", "0.47", "0.5", "0.77", "1.01"};
  std::vector<Use> uses;
  for (const char* text : epsilons) uses.push_back({Generic{Rational::parse(text).value(), 0}, 1});
  for (const double epsilon : {0.25, 0.5, 1.0, 2.0, 3.0}) {
    double delta = 0;
    for (unsigned outcome = 0; outcome < 1u << uses.size(); ++outcome) {
      double p = 1;
      double q = 1;
      for (std::size_t i = 0; i < uses.size(); ++i) {
        const double keep = 1 / (1 + std::exp(-std::stod(epsilons[i])));
        const bool kept = (outcome >> i) % 2 == 0;
        p *= kept ? keep : 1 - keep;
        q *= kept ? 1 - keep : keep;
      }
      delta += std::max(0.0, p - std::exp(epsilon) * q);
    }
    const Bounds bounds = pld_delta(uses, epsilon);
    EXPECT_LE(bounds.lower, delta * (1 + 1e-12)) << epsilon;
    EXPECT_GE(bounds.upper, delta * (1 - 1e-12)) << epsilon;
    EXPECT_LE(bounds.upper - bounds.lower, 1e-3 * delta) << epsilon;
  }
}

TEST(Composition, OptimalAtTheEdges) {
  const EpsilonDelta pure{number("0.5"), 0};
  EXPECT_DOUBLE_EQ(optimal_epsilon(pure, 10, 0).upper, 5);
  EXPECT_EQ(optimal_epsilon(pure, 10, number("0.999999")).upper, 0);
  EXPECT_TRUE(
      std::isinf(optimal_epsilon({number("0.5"), number("1e-3")}, 10, number("1e-3")).upper));
  EXPECT_NEAR(optimal_epsilon({1000, 0}, 3, number("1e-18")).upper, 3000, 1e-6);
  EXPECT_EQ(optimal_delta(pure, 10, 5).upper, 0);
}

TEST(Composition, AdvancedIsAboveOptimalAndBelowOlder) {
  for (const char* e : {"0.01", "0.1", "0.5", "2"}) {
    for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{30}, std::uint64_t{1000}}) {
      for (const char* delta : {"1e-3", "1e-6", "1e-12"}) {
        const std::vector<Use> uses = {{Generic{number(e), 0}, k}};
        const double advanced = *advanced_epsilon(uses, number(delta));
        EXPECT_GE(advanced, optimal_epsilon({number(e), 0}, k, number(delta)).lower);
        EXPECT_LE(advanced, *drv_epsilon(uses, number(delta)));
      }
    }
  }
  EXPECT_FALSE(advanced_epsilon({{Gaussian{1}, 1}}, number("1e-6")));
  EXPECT_TRUE(std::isinf(*advanced_epsilon({{Generic{1, number("1e-6")}, 2}}, number("1e-6"))));
}

TEST(Composition, ASampledLaplaceIsAmplified) {
  const auto g = guarantee_of(SubsampledLaplace{1, number("0.1")});
  EXPECT_NEAR(g->epsilon.to_double(Round::kUp), std::log(1 + 0.1 * std::expm1(1.0)), 1e-15);
  EXPECT_EQ(guarantee_of(SubsampledLaplace{1, 1})->epsilon, 1);
  EXPECT_EQ(guarantee_of(SubsampledLaplace{1, 0})->epsilon, 0);
  EXPECT_LE(guarantee_of(SubsampledLaplace{number("1e12"), number("1e-9")})->epsilon,
            number("1e12"));
}

TEST(Groups, FollowEachNotionsRule) {
  const EpsilonDelta one{number("0.5"), number("1e-6")};
  const EpsilonDelta two = group(one, 2);
  EXPECT_EQ(two.epsilon, 1);
  EXPECT_NEAR(two.delta.to_double(Round::kUp), 1e-6 * (1 + std::exp(0.5)), 1e-18);
  EXPECT_GE(two.delta, exactly(1e-6 * (1 + std::exp(0.5)) * (1 - 1e-15)));
  EXPECT_EQ(group(one, 1).delta, one.delta);
  EXPECT_EQ(group(EpsilonDelta{1000, number("1e-6")}, 1'000'000'000).delta, 1);
  EXPECT_EQ(group(EpsilonDelta{1000, 0}, 1'000'000'000).epsilon, number("1e12"));
  EXPECT_EQ(group(Zcdp{number("0.1"), 0}, 3)->rho, number("0.9"));
  EXPECT_FALSE(group(Zcdp{number("0.1"), number("1e-9")}, 3));
  EXPECT_EQ(replace_one(EpsilonDelta{number("0.5"), 0}).epsilon, 1);
  EXPECT_EQ(replace_one(Zcdp{number("0.5"), 0})->rho, 2);
}

TEST(Parallel, TakesTheLargestOrTheTwoLargest) {
  const std::vector<EpsilonDelta> parts = {
      {number("0.1"), number("1e-6")}, {number("0.5"), 0}, {number("0.3"), number("1e-7")}};
  EXPECT_EQ(parallel(parts, Neighbours::kAddRemove).epsilon, number("0.5"));
  EXPECT_EQ(parallel(parts, Neighbours::kAddRemove).delta, number("1e-6"));
  EXPECT_EQ(parallel(parts, Neighbours::kReplaceOne).epsilon, number("0.8"));
  EXPECT_EQ(parallel(parts, Neighbours::kReplaceOne).delta, number("1.1e-6"));
  const std::vector<Zcdp> rhos = {{number("0.1"), 0}, {number("0.2"), 0}};
  EXPECT_EQ(parallel(rhos, Neighbours::kAddRemove).rho, number("0.2"));
  EXPECT_EQ(parallel(rhos, Neighbours::kReplaceOne).rho, number("0.3"));
}

}  // namespace
}  // namespace discreet::accounting::composition_test
