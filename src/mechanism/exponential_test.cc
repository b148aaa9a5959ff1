// SPDX-License-Identifier: Apache-2.0
#include "mechanism/exponential.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "mechanism/brackets_for_tests.h"
#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"

namespace discreet::mechanism::exponential_test {
namespace {

using Scores = std::vector<std::int64_t>;

Exponential make(const char* epsilon, const char* sensitivity, std::size_t candidates) {
  return *Exponential::make({.epsilon = *Epsilon::parse(epsilon),
                             .sensitivity = *Sensitivity::parse(sensitivity),
                             .candidates = candidates});
}

Tabulated<std::size_t> table(const Exponential& mechanism, const Scores& scores, int depth = 20) {
  return tabulate<1>(depth, [&](auto& tape) {
    return Door::replay(mechanism, Sensitive<Scores>(scores), tape).outcome();
  });
}

/// e^{w u(o)} / sum of all
Interval probability(const Scores& scores, std::size_t o, const Rational& w) {
  Interval sum = interval(0);
  for (const std::int64_t u : scores) sum = sum + exp(interval(w * (u - scores[o])));
  return interval(1) / sum;
}

std::size_t choose(const Exponential& mechanism, Scores scores) {
  auto released = Door::release(mechanism, Sensitive<Scores>(std::move(scores)),
                                cli::OwnValues::for_use_of(mechanism));
  return released->value();
}

TEST(Exponential, AllTapesGiveTheWeightsExactly) {
  for (const Scores& scores : {Scores{0, 1, 3}, Scores{5, 5, 5}, Scores{-2, 0}, Scores{7}}) {
    const auto seen = table(make("3/2", "1", scores.size()), scores);
    EXPECT_LT(seen.cut_off, ratio(1, 5));
    for (std::size_t o = 0; o < scores.size(); ++o) {
      EXPECT_TRUE(agrees(seen, o, probability(scores, o, ratio(3, 4)))) << o;
    }
  }
}

TEST(Exponential, AWeightWithoutTheTwoInItIsCaught) {
  const Scores scores{0, 1, 3};
  const auto seen = table(make("3/2", "1", 3), scores);
  EXPECT_FALSE(agrees(seen, std::size_t{2}, probability(scores, 2, ratio(3, 2))));
}

TEST(Exponential, NeighboursStayWithinEpsilonAndNotWithinMuchLess) {
  const auto mechanism = make("2", "1", 2);
  const auto a = table(mechanism, {0, 0});
  const auto b = table(mechanism, {1, -1});
  EXPECT_EQ(delta_between(a, b, *Epsilon::parse("2")), Rational(0));
  EXPECT_GT(delta_between(a, b, *Epsilon::parse("1")), Rational(0));
  // With half the sensitivity declared, the same two are too far apart for the claimed epsilon.
  const auto wrong = make("2", "1/2", 2);
  EXPECT_GT(delta_between(table(wrong, {0, 0}), table(wrong, {1, -1}), *Epsilon::parse("2")),
            Rational(0));
}

TEST(Exponential, IsPricedByBoundedRangeInZcdp) {
  const Cost cost = make("1/2", "3", 4).cost();
  EXPECT_EQ(cost.epsilon->value(), ratio(1, 2));
  EXPECT_EQ(cost.rho->value(), ratio(1, 32));
  EXPECT_EQ(cost.delta.value(), Rational(0));
  EXPECT_EQ(make("1/2", "3", 4).noise().text,
            "exponential(epsilon=0.5,sensitivity=3,candidates=4)");
}

// exponential.md §3: D_alpha <= alpha epsilon^2/8 for the two-candidate neighbours, at several
// alpha.
TEST(Exponential, RenyiDivergenceStaysBelowTheRhoLine) {
  for (const auto& epsilon : {ratio(1, 10), ratio(1), ratio(4)}) {
    for (const int alpha : {2, 3, 10}) {
      Interval moment = interval(0);
      for (const std::size_t o : {0, 1}) {
        Interval term = probability({0, 0}, o, epsilon / 2);
        const Interval step = term / probability({1, -1}, o, epsilon / 2);
        for (int i = 1; i < alpha; ++i) term = term * step;
        moment = moment + term;
      }
      const Interval divergence = log(moment) / interval(alpha - 1);
      EXPECT_TRUE(certainly_less(divergence, interval(alpha * epsilon * epsilon / 8)));
    }
  }
}

TEST(Exponential, ScoresAtTheLimitsOfInt64AreOrdinaryScores) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  const auto sharp = make("1", "1", 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(choose(sharp, {kMin, kMax, 0}), 1u);
  // epsilon 2^-60 makes the whole range a difference of 8 nats: exact on tapes.
  const std::string blunt = (power_of_two(-60)).to_string();
  const Scores scores{kMin, kMax, 0};
  const auto seen = table(make(blunt.c_str(), "1", 3), scores);
  const auto weight = [](const Rational& gap) { return exp(interval(gap * power_of_two(-61))); };
  const Rational top(kMax);
  const Interval sum = interval(1) + weight(-top) + weight(-(top + top + 1));
  EXPECT_TRUE(agrees(seen, std::size_t{1}, interval(1) / sum));
  EXPECT_TRUE(agrees(seen, std::size_t{2}, weight(-top) / sum));
}

TEST(Exponential, AMillionDuplicatesAtTheTopNeverFail) {  // smartnoise-sdk#572
  Scores scores(1'000'001, 0);
  scores.back() = -1'000'000;
  for (const char* epsilon : {"0.001", "1", "50"}) {
    const auto mechanism = make(epsilon, "1", scores.size());
    EXPECT_LT(choose(mechanism, scores), 1'000'000u);
  }
  scores.back() = 1'000'000;  // one best among a million
  EXPECT_EQ(choose(make("50", "1", scores.size()), scores), 1'000'000u);
}

TEST(Exponential, AnyRationalParametersWork) {
  EXPECT_EQ(choose(make("1099511627776", "1e-9", 3), {1, 3, 2}), 1u);
  EXPECT_LT(choose(make("1e-300", "1e300", 3), {1, 3, 2}), 3u);
}

TEST(Exponential, RefusesNothingToChooseFromAndBadQuantities) {
  const auto none = Exponential::make(
      {.epsilon = *Epsilon::parse("1"), .sensitivity = *Sensitivity::parse("1"), .candidates = 0});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kInvalidInput);
  for (const char* text : {"0", "-1", "nan", "inf", "", "1e400", "many"}) {
    EXPECT_FALSE(Epsilon::parse(text)) << text;
  }
  for (const char* text : {"0", "-1", "nan"}) EXPECT_FALSE(Sensitivity::parse(text)) << text;
}

/// Pr[max u - u(o) > s] when all others lie s + 1 below the best.
Interval worst_failure(std::size_t candidates, const Rational& w, const Integer& s) {
  const Interval bad =
      interval(Rational(Integer(candidates - 1))) * exp(interval(-w * (Rational(s) + 1)));
  return bad / (interval(1) + bad);
}

TEST(Exponential, ShortfallIsTheLeastThatHoldsForAllScores) {
  for (const std::size_t candidates : {2u, 3u, 100u, 1'000'000u}) {
    for (const char* epsilon : {"0.01", "1/3", "2"}) {
      for (const char* text : {"0.5", "0.95", "0.999999"}) {
        const auto confidence = *Confidence::parse(text);
        const Rational beta = 1 - confidence.value();
        const Rational w = Epsilon::parse(epsilon)->value() / 6;
        const Integer s = make(epsilon, "3", candidates).shortfall(confidence);
        EXPECT_FALSE(certainly_less(interval(beta), worst_failure(candidates, w, s)));
        if (s > 0) {
          EXPECT_TRUE(certainly_less(interval(beta), worst_failure(candidates, w, s - 1)));
        }
        const Interval lecture = log(interval(Rational(Integer(candidates)) / beta)) / interval(w);
        EXPECT_LE(Rational(s), lecture.high());
      }
    }
  }
  EXPECT_EQ(make("1", "1", 1).shortfall(default_confidence()), 0);
}

}  // namespace
}  // namespace discreet::mechanism::exponential_test
