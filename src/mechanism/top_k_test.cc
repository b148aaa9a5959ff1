// SPDX-License-Identifier: Apache-2.0
#include "mechanism/top_k.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mechanism/brackets_for_tests.h"
#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"

namespace discreet::mechanism::top_k_test {
namespace {

using Scores = std::vector<std::int64_t>;
using Names = std::vector<std::size_t>;

TopK make(const char* epsilon, std::size_t candidates, std::size_t k) {
  return *TopK::make({.epsilon = *Epsilon::parse(epsilon),
                      .sensitivity = *Sensitivity::parse("1"),
                      .candidates = candidates,
                      .k = k});
}

Tabulated<Names> table(const TopK& mechanism, const Scores& scores, int depth = 20) {
  return tabulate<1>(depth, [&](auto& tape) {
    return Door::replay(mechanism, Sensitive<Scores>(scores), tape).outcome();
  });
}

Names choose(const TopK& mechanism, Scores scores) {
  return Door::release(mechanism, Sensitive<Scores>(std::move(scores)),
                       cli::OwnValues::for_use_of(mechanism))
      ->value();
}

/// The product of the weights' shares, without replacement.
Interval probability(const Scores& scores, const Names& names, const Rational& w) {
  Interval product = interval(1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    Interval sum = interval(0);
    for (std::size_t o = 0; o < scores.size(); ++o) {
      const bool gone = std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i),
                                  o) != names.begin() + static_cast<std::ptrdiff_t>(i);
      if (!gone) sum = sum + exp(interval(w * (scores[o] - scores[names[i]])));
    }
    product = product / sum;
  }
  return product;
}

TEST(TopK, AllTapesGiveSamplingWithoutReplacementByWeight) {
  const Scores scores{0, 2, 1};
  const auto seen = table(make("2", 3, 2), scores, 22);
  EXPECT_LT(seen.cut_off, ratio(1, 10));
  for (const Names& names : {Names{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}}) {
    EXPECT_TRUE(agrees(seen, names, probability(scores, names, ratio(1, 2))));
    // A mutant that spends the whole epsilon in each round gives other weights.
    if (names == Names{1, 2}) {
      EXPECT_FALSE(agrees(seen, names, probability(scores, names, ratio(1))));
    }
  }
}

TEST(TopK, NeighboursStayWithinEpsilon) {
  const auto mechanism = make("2", 2, 2);
  const auto a = table(mechanism, {0, 0});
  const auto b = table(mechanism, {1, -1});
  EXPECT_EQ(delta_between(a, b, *Epsilon::parse("2")), Rational(0));
}

TEST(TopK, CostsEpsilonInAllAndAKthOfItsSquareInZcdp) {
  const Cost cost = make("2", 10, 4).cost();
  EXPECT_EQ(cost.epsilon->value(), Rational(2));
  EXPECT_EQ(cost.rho->value(), ratio(4, 32));
  EXPECT_EQ(make("1", 5, 1).cost().rho->value(), ratio(1, 8));  // the exponential mechanism
}

TEST(TopK, GivesDistinctNamesAndAllOfThemWhenAsked) {
  Names all = choose(make("1", 50, 50), Scores(50, 3));
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
  Scores scores(1'000'000, 0);
  scores[7] = scores[999'999] = 1'000'000;
  Names best = choose(make("50", scores.size(), 2), scores);
  std::sort(best.begin(), best.end());
  EXPECT_EQ(best, (Names{7, 999'999}));
}

TEST(TopK, RefusesAKOutOfRange) {
  for (const std::size_t k : {0u, 4u}) {
    const auto made = TopK::make({.epsilon = *Epsilon::parse("1"),
                                  .sensitivity = *Sensitivity::parse("1"),
                                  .candidates = 3,
                                  .k = k});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("at most the number of candidates"), std::string::npos);
  }
}

TEST(TopK, ShortfallSharesTheFailureAmongTheRounds) {
  const auto mechanism = make("6", 100, 3);
  const auto single = Exponential::make({.epsilon = *Epsilon::parse("2"),
                                         .sensitivity = *Sensitivity::parse("1"),
                                         .candidates = 100});
  EXPECT_EQ(mechanism.shortfall(*Confidence::parse("0.97")),
            single->shortfall(*Confidence::parse("0.99")));
  EXPECT_EQ(TopK::describe({3, 1, 2}), "3 1 2");
}

}  // namespace
}  // namespace discreet::mechanism::top_k_test
