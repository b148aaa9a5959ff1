// SPDX-License-Identifier: Apache-2.0
#include "plan/lowering.h"

#include <gtest/gtest.h>

#include "plan/checker.h"
#include "plan/grid.h"
#include "plan/policy_for_tests.h"
#include "plan/reference_for_tests.h"

namespace discreet::plan::lowering_test {
namespace {

Step step_of(Measurement m, const policy::Policy& policy, const char* epsilon = "1") {
  Plan plan = count_plan();
  plan.measurements = {std::move(m)};
  plan.epsilon = Epsilon::parse(epsilon).value();
  auto checked = Checker::check(plan, policy, "");
  EXPECT_TRUE(checked) << checked.error().message;
  return checked->steps()[0];
}

// What the integer says, against the value that went in.
Rational back(const Step& step, const Rational& value) {
  return Rational(*lowered_integer(step, decimal_value(value))) * step.lowered.step +
         step.measurement.centre;
}

TEST(Lowering, IsExactOnTheDeclaredGrid) {
  const policy::Policy policy = clinic();
  const Step step = step_of(measurement(MeasureKind::kSum, col("cost")), policy);
  EXPECT_EQ(step.lowered.step, Rational::ratio(1, 100));
  EXPECT_EQ(step.lowered.high, 500'000);
  for (const char* value : {"0", "0.01", "4999.99", "5000"}) {
    EXPECT_EQ(back(step, Rational::parse(value).value()), Rational::parse(value).value());
  }
}

TEST(Lowering, ACentreOffTheGridHalvesTheStep) {
  const policy::Policy policy = clinic();
  Measurement m = measurement(MeasureKind::kSum, col("age"));
  m.centre = Rational::ratio(121, 2);
  const Step step = step_of(m, policy);
  EXPECT_EQ(step.lowered.step, Rational::ratio(1, 2));
  EXPECT_EQ(step.lowered.low, -121);
  EXPECT_EQ(step.lowered.high, 119);
  EXPECT_EQ(back(step, 17), Rational(17));
}

TEST(Lowering, ClampsToTheBoundsOfTheQuestion) {
  const policy::Policy policy = clinic();
  Measurement m = measurement(MeasureKind::kSum, col("age"));
  m.clamp = Grid{Rational::ratio(35, 2), 60, 1};
  const Step step = step_of(m, policy);
  EXPECT_EQ(back(step, 3), Rational::ratio(35, 2));
  EXPECT_EQ(back(step, 40), Rational(40));
  EXPECT_EQ(back(step, 100), Rational(60));
  // Bounds wholly outside the range leave one value.
  m.clamp = Grid{500, 600, 1};
  EXPECT_EQ(step_of(m, policy).lowered.low, 500);
  EXPECT_EQ(step_of(m, policy).lowered.high, 500);
}

TEST(Lowering, SquaresStayWithinThirtyTwoBits) {
  const policy::Policy policy = clinic();
  Measurement m = measurement(MeasureKind::kSquares, col("cost"));
  m.centre = 2500;
  const Step step = step_of(m, policy);
  const Range range = range_of(m, step.lowered);
  EXPECT_EQ(range.low, 0);
  EXPECT_LT(range.high, Integer(1) << 32);
  EXPECT_GT(range.high, Integer(1) << 28) << "no coarser than needed";
  // 250,000 steps of 0.01 do not fit 16 bits; 62,500 steps of 0.04 do.
  EXPECT_EQ(step.lowered.step, Rational::ratio(1, 25) * Rational::ratio(1, 25));
}

TEST(Lowering, ASmallEpsilonMakesTheStepCoarser) {
  const policy::Policy policy = clinic();
  const Step fine = step_of(measurement(MeasureKind::kSum, col("cost")), policy, "1e-3");
  EXPECT_EQ(fine.lowered.step, Rational::ratio(1, 100));
  const Step coarse = step_of(measurement(MeasureKind::kSum, col("cost")), policy, "1e-9");
  EXPECT_GT(coarse.lowered.step, Rational::ratio(1, 100));
  const auto& laplace = std::get<mechanism::LaplaceVector>(coarse.noise);
  EXPECT_LE(laplace.scale().value(), power_of_two(40));
  EXPECT_GT(laplace.scale().value(), power_of_two(38)) << "no coarser than needed";
  EXPECT_EQ(laplace.sensitivity().value(), Rational(3) * Rational(coarse.lowered.high));
}

TEST(Lowering, AWideColumnIsRoundedToThirtyTwoBits) {
  policy::Policy policy = clinic();
  policy.tables["visits"].columns[2].grid =
      Grid{0, Rational(1'000'000'000'000), Rational::ratio(1, 1000)};
  const Step step = step_of(measurement(MeasureKind::kSum, col("cost")), policy);
  EXPECT_LT(Rational(step.lowered.high), power_of_two(32));
  EXPECT_GE(Rational(step.lowered.high), power_of_two(31) - Rational(1));
  const Rational value = Rational::parse("123456789.123").value();
  EXPECT_LE((back(step, value) - value).abs(), step.lowered.step / Rational(2));
}

TEST(Lowering, SilentOverflowIsImpossible) {
  // 2^40 units with 10^6 rows of 32 bits stay below 2^126; a declared 2^62 rows too.
  policy::Policy policy = clinic();
  policy.tables["visits"].rows_max = std::int64_t{1} << 62;
  Plan plan = count_plan();
  plan.measurements = {measurement(MeasureKind::kSum, col("cost"))};
  plan.bounds = {1, 1'000'000, true};
  EXPECT_TRUE(Checker::check(plan, policy, ""));
}

TEST(Lowering, SensitivityIsNeverZero) {
  const policy::Policy policy = clinic();
  const Step step = step_of(measurement(MeasureKind::kSum, num(0)), policy);
  EXPECT_EQ(std::get<mechanism::LaplaceVector>(step.noise).sensitivity().value(), Rational(1));
}

TEST(RootBelow, NeverOvershoots) {
  for (const char* text : {"1/4", "1/3", "2", "1e-30", "12345.678", "1/9", "1e20"}) {
    const Rational x = Rational::parse(text).value();
    const Rational root = root_below(x);
    EXPECT_LE(root * root, x);
    EXPECT_GE(root * root, x * (Rational(1) - Rational::ratio(1, 100'000'000'000))) << text;
  }
  EXPECT_EQ(root_below(Rational::ratio(1, 4)), Rational::ratio(1, 2));
}

TEST(ShareBelow, ThirdsDoNotCostMoreThanTheWholeOnceTheLedgerRoundsThemUp) {
  EXPECT_EQ(share_below(Rational::ratio(1, 3)).to_string(), "0.333333333333");
  EXPECT_EQ(share_below(Rational::ratio(1, 4)), Rational::ratio(1, 4));
  EXPECT_EQ(share_below(Rational::ratio(200, 3)).to_string(), "66.6666666666");
  const Rational tiny = Rational::parse("1e-30").value();
  EXPECT_EQ(share_below(tiny), tiny);
  for (const char* text : {"1e-10", "1/7", "3/1000000000000", "12345/7"}) {
    const Rational share = share_below(Rational::parse(text).value());
    EXPECT_EQ((share * power_of_ten(18)).denominator(), 1) << text;
    EXPECT_LE(share, Rational::parse(text).value());
  }
}

}  // namespace
}  // namespace discreet::plan::lowering_test
