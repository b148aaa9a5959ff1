// SPDX-License-Identifier: Apache-2.0
#include "accounting/account.h"

#include <gtest/gtest.h>

#include <cmath>

#include "accounting/coarsen.h"
#include "accounting/composition.h"
#include "accounting/outward.h"

namespace discreet::accounting::account_test {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }
Delta delta(const char* text) { return *Delta::parse(text); }

constexpr Notion kAll[] = {Notion::kBest,  Notion::kGaussian, Notion::kLoss,    Notion::kZcdp,
                           Notion::kRenyi, Notion::kBasic,    Notion::kAdvanced};

std::vector<std::vector<Use>> lists() {
  return {{{Gaussian{100}, 1000}},
          {{Laplace{number("0.01")}, 500}, {Gaussian{100}, 500}},
          {{Generic{number("0.1"), number("1e-9")}, 50}},
          {{Exponential{number("0.1")}, 100}, {PermuteAndFlip{number("0.1")}, 10}},
          {{DiscreteGaussian{10}, 5}, {SubsampledLaplace{1, number("0.01")}, 10}},
          {{SubsampledGaussian{1, number("0.01")}, 100}},
          {{DiscreteLaplace{number("0.5"), 3}, 20}}};
}

TEST(Account, LowerIsNeverAboveUpperAndTheBestIsTheLeast) {
  for (const std::vector<Use>& uses : lists()) {
    const Bounds best = epsilon_of(uses, delta("1e-6"));
    EXPECT_TRUE(std::isfinite(best.upper)) << to_string(uses[0]);
    EXPECT_FALSE(best.theorem.empty());
    for (const Notion notion : kAll) {
      const Bounds one = epsilon_of(uses, delta("1e-6"), notion);
      EXPECT_LE(one.lower, one.upper) << to_string(notion);
      EXPECT_LE(best.upper, one.upper * (1 + 2e-3))
          << to_string(notion) << " " << to_string(uses[0]);
      EXPECT_GE(one.upper, best.lower) << to_string(notion) << " " << to_string(uses[0]);
      const Bounds d = delta_of(uses, number("0.5"), notion);
      EXPECT_LE(d.lower, d.upper);
      EXPECT_TRUE(d.upper <= 1 && d.lower >= 0);
    }
  }
}

TEST(Account, FallsWithDeltaAndGrowsWithCount) {
  for (const std::vector<Use>& uses : lists()) {
    double last = std::numeric_limits<double>::infinity();
    for (const char* d : {"1e-18", "1e-9", "1e-6", "1e-3", "0.1"}) {
      const Bounds b = epsilon_of(uses, delta(d));
      EXPECT_LE(b.upper, last * (1 + 1e-9)) << to_string(uses[0]) << " " << d;
      last = b.upper;
    }
    double before = 0;
    for (const std::uint64_t factor : {1, 2, 8}) {
      std::vector<Use> more = uses;
      for (Use& use : more) use.count *= factor;
      const Bounds b = epsilon_of(more, delta("1e-6"));
      EXPECT_GE(b.upper, before);
      before = b.upper;
    }
    last = 1;
    for (const char* e : {"0", "0.1", "1", "5", "50"}) {
      const Bounds b = delta_of(uses, number(e));
      EXPECT_LE(b.upper, last * (1 + 1e-9)) << to_string(uses[0]) << " " << e;
      last = b.upper;
    }
  }
}

TEST(Account, EpsilonAndDeltaAgree) {
  for (const std::vector<Use>& uses : lists()) {
    const Bounds e = epsilon_of(uses, delta("1e-6"));
    EXPECT_LE(delta_of(uses, exactly(e.upper * (1 + 2e-3))).lower, 1e-6);
    if (e.lower > 0) {
      EXPECT_GE(delta_of(uses, exactly(e.lower * (1 - 2e-3))).upper, 1e-6 * (1 - 1e-9));
    }
  }
}

TEST(Account, AnswersAtTheLimits) {
  const std::vector<std::vector<Use>> hard = {
      {{Laplace{1000}, 1}},
      {{Generic{1000, 0}, 1000}},
      {{Gaussian{number("1e-12")}, kCountMax}},
      {{SubsampledGaussian{1, number("1e-9")}, kCountMax}},
      {{SubsampledGaussian{number("1e-12"), number("1e-9")}, kCountMax}},
      {{SubsampledLaplace{1000, number("1e-9")}, 1000}},
      {{DiscreteGaussian{number("1e12")}, 1}}};
  for (const std::vector<Use>& uses : hard) {
    for (const char* d : {"0.5", "1e-18", "1e-300"}) {
      const Bounds b = epsilon_of(uses, delta(d));
      EXPECT_TRUE(std::isfinite(b.upper)) << to_string(uses[0]) << " " << d;
      EXPECT_TRUE(b.lower >= 0 && b.lower <= b.upper);
    }
    for (const char* e : {"0", "1", "1000", "1e12"}) {
      const Bounds b = delta_of(uses, number(e));
      EXPECT_TRUE(b.lower >= 0 && b.lower <= b.upper && b.upper <= 1);
    }
  }
}

