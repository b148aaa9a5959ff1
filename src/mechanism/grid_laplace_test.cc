// SPDX-License-Identifier: Apache-2.0
#include "mechanism/grid_laplace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::grid_laplace_test {
namespace {

GridLaplace grid(const char* step, const char* sensitivity, const char* epsilon) {
  return GridLaplace::make({.step = step_of(step),
                            .sensitivity = sensitivity_of(sensitivity),
                            .epsilon = epsilon_of(epsilon)})
      .value();
}

Int128 index_of(const char* x, const char* step) {
  return GridLaplace::to_grid(rational(x), step_of(step));
}

TEST(ToGrid, RoundsHalvesUpOnBothSidesOfZero) {
  EXPECT_EQ(index_of("0.5", "1"), 1);
  EXPECT_EQ(index_of("-0.5", "1"), 0);
  EXPECT_EQ(index_of("-1.5", "1"), -1);
  EXPECT_EQ(index_of("0.014", "0.01"), 1);
  EXPECT_EQ(index_of("-0.016", "0.01"), -2);
  EXPECT_EQ(index_of("1e900", "1e-90"), kInt128Max);
  EXPECT_EQ(index_of("-1e900", "1e-90"), kInt128Min);
}

// The law that privacy rests on; the usual rounding, halves away from zero, breaks it.
RC_GTEST_PROP(ToGrid, KeepsNeighboursWithinTheCeilingOfTheirDistance, ()) {
  const auto any = rc::gen::inRange(-40, 41);
  const Step step = Step::trusted(Rational::ratio(*rc::gen::inRange(1, 9), 4));
  const Rational x = Rational::ratio(*any, 8);
  const Rational y = Rational::ratio(*any, 8);
  const Int128 apart = GridLaplace::to_grid(x, step) - GridLaplace::to_grid(y, step);
  const Integer allowed = ((x - y).abs() / step.value()).ceil();
  RC_ASSERT(abs(to_integer(apart)) <= allowed);
  RC_ASSERT(GridLaplace::to_grid(x + step.value() * Rational(3), step) ==
            GridLaplace::to_grid(x, step) + 3);
}

TEST(ToGrid, RoundingHalvesAwayFromZeroWouldBreakTheLaw) {
  EXPECT_EQ(rational("0.5").round() - rational("-0.5").round(), 2);  // one step apart
}

TEST(GridLaplace, CountsTheSensitivityInWholeSteps) {
  EXPECT_EQ(grid("0.01", "1", "1").in_steps().scale().value(), Rational(100));
  EXPECT_EQ(grid("0.3", "1", "1").in_steps().scale().value(), Rational(4));
  EXPECT_EQ(grid("2", "1", "1").in_steps().scale().value(), Rational(1));
  EXPECT_EQ(grid("0.3", "1", "1").noise().text, "grid-laplace(step=0.3,scale=4,sensitivity=1)");
}

TEST(GridLaplace, PrivacyMapIsZeroAtZeroMonotoneAndEpsilonAtTheSensitivity) {
  const GridLaplace mechanism = grid("0.3", "1", "2");
  EXPECT_EQ(mechanism.privacy_map(0), Rational(0));
  EXPECT_EQ(mechanism.privacy_map(1), Rational(2));
  Rational before;
  for (int d = 1; d < 50; ++d) {
    const Rational now = mechanism.privacy_map(Rational::ratio(d, 20));
    EXPECT_GE(now, before);
    before = now;
  }
}

TEST(GridLaplace, AnswersAreMultiplesOfTheStepWhateverTheData) {
  const GridLaplace mechanism = grid("0.01", "1", "1/2");
  for (const Int128 index : {Int128{0}, Int128{12345}, kInt128Max}) {
    const auto answer =
        Door::release(mechanism, Sensitive<Int128>(index), cli::OwnValues::for_use_of(mechanism));
    ASSERT_TRUE(answer);
    EXPECT_EQ((answer->value() / rational("0.01")).denominator(), 1);
  }
}

TEST(GridLaplace, AccuracyIsInTheUnitsOfTheAnswer) {
  EXPECT_EQ(grid("1/4", "1/4", "1").accuracy(default_confidence())->half_width, rational("3/4"));
  EXPECT_EQ(grid("1/4", "1/4", "1").cost(), pure_cost(epsilon_of("1")));
}

TEST(GridLaplace, RefusesAGridTooFineForTheNoise) {
  const auto refused = GridLaplace::make(
      {.step = step_of("1e-30"), .sensitivity = sensitivity_of("1"), .epsilon = epsilon_of("1")});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("coarser grid"), std::string::npos);
}

}  // namespace
}  // namespace discreet::mechanism::grid_laplace_test
