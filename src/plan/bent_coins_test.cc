// SPDX-License-Identifier: Apache-2.0
#include "plan/bent_coins.h"

#include <gtest/gtest.h>

#include "plan/accuracy.h"
#include "plan/policy_for_tests.h"
#include "plan/training.h"

namespace discreet::plan::bent_coins_test {
namespace {

policy::Policy bent_clinic() {
  policy::Policy policy = clinic();
  policy.santha_vazirani = Rational::ratio(1, 20);
  return policy;
}

Plan plan_of(Measurement m) {
  Plan plan = count_plan();
  plan.measurements = {std::move(m)};
  plan.epsilon = Epsilon::trusted(Rational::ratio(1, 2));
  return plan;
}

// The same sensitivity as on fair coins, the whole epsilon charged, a certificate for the policy's
// gamma, and a dearer answer than it would be on fair coins.
TEST(BentCoins, CountsAndSumsGetCertifiedNoise) {
  const policy::Policy bent = bent_clinic();
  const policy::Policy fair = clinic();
  for (const Measurement& m :
       {measurement(MeasureKind::kRows), measurement(MeasureKind::kUnits),
        measurement(MeasureKind::kDistinct, col("clinic")),
        measurement(MeasureKind::kSum, col("age")), measurement(MeasureKind::kSum, col("change")),
        measurement(MeasureKind::kSum, col("cost"))}) {
    for (const auto neighbours : {Neighbours::kAddRemove, Neighbours::kReplaceOne}) {
      policy::Policy here = bent;
      policy::Policy there = fair;
      for (policy::Policy* each : {&here, &there}) each->units["patients"].neighbours = neighbours;
      const auto checked = Checker::check(plan_of(m), here, "id");
      ASSERT_TRUE(checked) << checked.error().message;
      const auto usual = Checker::check(plan_of(m), there, "id");
      const auto* noise = std::get_if<mechanism::SvLaplace>(&checked->steps()[0].noise);
      ASSERT_NE(noise, nullptr);
      ASSERT_EQ(checked->charge().lines().size(), 1U);
      const ChargeLine& line = checked->charge().lines()[0];
      EXPECT_EQ(line.cost.epsilon->value(), Rational::ratio(1, 2));
      EXPECT_EQ(mechanism::certified_gamma(line.noise), Rational::ratio(1, 20));
      EXPECT_LT(noise->fair_epsilon(), line.cost.epsilon->value());
      EXPECT_NE(line.noise.text.find(",fair-epsilon=0.3"), std::string::npos) << line.noise.text;
      const auto& laplace = std::get<mechanism::LaplaceVector>(usual->steps()[0].noise);
      EXPECT_TRUE(line.noise.text.starts_with(
          "sv-laplace(sensitivity=" + laplace.sensitivity().to_string() + ","))
          << line.noise.text;
      EXPECT_NE(checked->charge().plan(), usual->charge().plan());
      const auto width = expected_error(checked->steps()[0], default_confidence()).half_width;
      const auto least = expected_error(usual->steps()[0], default_confidence()).half_width;
      EXPECT_GT(*width, *least);
      EXPECT_LT(*width, Rational(4) * *least);
    }
  }
}

TEST(BentCoins, AllElseIsRefusedAndNamesTheWayOut) {
  const policy::Policy bent = bent_clinic();
  Plan grouped = plan_of(measurement(MeasureKind::kRows));
  grouped.keys = {{col("clinic"), "clinic"}};
  Plan two = plan_of(measurement(MeasureKind::kRows));
  two.measurements.push_back(measurement(MeasureKind::kSum, col("age")));
  Measurement median = measurement(MeasureKind::kQuantile, col("age"));
  median.fractions = {Rational::ratio(1, 2)};
  for (const Plan& plan :
       {grouped, two, plan_of(median), plan_of(measurement(MeasureKind::kSquares, col("age")))}) {
    const auto checked = Checker::check(plan, bent, "id");
    ASSERT_FALSE(checked.has_value());
    EXPECT_EQ(checked.error().code, Code::kRefused);
    EXPECT_NE(checked.error().message.find("COUNT or SUM without GROUP BY"), std::string::npos);
    EXPECT_TRUE(Checker::check(plan, clinic(), "id").has_value());
  }
  const auto trained = Checker::check_training(plan_of(measurement(MeasureKind::kSum, col("age"))),
                                               {.shares = {1}, .sampling = {}}, bent, "id");
  ASSERT_FALSE(trained.has_value());
  EXPECT_NE(trained.error().message.find("learning has no certificate"), std::string::npos);
  // Outside of what is certified: epsilon, and an error to be solved for.
  Plan dear = count_plan();
  dear.epsilon = Epsilon::trusted(6);
  EXPECT_EQ(Checker::check(dear, bent, "id").error().code, Code::kInvalidInput);
  EXPECT_EQ(least_epsilon(count_plan(), bent, 0, 5, default_confidence()).error().code,
            Code::kUnsupported);
}

}  // namespace
}  // namespace discreet::plan::bent_coins_test
