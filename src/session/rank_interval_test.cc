// SPDX-License-Identifier: Apache-2.0
#include "session/rank_interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/verbs.h"
#include "session/share_for_tests.h"

namespace discreet::session::rank_interval_test {
namespace {

using Values = std::vector<std::int64_t>;
using mechanism::Groups;
using mechanism::Runs;

constexpr std::int64_t kHigh = 120;

TEST(CutsAround, LieOneTwoFourStepsAway) {
  EXPECT_EQ(cuts_around({5}, 0, 10), (Values{2, 4, 5, 6, 7, 9}));
  EXPECT_EQ(cuts_around({0}, 0, 3), (Values{1, 2}));
  EXPECT_EQ(cuts_around({3}, 0, 3), (Values{2, 3}));
  EXPECT_EQ(cuts_around({7}, 7, 7), Values{});
  EXPECT_EQ(cuts_around({1, 2}, 0, 3), (Values{1, 2, 3}));
}

TEST(CutsAround, AreTotalAtTheEndsOfTheRange) {
  constexpr std::int64_t kEnd = std::int64_t{1} << 62;
  const Values wide = cuts_around({kEnd, -1}, -1, kEnd - 1);
  EXPECT_TRUE(std::ranges::is_sorted(wide));
  EXPECT_GT(wide.front(), -1);
  EXPECT_LE(wide.back(), kEnd - 1);
  EXPECT_LT(wide.size(), 130U);
}

/// The least and the greatest quantile, by their definition.
std::pair<std::int64_t, std::int64_t> quantiles_of(const Runs& runs, const Rational& fraction) {
  std::int64_t rows = 0;
  for (const auto& [value, count] : runs) rows += count;
  const Rational rank = fraction * Rational(rows);
  std::int64_t least = kHigh + 1;
  std::int64_t greatest = -1;
  for (std::int64_t v = 0; v <= kHigh; ++v) {
    std::int64_t below = 0;
    std::int64_t upto = 0;
    for (const auto& [value, count] : runs) {
      below += value < v ? count : 0;
      upto += value <= v ? count : 0;
    }
    if (Rational(below) > rank || Rational(upto) < rank) continue;
    least = std::min(least, v);
    greatest = std::max(greatest, v);
  }
  return {least, greatest};
}

/// In which share of draws the interval around `guess` holds all quantiles.
template <class Mechanism>
double coverage(const Mechanism& noise, const Runs& runs, const Rational& fraction, double beta,
                const Values& guess) {
  Groups groups;
  groups.keys = {""};
  groups.runs = {{runs}};
  const Sensitive<Groups> sealed(std::move(groups));
  const Values cuts = cuts_around(guess, 0, kHigh);
  const auto [least, greatest] = quantiles_of(runs, fraction);
  RankIntervals intervals(plan::Noise(noise), fraction, beta);
  const int draws = share_draws(0.95);
  int held = 0;
  for (int i = 0; i < draws; ++i) {
    const auto counts =
        mechanism::Door::release(noise, mechanism::Verbs::cells(sealed, 0, {""}, {cuts}),
                                 cli::OwnValues::for_use_of(noise))
            ->value();
    const RankInterval ends = intervals.of(cuts, counts);
    if (ends.low.value_or(0) <= least && greatest <= ends.high.value_or(kHigh)) ++held;
  }
  return static_cast<double>(held) / draws;
}

Runs ages() {
  Runs runs;
  for (std::int64_t age = 30; age <= 90; ++age) runs.emplace_back(age, age == 60 ? 1 : 40);
  return runs;
}

mechanism::LaplaceVector laplace(int scale) {
  return *mechanism::LaplaceVector::make({Sensitivity::trusted(scale), Epsilon::trusted(1)});
}

TEST(RankInterval, HoldsAllQuantilesAsOftenAsItSays) {
  const auto gaussian = *mechanism::GaussianVector::make({L2Squared::trusted(50), Rho::trusted(1)});
  const Runs one_value = {{17, 500}};
  for (const Runs& runs : {Runs{}, Runs{{60, 1}}, ages(), one_value}) {
    for (const Rational& fraction : {Rational::ratio(1, 2), Rational::ratio(1, 10)}) {
      for (const Values& guess : {Values{60}, Values{3, 110}}) {  // around the truth or elsewhere
        EXPECT_GE(coverage(laplace(5), runs, fraction, 0.05, guess), 0.95 - kShareMargin);
        EXPECT_GE(coverage(gaussian, runs, fraction, 0.05, guess), 0.95 - kShareMargin);
      }
    }
  }
}

// Without rows every point is a quantile, and both ends are at stake. Planted: a margin for beta =
// 0.9, which is 0.28 of the right one's Gaussian tail.
TEST(RankInterval, TooSmallAMarginIsCaught) {
  EXPECT_LT(coverage(laplace(5), {}, Rational::ratio(1, 2), 0.9, {60}), 0.95 - kShareMargin);
}

TEST(RankInterval, IsNarrowWhereThereAreManyRowsAndTheWholeRangeWhereThereAreNone) {
  const Values cuts = cuts_around({60}, 0, kHigh);
  Values counts(cuts.size() + 1, 100'000);
  RankIntervals median(plan::Noise(laplace(5)), Rational::ratio(1, 2), 0.05);
  const RankInterval narrow = median.of(cuts, counts);
  ASSERT_TRUE(narrow.low && narrow.high);
  EXPECT_LE(*narrow.high - *narrow.low, 4);
  std::ranges::fill(counts, 0);
  const RankInterval wide = median.of(cuts, counts);
  EXPECT_FALSE(wide.low || wide.high);
  // Counts at the limits of entries are numbers like others.
  std::ranges::fill(counts, (std::int64_t{1} << 62) - 1);
  (void)median.of(cuts, counts);
  std::ranges::fill(counts, std::numeric_limits<std::int64_t>::min());
  (void)median.of(cuts, counts);
}

}  // namespace
}  // namespace discreet::session::rank_interval_test
