// SPDX-License-Identifier: Apache-2.0
#include "plan/accuracy.h"

#include <gtest/gtest.h>

#include "plan/policy_for_tests.h"

namespace discreet::plan::accuracy_test {
namespace {

Plan plan_of(Measurement m) {
  Plan plan = count_plan();
  plan.measurements = {std::move(m)};
  return plan;
}

Checked checked_at(Plan plan, const policy::Policy& policy, const Epsilon& epsilon) {
  plan.epsilon = epsilon;
  return Checker::check(plan, policy, "").value();
}

TEST(Accuracy, HalfWidthsAreInTheArgumentsUnits) {
  const policy::Policy policy = clinic();
  const Checked checked =
      checked_at(plan_of(measurement(MeasureKind::kSum, col("cost"))), policy, Epsilon::trusted(1));
  const ExpectedError error = expected_error(checked.steps()[0], default_confidence());
  // Scale 3 * 5000, and ln 20 of it at 95 %.
  ASSERT_TRUE(error.half_width);
  EXPECT_GT(*error.half_width, Rational(15'000) * Rational::parse("2.995").value());
  EXPECT_LT(*error.half_width, Rational(15'000) * Rational::parse("2.997").value());
}

TEST(Accuracy, AQuantilesErrorIsOneOfRanks) {
  const policy::Policy policy = clinic();
  Measurement m = measurement(MeasureKind::kQuantile, col("age"));
  m.fractions = {Rational::ratio(1, 2)};
  const Checked checked = checked_at(plan_of(m), policy, Epsilon::trusted(1));
  const ExpectedError error = expected_error(checked.steps()[0], default_confidence());
  EXPECT_FALSE(error.half_width);
  ASSERT_TRUE(error.ranks);
  EXPECT_GT(*error.ranks, Rational(10));
  EXPECT_LT(*error.ranks, Rational(100));
}

TEST(LeastEpsilon, IsGoodEnoughAndItsPredecessorIsNot) {
  for (const auto notion : {policy::Notion::kEpsilon, policy::Notion::kZcdp}) {
    policy::Policy policy = clinic();
    policy.units["patients"].notion = notion;
    for (const int target : {5, 100, 123'456}) {
      const Plan plan = plan_of(measurement(MeasureKind::kSum, col("age")));
      const auto epsilon = least_epsilon(plan, policy, 0, target, default_confidence());
      ASSERT_TRUE(epsilon) << epsilon.error().message;
      const auto width = [&](const Epsilon& e) {
        return *expected_error(checked_at(plan, policy, e).steps()[0], default_confidence())
                    .half_width;
      };
      EXPECT_LE(width(*epsilon), Rational(target));
      const Rational less = epsilon->value() * Rational::ratio(998, 1'000);
      EXPECT_GT(width(Epsilon::trusted(less)), Rational(target));
    }
  }
}

TEST(LeastEpsilon, SaysWhyThereIsNone) {
  const policy::Policy policy = clinic();
  const Plan plan = plan_of(measurement(MeasureKind::kSum, col("nothing")));
  EXPECT_EQ(least_epsilon(plan, policy, 0, 5, default_confidence()).error().code, Code::kRefused);
  const Plan good = plan_of(measurement(MeasureKind::kSum, col("age")));
  EXPECT_FALSE(least_epsilon(good, policy, 0, 0, default_confidence()));
  EXPECT_FALSE(least_epsilon(good, policy, 3, 5, default_confidence()));
  EXPECT_FALSE(least_epsilon(good, policy, [](const Checked&) { return false; }));
}

}  // namespace
}  // namespace discreet::plan::accuracy_test
