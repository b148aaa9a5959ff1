// SPDX-License-Identifier: Apache-2.0
#include "random/select.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "random/distribution_for_tests.h"
#include "random/scaled_exp_coin.h"
#include "random/shuffle.h"
#include "random/system_bits.h"
#include "random/tape_for_tests.h"

namespace discreet::random::select_test {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(ExponentialSelect, HasExactlyTheWeightsOnAllTapes) {
  const std::vector<std::int64_t> scores = {3, 1, 2};
  const auto found =
      enumerate<2>(20, [&](auto& tape) { return exponential_select(scores, parse("1/2"), tape); });
  Interval total = Interval::around(0, 200);
  for (const std::int64_t u : scores)
    total = total + exp(Interval::around(parse("1/2") * Rational(u), 200));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Interval p = exp(Interval::around(parse("1/2") * Rational(scores[i]), 200)) / total;
    EXPECT_TRUE(agrees(found, i, p.low(), p.high())) << i;
  }
  EXPECT_LE(found.unresolved, parse("0.1")) << found.unresolved.to_decimal(3, Round::kUp);
}

// Two candidates, score difference d, p = e^(-w d): the better one first with probability 1/2, or
// second after the other's tails.
TEST(PermuteAndFlip, HasExactlyItsProbabilitiesOnAllTapes) {
  const std::vector<std::int64_t> scores = {0, 2};
  const auto found =
      enumerate<2>(18, [&](auto& tape) { return permute_and_flip(scores, parse("1/2"), tape); });
  const Interval half = Interval::around(parse("1/2"), 200);
  const Interval worse = half * exp(Interval::around(-1, 200));
  EXPECT_TRUE(agrees(found, std::size_t{0}, worse.low(), worse.high()));
  EXPECT_LE(found.unresolved, parse("0.001"));
  // It is not the exponential mechanism.
  const Interval other =
      exp(Interval::around(-1, 200)) / (Interval::around(1, 200) + exp(Interval::around(-1, 200)));
  EXPECT_FALSE(agrees(found, std::size_t{0}, other.low(), other.high()));
}

TEST(Select, ScoresAtTheLimitsOfInt64DoNotOverflow) {
  SystemBits& bits = *SystemBits::this_thread().value();
  const std::vector<std::int64_t> scores = {kMin, kMax, kMin, 0};
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(exponential_select(scores, Rational(1), bits), 1U);
    EXPECT_EQ(permute_and_flip(scores, Rational(1), bits), 1U);
  }
  // A weight so small that all are alike: each is chosen, or this fails with probability below
  // 4 (3/4)^200.
  std::array<int, 4> seen{};
  for (int i = 0; i < 200; ++i) ++seen[exponential_select(scores, power_of_two(-200), bits)];
  for (const int count : seen) EXPECT_GT(count, 0);
}

TEST(Select, AMillionCandidatesAreFine) {
  SystemBits& bits = *SystemBits::this_thread().value();
  std::vector<std::int64_t> scores(1000000, 0);
  scores[123456] = 1000;
  EXPECT_EQ(exponential_select(scores, Rational(1), bits), 123456U);
  EXPECT_EQ(permute_and_flip(scores, Rational(1), bits), 123456U);
  const std::vector<std::int64_t> one = {kMin};
  EXPECT_EQ(exponential_select(one, Rational(1), bits), 0U);
}

TEST(Shuffle, GivesEveryOrderTheSameProbability) {
  const auto found = enumerate<2>(18, [](auto& tape) {
    std::vector<int> items = {0, 1, 2};
    shuffle(std::span(items), tape);
    return items;
  });
  EXPECT_EQ(found.at_least.size(), 6U);
  for (const auto& [order, mass] : found.at_least) {
    EXPECT_TRUE(agrees(found, order, parse("1/6"), parse("1/6")));
  }
  EXPECT_LE(found.unresolved, parse("0.001"));
}

TEST(UniformSubset, GivesEverySubsetTheSameProbability) {
  const auto found = enumerate<2>(18, [](auto& tape) { return uniform_subset(5, 2, tape); });
  EXPECT_EQ(found.at_least.size(), 10U);
  for (const auto& [subset, mass] : found.at_least) {
    EXPECT_TRUE(agrees(found, subset, parse("1/10"), parse("1/10")));
  }
  EXPECT_LE(found.unresolved, parse("0.01"));
}

TEST(UniformSubset, WorksAtTheEnds) {
  SystemBits& bits = *SystemBits::this_thread().value();
  EXPECT_TRUE(uniform_subset(7, 0, bits).empty());
  EXPECT_EQ(uniform_subset(3, 3, bits), (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(uniform_subset(~std::uint64_t{0}, 5, bits).size(), 5U);
}

struct ScaledCase {
  const char* rate;
  Int128 d;
  int t;
};

// 2^t e^(-rate d), by 64-bit arithmetic and, for a rate or a product that does not fit, by
// intervals.
TEST(ScaledExpCoin, HasExactlyItsChanceOnAllTapes) {
  for (const auto& [rate, d, t] :
       {ScaledCase{"1", 1, 0}, ScaledCase{"1", 1, 1}, ScaledCase{"1/3", 100, 47},
        ScaledCase{"1/3", 100, 48}, ScaledCase{"44.37", 1, 64}, ScaledCase{"1/1000000", 693148, 1},
        ScaledCase{"20", 3, 64}, ScaledCase{"1e9", 1, 64},
        ScaledCase{"30000000000000000000000/70000000000000000000001", 2, 1},
        ScaledCase{"1/18446744073709551615", Int128{1} << 65, 2}}) {
    const ScaledExpCoin coin(parse(rate));
    const Interval p =
        exp(Interval::around(-parse(rate) * Rational(to_integer(d)), kTestPrecision)) *
        Interval::around(power_of_two(t), kTestPrecision);
    for (const int known : {0, 2}) {  // bits that were read before
      const auto found = enumerate<1>(14, [&](auto& tape) {
        ScaledExpCoin::Spare spare;
        if (known > 0) spare = {tape.take(known), known};
        return coin.flip(d, t, spare, tape);
      });
      EXPECT_TRUE(agrees(found, true, p.low(), p.high())) << rate;
      if (p.low() > parse("0.01")) {  // a chance that is off by a hundredth is seen
        const Rational wrong = p.low() * parse("0.99");
        EXPECT_FALSE(agrees(found, true, wrong, wrong)) << rate;
      }
      EXPECT_LE(found.unresolved, parse("0.001"));
    }
  }
}

TEST(ScaledExpCoin, IsCertainAtDistanceZero) {
  const auto found =
      enumerate<1>(4, [&](auto& tape) { return ScaledExpCoin(Rational(1)).flip(0, 0, {}, tape); });
  EXPECT_EQ(found.at_least.at(true), Rational(1));
}

}  // namespace
}  // namespace discreet::random::select_test
