// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "publish/marginals.h"
#include "publish/tables.h"

namespace discreet::publish::publish_test {
namespace {

const std::vector<Attribute> kThree = {{"sex", 2}, {"age", 3}, {"town", 4}};

std::vector<Marginal> pairs(int attributes) {
  std::vector<Marginal> workload;
  for (int i = 0; i < attributes; ++i) {
    for (int j = i + 1; j < attributes; ++j) workload.push_back({{i, j}, 1});
  }
  return workload;
}

double price(const std::vector<Attribute>& attributes, const MarginalPlan& plan) {
  double sum = 0;
  for (const auto& [set, variance] : plan.variances) {
    sum += precision_cost(attributes, set).to_double(Round::kUp) / variance;
  }
  return sum;
}

// The differences from the first slice, as mechanism/residual_table.md says, without noise.
std::vector<std::int64_t> differences(const std::vector<std::int64_t>& sizes,
                                      const std::vector<std::int64_t>& table) {
  std::vector<std::int64_t> out;
  for (std::size_t index = 0; index < table.size(); ++index) {
    std::vector<std::size_t> at(sizes.size());
    std::size_t rest = index;
    bool first = false;
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
      at[axis] = rest % static_cast<std::size_t>(sizes[axis]);
      rest /= static_cast<std::size_t>(sizes[axis]);
      first = first || at[axis] == 0;
    }
    if (first) continue;
    std::int64_t sum = 0;
    for (std::size_t mask = 0; mask < std::size_t{1} << sizes.size(); ++mask) {
      std::size_t place = 0;
      for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        place = place * static_cast<std::size_t>(sizes[axis]) + (mask >> axis & 1 ? 0 : at[axis]);
      }
      sum += (__builtin_popcountll(mask) % 2 ? -1 : 1) * table[place];
    }
    out.push_back(sum * static_cast<std::int64_t>(table.size()));
  }
  return out;
}

std::int64_t count_of(std::size_t sex, std::size_t age, std::size_t town) {
  return static_cast<std::int64_t>(1 + 7 * sex + 3 * age * age + 5 * town + sex * age * town * 11);
}

std::vector<std::int64_t> marginal_of(const AttributeSet& set) {
  const std::vector<std::int64_t> sizes = sizes_of(kThree, set);
  std::int64_t cells = 1;
  for (const std::int64_t n : sizes) cells *= n;
  std::vector<std::int64_t> table(static_cast<std::size_t>(cells), 0);
  for (std::size_t sex = 0; sex < 2; ++sex) {
    for (std::size_t age = 0; age < 3; ++age) {
      for (std::size_t town = 0; town < 4; ++town) {
        const std::size_t at[] = {sex, age, town};
        std::size_t place = 0;
        for (std::size_t k = 0; k < set.size(); ++k) {
          place = place * static_cast<std::size_t>(sizes[k]) + at[set[k]];
        }
        table[place] += count_of(sex, age, town);
      }
    }
  }
  return table;
}

TEST(Marginals, PlanCostsWhatItMayAndReachesItsBound) {
  for (const Objective objective : {Objective::kTotal, Objective::kWorst}) {
    const auto plan = plan_marginals(kThree, pairs(3), objective).value();
    EXPECT_NEAR(price(kThree, plan), 1, 1e-9);
    EXPECT_LE(plan.objective, plan.bound * (1 + 1e-5));
    EXPECT_GE(plan.objective, plan.bound * (1 - 1e-9));
  }
}

TEST(Marginals, TotalIsTheClosedFormAndNoOtherPlanIsBetter) {
  const auto plan = plan_marginals(kThree, pairs(3), Objective::kTotal).value();
  double total = 0;
  for (const Marginal& marginal : pairs(3)) {
    double cells = 1;
    for (const std::int64_t n : sizes_of(kThree, marginal.attributes)) cells *= double(n);
    total += cells * cell_variance(kThree, plan, marginal.attributes);
  }
  EXPECT_NEAR(total, plan.objective, 1e-9 * total);
  // Moving price from one residual to another makes it worse.
  for (const auto& [from, unused] : plan.variances) {
    for (const double move : {0.9, 1.1}) {
      MarginalPlan other = plan;
      other.variances[from] *= move;
      const double scale = price(kThree, other);
      double sum = 0;
      for (const Marginal& marginal : pairs(3)) {
        double cells = 1;
        for (const std::int64_t n : sizes_of(kThree, marginal.attributes)) cells *= double(n);
        sum += cells * scale * cell_variance(kThree, other, marginal.attributes);
      }
      EXPECT_GT(sum, total);
    }
  }
}

TEST(Marginals, BeatsIndependentNoiseOnEachTable) {
  // Independent noise: k tables, each a k-th of the price: variance k on every cell.
  const std::vector<Attribute> attributes(20, Attribute{"a", 10});
  const auto workload = pairs(20);
  const auto plan = plan_marginals(attributes, workload, Objective::kTotal).value();
  const double cells = 100.0 * static_cast<double>(workload.size());
  EXPECT_LT(plan.objective, cells * static_cast<double>(workload.size()));
}

TEST(Marginals, AHundredAttributes) {
  std::vector<Attribute> attributes;
  for (int i = 0; i < 100; ++i) attributes.push_back({"a", 2 + i % 9});
  const auto plan = plan_marginals(attributes, pairs(100), Objective::kTotal).value();
  EXPECT_EQ(plan.variances.size(), 1u + 100u + 4950u);
  EXPECT_NEAR(plan.objective, plan.bound, 1e-9 * plan.bound);
}

TEST(Marginals, BadWorkloadsAreRefused) {
  const auto refused = [&](std::vector<Marginal> workload) {
    return !plan_marginals(kThree, workload, Objective::kTotal).has_value();
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({{{0, 0}, 1}}));
  EXPECT_TRUE(refused({{{3}, 1}}));
  EXPECT_TRUE(refused({{{-1}, 1}}));
  EXPECT_TRUE(refused({{{0}, 1}, {{0}, 2}}));
  EXPECT_TRUE(refused({{{0}, 0}}));
  EXPECT_TRUE(refused({{{0}, std::numeric_limits<double>::infinity()}}));
  EXPECT_FALSE(plan_marginals({{"one", 1}}, {{{0}, 1}}, Objective::kTotal).has_value());
}

TEST(Tables, FromExactResidualsAreExactAndAgree) {
  std::map<AttributeSet, Cells> residuals;
  for (const AttributeSet& set :
       {AttributeSet{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}) {
    residuals[set] = centred(kThree, set, differences(sizes_of(kThree, set), marginal_of(set)));
  }
  for (const auto& [set, unused] : residuals) {
    const Cells cells = table(kThree, set, residuals);
    const std::vector<std::int64_t> truth = marginal_of(set);
    ASSERT_EQ(cells.size(), truth.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      EXPECT_NEAR(cells[i], static_cast<double>(truth[i]), 1e-9);
    }
  }
  // Noise in a residual leaves the tables' sums alone.
  residuals[{0, 1}][2] += 5;
  residuals[{0, 1}][5] -= 5;
  residuals[{0, 1}] = centred(kThree, {0, 1}, differences({2, 3}, {4, 0, 9, 1, 1, 7}));
  const Cells pair = table(kThree, {0, 1}, residuals);
  const Cells single = table(kThree, {0}, residuals);
  EXPECT_NEAR(pair[0] + pair[1] + pair[2], single[0], 1e-9);
  EXPECT_NEAR(pair[3] + pair[4] + pair[5], single[1], 1e-9);
}

}  // namespace
}  // namespace discreet::publish::publish_test