TEST(Account, AtDeltaZeroOnlyPureMechanismsHaveAnEpsilon) {
  const Bounds pure = epsilon_of({{Laplace{number("0.1")}, 30}, {Generic{1, 0}, 2}}, delta("0"));
  EXPECT_DOUBLE_EQ(pure.upper, 5);
  EXPECT_NEAR(pure.lower, 5, 1e-12);
  EXPECT_TRUE(std::isinf(epsilon_of({{Gaussian{1}, 1}}, delta("0")).upper));
  EXPECT_TRUE(std::isinf(epsilon_of({{Generic{1, number("1e-9")}, 1}}, delta("0")).upper));
  EXPECT_EQ(epsilon_of({{SubsampledGaussian{1, 0}, 100}}, delta("0")).upper, 0);
}

TEST(Account, SamplingNobodyCostsNothing) {
  const Bounds b =
      epsilon_of({{SubsampledGaussian{1, 0}, 1000}, {SubsampledLaplace{1, 0}, 3}}, delta("1e-6"));
  EXPECT_EQ(b.upper, 0);
}

TEST(Account, EqualMechanismsAreMerged) {
  const std::vector<Use> uses = merged({{Laplace{1}, 2},
                                        {Gaussian{1}, 1},
                                        {Laplace{number("2/2")}, 5},
                                        {SubsampledGaussian{1, 0}, 9}});
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(uses[0].count + uses[1].count, 8U);
}

TEST(Account, ManyDifferentMechanismsAreAnswered) {
  std::vector<Use> uses;
  for (int i = 0; i < 100'000; ++i) {
    const Rational x = Rational::ratio(1000 + i, 1);
    switch (i % 4) {
      case 0:
        uses.push_back({Gaussian{x}, 1});
        break;
      case 1:
        uses.push_back({Laplace{Rational(1) / x}, 1});
        break;
      case 2:
        uses.push_back({SubsampledGaussian{x / Rational(1000), number("0.001")}, 1});
        break;
      default:
        uses.push_back({Generic{Rational(1) / x, 0}, 1});
        break;
    }
  }
  ASSERT_TRUE(check(uses).has_value());
  const Bounds b = epsilon_of(uses, delta("1e-6"));
  EXPECT_TRUE(std::isfinite(b.upper));
  EXPECT_LE(b.upper, 2);
  EXPECT_LE(b.lower, b.upper);
}

TEST(Coarsen, MovesOnlyToTheNamedSide) {
  std::vector<Use> uses;
  for (int i = 0; i < 300; ++i) {
    uses.push_back({Laplace{Rational::ratio(1000 + i, 10'000)}, 1});
    uses.push_back({Gaussian{Rational::ratio(1000 + i, 10)}, 1});
    uses.push_back(
        {SubsampledGaussian{Rational::ratio(1000 + i, 10), Rational::ratio(1000 + i, 100'000)}, 1});
  }
  const std::vector<Use> above = coarsened(uses, Round::kUp, 30, 3);
  const std::vector<Use> below = coarsened(uses, Round::kDown, 30, 3);
  EXPECT_LT(above.size(), 100U);
  const auto epsilon = [](const std::vector<Use>& list) {
    return epsilon_of(list, delta("1e-6"), Notion::kRenyi).upper;
  };
  EXPECT_GE(epsilon(above), epsilon(uses) * (1 - 1e-9));
  EXPECT_LE(epsilon(below), epsilon(uses) * (1 + 1e-9));
  EXPECT_LE(epsilon(above), epsilon(below) * 1.15);
  std::uint64_t count = 0;
  for (const Use& use : above)
    count += std::holds_alternative<Gaussian>(use.mechanism) ? 300 : use.count;
  EXPECT_EQ(count, 900U);
}

TEST(Notion, NamesRoundTrip) {
  for (const Notion notion : kAll) EXPECT_EQ(*parse_notion(to_string(notion)), notion);
  const Result<Notion> bad = parse_notion("magic");
  ASSERT_FALSE(bad.has_value());
  EXPECT_NE(bad.error().message.find("renyi"), std::string::npos);
}

}  // namespace
}  // namespace discreet::accounting::account_test
