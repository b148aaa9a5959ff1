// SPDX-License-Identifier: Apache-2.0
#include "mechanism/permute_and_flip.h"

#include <gtest/gtest.h>

#include <limits>

#include "mechanism/brackets_for_tests.h"
#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"

namespace discreet::mechanism::permute_and_flip_test {
namespace {

using Scores = std::vector<std::int64_t>;

PermuteAndFlip make(const char* epsilon, const char* sensitivity, std::size_t candidates) {
  return *PermuteAndFlip::make({.epsilon = *Epsilon::parse(epsilon),
                                .sensitivity = *Sensitivity::parse(sensitivity),
                                .candidates = candidates});
}

Tabulated<std::size_t> table(const PermuteAndFlip& mechanism, const Scores& scores) {
  return tabulate<1>(20, [&](auto& tape) {
    return Door::replay(mechanism, Sensitive<Scores>(scores), tape).outcome();
  });
}

/// Report-noisy-max with exponential noise (permute_and_flip.md §2): the winner is uniform on the
/// random set A; summed over all sets.
Interval probability(const Scores& scores, std::size_t o, const Rational& w) {
  const std::int64_t best = *std::max_element(scores.begin(), scores.end());
  Interval sum = interval(0);
  for (std::size_t set = 0; set < std::size_t{1} << scores.size(); ++set) {
    if (!(set >> o & 1)) continue;
    Interval term = interval(1);
    int size = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const bool in = set >> i & 1;
      const Interval p = exp(interval(w * (scores[i] - best)));
      term = term * (in ? p : interval(1) - p);
      size += in;
    }
    sum = sum + term / interval(size);
  }
  return sum;
}

TEST(PermuteAndFlip, AllTapesGiveReportNoisyMaxWithExponentialNoise) {
  for (const Scores& scores : {Scores{0, 1, 3}, Scores{2, 2, 2}, Scores{0, -1}, Scores{9}}) {
    const auto seen = table(make("3/2", "1", scores.size()), scores);
    EXPECT_LT(seen.cut_off, ratio(1, 50));
    for (std::size_t o = 0; o < scores.size(); ++o) {
      EXPECT_TRUE(agrees(seen, o, probability(scores, o, ratio(3, 4)))) << o;
    }
  }
}

TEST(PermuteAndFlip, IsNotTheExponentialMechanism) {
  const auto seen = table(make("2", "1", 2), {1, 0});
  const Interval exponential = interval(1) / (interval(1) + exp(interval(-1)));
  EXPECT_FALSE(agrees(seen, std::size_t{0}, exponential));  // 0.731; here 1 - 1/(2e) = 0.816
}

TEST(PermuteAndFlip, NeighboursStayWithinEpsilonAndReachIt) {
  const auto mechanism = make("1", "1", 2);
  const auto a = table(mechanism, {0, 0});
  const auto b = table(mechanism, {1, -1});
  EXPECT_EQ(delta_between(a, b, *Epsilon::parse("1")), Rational(0));
  EXPECT_GT(delta_between(a, b, *Epsilon::parse("0.95")), Rational(0));  // tight
}

// opendp#2911: charged as if it were the exponential mechanism.
TEST(PermuteAndFlip, NeedsMoreThanTheExponentialMechanismsRho) {
  const auto mechanism = make("1/10", "1", 2);
  EXPECT_EQ(mechanism.cost().rho->value(), ratio(1, 200));
  Interval kl = interval(0);
  for (const std::size_t o : {0, 1}) {
    const Interval p = probability({0, 0}, o, ratio(1, 20));
    kl = kl + p * log(p / probability({1, -1}, o, ratio(1, 20)));
  }
  EXPECT_TRUE(certainly_less(interval(ratio(1, 800)), kl));
  EXPECT_TRUE(certainly_less(kl, interval(ratio(1, 200))));
}

TEST(PermuteAndFlip, TakesLimitsAndAMillionCandidates) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  const auto choose = [](const PermuteAndFlip& mechanism, Scores scores) {
    return Door::release(mechanism, Sensitive<Scores>(std::move(scores)),
                         cli::OwnValues::for_use_of(mechanism))
        ->value();
  };
  EXPECT_EQ(choose(make("1", "1", 3), {kMin, kMax, 0}), 1u);
  Scores scores(1'000'001, 0);
  EXPECT_LT(choose(make("50", "1", scores.size()), scores), scores.size());
  scores.back() = 1'000'000;
  EXPECT_EQ(choose(make("50", "1", scores.size()), scores), 1'000'000u);
}

TEST(PermuteAndFlip, RefusesNothingToChooseFrom) {
  EXPECT_FALSE(PermuteAndFlip::make(
      {.epsilon = *Epsilon::parse("1"), .sensitivity = *Sensitivity::parse("1"), .candidates = 0}));
}

TEST(PermuteAndFlip, ShortfallHoldsForTheWorstScores) {
  const auto mechanism = make("2", "1", 5);
  const auto confidence = *Confidence::parse("0.9");
  const Integer s = mechanism.shortfall(confidence);
  Scores scores(5, -(s.get_si() + 1));
  scores[0] = 0;
  const Interval success = probability(scores, 0, Rational(1));
  EXPECT_TRUE(certainly_less(interval(confidence.value()), success));
}

}  // namespace
}  // namespace discreet::mechanism::permute_and_flip_test
