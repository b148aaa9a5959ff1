// SPDX-License-Identifier: Apache-2.0
#include "audit/theorems.h"

#include <gtest/gtest.h>

#include <functional>

namespace discreet::audit::theorems_test {
namespace {

Rational ratio(int n, int d) { return Rational::ratio(n, d); }

/// That 1 lies in the sum, and that the sum is a number at all.
void expect_sum_to_one(const std::function<Range(int)>& probability, const char* what) {
  Range sum{0, 0};
  for (int z = -80; z <= 80; ++z) sum = sum + probability(z);
  EXPECT_LE(sum.low, Rational(1)) << what;
  EXPECT_GE(sum.high, Rational(1) - power_of_two(-60)) << what;
  EXPECT_LT(sum.high - sum.low, power_of_two(-100)) << what;
}

TEST(Theorems, ProbabilitiesSumToOne) {
  expect_sum_to_one([](int z) { return laplace_probability(z, ratio(3, 2)); }, "laplace");
  expect_sum_to_one([](int z) { return gaussian_probability(z, ratio(7, 2)); }, "gaussian");
  expect_sum_to_one([](int z) { return rounded_gaussian_probability(z, 4); }, "rounded gaussian");
}

TEST(Theorems, TailsAreSumsOfProbabilities) {
  for (const int t : {-2, 0, 1, 3}) {
    Range laplace{0, 0};
    Range gaussian{0, 0};
    for (int z = t; z <= 90; ++z) {
      laplace = laplace + laplace_probability(z, 1);
      gaussian = gaussian + gaussian_probability(z, 2);
    }
    EXPECT_LT((laplace.low - laplace_at_least(t, 1).low).abs(), power_of_two(-100)) << t;
    EXPECT_LT((gaussian.low - gaussian_at_least(t, 2).low).abs(), power_of_two(-100)) << t;
  }
}

// Numbers from the lectures: AlmostRandom at ln 3 keeps with 3/4; zero with (1-q)/(1+q).
TEST(Theorems, AgreeWithKnownNumbers) {
  EXPECT_EQ(keep_probability(1).low.to_decimal(6, Round::kDown), "0.731058");
  EXPECT_EQ(laplace_probability(0, 1).low.to_decimal(6, Round::kDown), "0.462117");
  EXPECT_EQ(gaussian_probability(0, 1).low.to_decimal(6, Round::kDown), "0.398942");
  EXPECT_EQ(rounded_gaussian_probability(0, 1).low.to_decimal(6, Round::kDown), "0.382924");
  EXPECT_EQ(rounded_gaussian_probability(-1, 1).low.to_decimal(6, Round::kDown), "0.24173");
}

TEST(Theorems, SelectionTakesTheTwoOrdersThatTwoCandidatesHave) {
  // Two candidates, one unit apart: the worse is taken only when visited first, with e^-w.
  const auto p = permute_and_flip_probabilities({1, 0}, ratio(1, 2));
  const Rational worse = p[1].low * 2;
  EXPECT_EQ(worse.to_decimal(6, Round::kDown), "0.60653");
  const auto e = exponential_probabilities({1, 0}, ratio(1, 2));
  EXPECT_EQ(e[0].low.to_decimal(6, Round::kDown), "0.622459");
}

TEST(Theorems, PartitionSelectionRisesFromDeltaToOne) {
  EXPECT_EQ(selection_probability(0, 1, ratio(1, 20)).high, Rational(0));
  EXPECT_LE(selection_probability(1, 1, ratio(1, 20)).low, ratio(1, 20));
  EXPECT_GE(selection_probability(1, 1, ratio(1, 20)).high, ratio(1, 20));
  EXPECT_EQ(selection_probability(20, 1, ratio(1, 20)).low, Rational(1));
}

TEST(Theorems, AnswersOfAboveThresholdSumToOne) {
  const AboveThresholdTheorem theorem{
      .threshold_scale = 1, .question_scale = 2, .threshold = 1, .questions = {0, 2}};
  const Range sum = answers_probability(theorem, {true}) +
                    answers_probability(theorem, {false, true}) +
                    answers_probability(theorem, {false, false});
  EXPECT_LE(sum.low, Rational(1));
  EXPECT_GE(sum.high, Rational(1));
  EXPECT_LT(sum.high - sum.low, power_of_two(-80));
}

}  // namespace
}  // namespace discreet::audit::theorems_test
