// SPDX-License-Identifier: Apache-2.0
#include "mechanism/quantiles.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mechanism/brackets_for_tests.h"
#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::quantiles_test {
namespace {

using Values = std::vector<std::int64_t>;
using Options = Quantiles::Options;

Runs runs_of(const Values& values) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::int64_t value : values) ++counts[value];
  return {counts.begin(), counts.end()};
}

/// score(v) by its definition, value by value.
Rational score(const Rational& fraction, const Options& options, const Values& values,
               std::int64_t v) {
  const Rational rank = fraction * Rational(static_cast<std::int64_t>(values.size()));
  std::int64_t below = 0;
  std::int64_t upto = 0;
  for (const std::int64_t value : values) {
    const std::int64_t x = std::clamp(value, options.low, options.high);
    if (x < v) ++below;
    if (x <= v) ++upto;
  }
  return std::max(Rational(below) - rank, rank - Rational(upto));
}

/// C of quantiles.md.
Rational widths(const Options& options) {
  Rational most = 0;
  Rational above = 0;
  Rational below = 0;
  for (const Rational& fraction : options.fractions) {
    most = most + std::max(fraction, 1 - fraction);
    above = above + fraction;
    below = below + (1 - fraction);
  }
  return most + std::max(above, below);
}

Rational weight(const Options& options) {
  return options.epsilon.value() /
         (Rational(options.keys_per_unit) * Rational(options.rows_per_unit) * widths(options));
}

/// e^{-w score} of every point from low to high.
std::vector<Interval> weights(const Options& options, const Values& values,
                              const Rational& factor = 1, std::size_t which = 0) {
  std::vector<Interval> out;
  for (std::int64_t v = options.low; v <= options.high; ++v) {
    out.push_back(exp(
        interval(-factor * weight(options) * score(options.fractions[which], options, values, v))));
  }
  return out;
}

Interval sum_of(const std::vector<Interval>& terms) {
  Interval sum = interval(0);
  for (const Interval& term : terms) sum = sum + term;
  return sum;
}

Tabulated<Values> table(const Options& options, const std::vector<Values>& keys, int depth = 17) {
  std::vector<Runs> runs;
  for (const Values& values : keys) runs.push_back(runs_of(values));
  const Quantiles mechanism = *Quantiles::make(options);
  return tabulate<1>(depth, [&](auto& tape) {
    return Door::replay(mechanism, Sensitive<std::vector<Runs>>(runs), tape).outcome();
  });
}

Values released(const Quantiles& mechanism, std::vector<Runs> runs) {
  return Door::release(mechanism, Sensitive<std::vector<Runs>>(std::move(runs)),
                       cli::OwnValues::for_use_of(mechanism))
      ->value();
}

Options options_of(const char* epsilon, const char* fraction, std::int64_t low, std::int64_t high) {
  return {
      .epsilon = epsilon_of(epsilon), .fractions = {rational(fraction)}, .low = low, .high = high};
}

/// Whether all tapes give e^{-factor w score} / sum at every point.
bool has_weights(const Options& options, const Values& values, const Rational& factor = 1) {
  const auto seen = table(options, {values});
  EXPECT_LT(seen.cut_off, ratio(1, 8)) << seen.cut_off.to_decimal(3, Round::kUp);
  const auto terms = weights(options, values, factor);
  const Interval sum = sum_of(terms);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Values outcome{options.low + static_cast<std::int64_t>(i)};
    if (!agrees(seen, outcome, terms[i] / sum)) return false;
  }
  return true;
}

const Values kData[] = {{}, {1}, {0, 0, 3}, {2, 2, 2, 2}, {0, 1, 2, 3, 3}, {-7, 1, 90}};

TEST(Quantiles, AllTapesGiveTheWeightsExactly) {
  for (const char* fraction : {"0", "1/4", "1/2", "2/3", "1"}) {
    for (const Values& values : kData) {
      EXPECT_TRUE(has_weights(options_of("3/2", fraction, 0, 3), values)) << fraction;
    }
  }
}

TEST(Quantiles, SteepWeightsAndWideOnesAreExactToo) {
  EXPECT_TRUE(has_weights(options_of("100", "1/2", -2, 5), {0, 0, 1, 3, 3}));
  EXPECT_TRUE(has_weights(options_of("1e-9", "1/2", -2, 5), {0, 0, 1, 3, 3}));
  EXPECT_TRUE(has_weights(options_of("1", "1/2", 4, 4), {0, 0, 9}));
  EXPECT_TRUE(has_weights(options_of("0.7", "1/1000000", 0, 2), {1, 1, 2}));
  EXPECT_TRUE(
      has_weights(options_of("12345678901234567890123/98765432109876543210987", "1/2", 0, 2),
                  {1, 1, 2}));  // parts that do not fit 64 bits
}

TEST(Quantiles, AWeightWithoutTheTwoInItIsCaught) {
  EXPECT_FALSE(has_weights(options_of("3/2", "1/2", 0, 3), {0, 1, 2, 3, 3}, 2));
  EXPECT_FALSE(has_weights(options_of("3/2", "1/2", 0, 3), {0, 1, 2, 3, 3}, ratio(11, 10)));
}

TEST(Quantiles, KeysAreIndependentAndShareEpsilon) {
  Options options = options_of("3", "1/2", 0, 1);
  options.keys_per_unit = 2;
  const auto seen = table(options, {{0, 0, 1}, {1}}, 20);
  EXPECT_LT(seen.cut_off, ratio(1, 50));
  const auto first = weights(options, {0, 0, 1});
  const auto second = weights(options, {1});
  const Interval total = sum_of(first) * sum_of(second);
  for (const std::int64_t v : {0, 1}) {
    for (const std::int64_t u : {0, 1}) {
      EXPECT_TRUE(
          agrees(seen, Values{v, u},
                 first[static_cast<std::size_t>(v)] * second[static_cast<std::size_t>(u)] / total));
    }
  }
}

TEST(Quantiles, FractionsAreIndependentAndShareEpsilon) {
  Options options = options_of("3", "1/4", 0, 1);
  options.fractions = {ratio(3, 4), ratio(1, 4)};
  ASSERT_EQ(widths(options), ratio(5, 2));
  const Values values{0, 0, 1};
  const auto seen = table(options, {values}, 20);
  EXPECT_LT(seen.cut_off, ratio(1, 50));
  const auto first = weights(options, values, 1, 0);
  const auto second = weights(options, values, 1, 1);
  const Interval total = sum_of(first) * sum_of(second);
  for (const std::int64_t v : {0, 1}) {
    for (const std::int64_t u : {0, 1}) {
      EXPECT_TRUE(
          agrees(seen, Values{v, u},
                 first[static_cast<std::size_t>(v)] * second[static_cast<std::size_t>(u)] / total));
    }
  }
}

/// What permute-and-flip gives: of the points whose coins show heads one, all alike.
std::vector<Interval> flipped(const Options& options, const Values& values) {
  std::vector<Interval> heads = weights(options, values);
  Rational least = score(options.fractions[0], options, values, options.low);
  for (std::int64_t v = options.low; v <= options.high; ++v) {
    least = std::min(least, score(options.fractions[0], options, values, v));
  }
  const Interval best = exp(interval(-weight(options) * least));
  for (Interval& one : heads) one = one / best;
  std::vector<Interval> out(heads.size(), interval(0));
  for (std::size_t set = 1; set < (std::size_t{1} << heads.size()); ++set) {
    Interval chance = interval(1);
    std::int64_t size = 0;
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const bool in = (set >> i & 1) != 0;
      chance = chance * (in ? heads[i] : interval(1) - heads[i]);
      size += in ? 1 : 0;
    }
    for (std::size_t i = 0; i < heads.size(); ++i) {
      if ((set >> i & 1) != 0) out[i] = out[i] + chance / interval(size);
    }
  }
  return out;
}

TEST(Quantiles, AllTapesFlipWithTheRightChances) {
  for (const char* fraction : {"0", "1/4", "1/2", "1"}) {
    for (const Values& values : kData) {
      Options options = options_of("3/2", fraction, 0, 2);
      options.choice = Quantiles::Choice::kPermuteAndFlip;
      const auto seen = table(options, {values}, 18);
      EXPECT_LT(seen.cut_off, ratio(1, 8)) << seen.cut_off.to_decimal(3, Round::kUp);
      const auto chances = flipped(options, values);
      for (std::size_t i = 0; i < chances.size(); ++i) {
        EXPECT_TRUE(agrees(seen, Values{static_cast<std::int64_t>(i)}, chances[i])) << fraction;
      }
    }
  }
}

TEST(Quantiles, TheTwoLawsAreToldApart) {
  Options options = options_of("3/2", "1/2", 0, 2);
  options.choice = Quantiles::Choice::kPermuteAndFlip;
  const Values values{0, 1, 1, 2};
  const auto exponential = weights(options, values);
  EXPECT_FALSE(
      agrees(table(options, {values}, 18), Values{1}, exponential[1] / sum_of(exponential)));
}

TEST(Quantiles, FlippedNeighboursStayWithinEpsilon) {
  for (const char* fraction : {"0", "1/3", "1/2"}) {
    Options options = options_of("2", fraction, 0, 2);
    options.choice = Quantiles::Choice::kPermuteAndFlip;
    for (const Values& values : kData) {
      const auto before = table(options, {values}, 16);
      for (const std::int64_t row : {0, 2}) {
        Values more = values;
        more.push_back(row);
        EXPECT_EQ(delta_between(before, table(options, {more}, 16), epsilon_of("2")), Rational(0));
      }
    }
  }
  EXPECT_FALSE(Quantiles::make({.epsilon = epsilon_of("1"),
                                .fractions = {ratio(1, 2)},
                                .high = 1024,
                                .choice = Quantiles::Choice::kPermuteAndFlip}));
}

/// What a row more does to the scores of a fraction: the width of the range of its changes.
Rational range_of_changes(const Rational& fraction, const Options& options, const Values& before,
                          const Values& after) {
  std::optional<Rational> least;
  std::optional<Rational> most;
  for (std::int64_t v = options.low; v <= options.high; ++v) {
    const Rational change =
        score(fraction, options, after, v) - score(fraction, options, before, v);
    least = least ? std::min(*least, change) : change;
    most = most ? std::max(*most, change) : change;
  }
  return *most - *least;
}

// quantiles.md §2, and §3 for the squares: a row's ranges add up to no more than C.
RC_GTEST_PROP(Quantiles, TheRangesOfOneRowsChangesAddUpToNoMoreThanTheyAreCharged, ()) {
  Options options = options_of("1", "1/2", -3, 4);
  options.fractions.clear();
  const int b = *rc::gen::inRange(1, 8);
  for (int a = 0; a <= b; ++a) {
    if (*rc::gen::arbitrary<bool>()) options.fractions.push_back(ratio(a, b));
  }
  if (options.fractions.empty()) options.fractions = {ratio(1, b)};
  Values values = *rc::gen::container<Values>(rc::gen::inRange<std::int64_t>(-5, 7));
  const Values before = values;
  values.push_back(*rc::gen::inRange<std::int64_t>(-5, 7));
  Rational sum = 0;
  Rational squares = 0;
  for (const Rational& fraction : options.fractions) {
    const Rational range = range_of_changes(fraction, options, before, values);
    sum = sum + range;
    squares = squares + range * range;
  }
  RC_ASSERT(sum <= widths(options));
  // rho = w^2 Q / 8 for one row in one key.
  const Rational rho = Quantiles::make(options)->cost().rho->value();
  RC_ASSERT(weight(options) * weight(options) * squares / 8 <= rho);
}

TEST(Quantiles, TheChargedRangesAreReached) {  // so that no smaller C would do
  Options options = options_of("1", "1/2", 0, 9);
  options.fractions = {ratio(1, 4), ratio(1, 2), ratio(3, 4)};
  Values before;
  for (int i = 0; i < 40; ++i) before.push_back(2 + i % 6);
  Values after = before;
  after.push_back(1);
  Rational sum = 0;
  for (const Rational& fraction : options.fractions) {
    sum = sum + range_of_changes(fraction, options, before, after);
  }
  EXPECT_EQ(sum, ratio(7, 2));
  EXPECT_EQ(widths(options), ratio(7, 2));
}

TEST(Quantiles, CompiledNeighboursStayWithinEpsilonAndNotWithinMuchLess) {
  for (const char* fraction : {"0", "1/3", "1/2", "1"}) {
    const Options options = options_of("2", fraction, 0, 3);
    for (const Values& values : kData) {
      const auto before = table(options, {values}, 15);
      for (const std::int64_t row : {0, 3}) {
        Values more = values;
        more.push_back(row);
        EXPECT_EQ(delta_between(before, table(options, {more}, 15), epsilon_of("2")), Rational(0));
      }
    }
  }
  Options options = options_of("2", "1/2", 0, 2);
  const auto delta = [&](const Values& more, const char* epsilon) {
    return delta_between(table(options, {{0, 1, 2}}, 20), table(options, {more}, 20),
                         epsilon_of(epsilon));
  };
  EXPECT_GT(delta({0, 1, 2, 2}, "1"), Rational(0));
  // Three rows of a unit that was declared to have one are too far; with all declared they are not.
  EXPECT_GT(delta({0, 1, 2, 2, 2, 2}, "2"), Rational(0));
  options.rows_per_unit = 3;
  EXPECT_EQ(delta({0, 1, 2, 2, 2, 2}, "2"), Rational(0));
}

TEST(Quantiles, SeveralFractionsStayWithinEpsilonTogether) {
  Options options = options_of("1", "1/2", 0, 1);
  options.fractions = {ratio(1, 4), ratio(3, 4)};
  for (const Values& values : {Values{}, Values{0}, Values{0, 1}, Values{1, 1, 0}}) {
    const auto before = table(options, {values}, 18);
    for (const std::int64_t row : {0, 1}) {
      Values more = values;
      more.push_back(row);
      EXPECT_EQ(delta_between(before, table(options, {more}, 18), epsilon_of("1")), Rational(0));
    }
  }
}

// Exactly, from the weights that the tapes above confirm.
RC_GTEST_PROP(Quantiles, ScoresStayWithinTheShortfallWithItsConfidence, ()) {
  const int b = *rc::gen::inRange(1, 6);
  Options options = options_of("1", "1/2", 0, *rc::gen::inRange(0, 12));
  options.epsilon = *Epsilon::of(ratio(*rc::gen::inRange(1, 60), 10));
  options.fractions = {ratio(*rc::gen::inRange(0, b + 1), b)};
  options.rows_per_unit = *rc::gen::inRange(1, 3);
  const Confidence confidence = *Confidence::of(ratio(*rc::gen::inRange(50, 99), 100));
  const Values values = *rc::gen::container<Values>(rc::gen::inRange<std::int64_t>(-2, 15));
  const Rational within = Quantiles::make(options)->rank_shortfall(confidence);
  const auto terms = weights(options, values);
  Interval missed = interval(0);
  for (std::int64_t v = options.low; v <= options.high; ++v) {
    if (score(options.fractions[0], options, values, v) <= within) continue;
    missed = missed + terms[static_cast<std::size_t>(v - options.low)];
  }
  RC_ASSERT(!certainly_less(interval(1 - confidence.value()), missed / sum_of(terms)));
}

/// Pearson's statistic of draws against e^{-factor w score} as a standard normal deviate (Wilson
/// and Hilferty); points expected fewer than ten times are lumped.
double deviate(const Options& options, const Values& values, const Rational& factor, int draws) {
  const Quantiles mechanism = *Quantiles::make(options);
  const auto drawn =
      released(mechanism, std::vector<Runs>(static_cast<std::size_t>(draws), runs_of(values)));
  std::map<std::int64_t, double> seen;
  for (const std::int64_t v : drawn) seen[v] += 1;
  const auto terms = weights(options, values, factor);
  const Interval sum = sum_of(terms);
  double rare = draws;
  double rare_seen = draws;
  double statistic = 0;
  double cells = 0;
  const auto add = [&](double count, double expected) {
    statistic += (count - expected) * (count - expected) / expected;
    cells += 1;
  };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double expected = draws * (terms[i] / sum).low().to_double(Round::kDown);
    if (expected < 10) continue;
    const double count = seen[options.low + static_cast<std::int64_t>(i)];
    add(count, expected);
    rare -= expected;
    rare_seen -= count;
  }
  if (rare >= 10) add(rare_seen, rare);
  const double spread = 2 / (9 * (cells - 1));
  return (std::cbrt(statistic / (cells - 1)) - (1 - spread)) / std::sqrt(spread);
}

// A hundred levels of points around the median of many rows; false alarm about 1e-9 each.
TEST(Quantiles, DrawsFitTheWeightsOnLargerDataAndAWrongWeightDoesNot) {
  Values values;
  for (std::int64_t i = 0; i < 500; ++i) values.push_back((i * i * 7919) % 211);
  Options options = options_of("0.05", "1/2", 0, 230);
  EXPECT_LT(deviate(options, values, 1, 50'000), 6);
  EXPECT_GT(deviate(options, values, ratio(6, 5), 50'000), 6);
  options.fractions = {ratio(9, 10)};
  EXPECT_LT(deviate(options, values, 1, 50'000), 6);
  options.epsilon = epsilon_of("3");
  EXPECT_LT(deviate(options, values, 1, 50'000), 6);
}

TEST(Quantiles, AMillionDuplicatesAtTheRankNeverFail) {  // smartnoise-sdk#572
  constexpr std::int64_t kEnd = std::int64_t{1} << 61;
  const Runs duplicates = {{0, 1'000'000}, {1, 1}};
  for (const char* epsilon : {"1e-30", "0.001", "1", "50", "1099511627776"}) {
    for (const char* fraction : {"0", "1/2", "0.999999", "1"}) {
      for (const std::int64_t end : {std::int64_t{1}, kEnd}) {
        const auto mechanism = Quantiles::make(options_of(epsilon, fraction, -end, end));
        ASSERT_TRUE(mechanism);
        const Values answer = released(*mechanism, {duplicates, Runs(), {{kEnd, 1}}});
        ASSERT_EQ(answer.size(), 3U);
        for (const std::int64_t v : answer) EXPECT_TRUE(-end <= v && v <= end);
        // At the median of duplicates e^{-250} is left for all other points together.
        if (rational(epsilon) >= Rational(1) && rational(fraction) == ratio(1, 2)) {
          EXPECT_EQ(answer[0], 0);
        }
      }
    }
  }
}

TEST(Quantiles, ValuesAndCountsAtTheLimitsOfInt64AreTotal) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  const auto median = *Quantiles::make(options_of("1", "1/2", -10, 10));
  EXPECT_EQ(released(median, {{{kMin, kMax}, {kMax, 7}}})[0], -10);
  EXPECT_EQ(released(median, {{{kMin, kMin}, {0, -3}, {4, 100'000}, {kMax, 0}}})[0], 4);
  EXPECT_EQ(released(median, {{{kMin, kMax}, {1, kMax}, {kMax, kMax}}})[0], 1);
  constexpr std::int64_t kEnd = std::int64_t{1} << 62;
  for (const auto& [low, high] :
       {std::pair(-kEnd, std::int64_t{0}), std::pair(std::int64_t{0}, kEnd)}) {
    const auto wide = *Quantiles::make(options_of("50", "1/3", low, high));
    (void)released(wide, {Runs(), {{kMin, kMax}, {kMax, kMax}}});
  }
}

TEST(Quantiles, CostsTheWholeReleaseAndDividesRhoByTheKeys) {
  Options options = options_of("1/2", "0.9", -4, 7);
  options.keys_per_unit = 4;
  options.rows_per_unit = 3;
  const Quantiles mechanism = *Quantiles::make(options);
  EXPECT_EQ(mechanism.cost().epsilon->value(), ratio(1, 2));
  EXPECT_EQ(mechanism.cost().rho->value(), ratio(1, 128));
  EXPECT_EQ(mechanism.cost().delta.value(), Rational(0));
  EXPECT_EQ(mechanism.noise().text,
            "quantiles(epsilon=0.5,keys_per_unit=4,rows_per_unit=3,fractions=0.9,low=-4,high=7)");
  // The lecture's bound: (ln|O| + ln(1/beta)) / w, here with 12 points and w = 10/432 a row.
  EXPECT_EQ(mechanism.rank_shortfall(confidence_of("0.95")), ratio(2307, 10));
  // Quartiles: C = 7/2 and Q = (3/2)^2 + 1 + 1, so that rho = (1/2)^2 Q / (8 4 C^2).
  options.fractions = {ratio(1, 4), ratio(1, 2), ratio(3, 4)};
  const Quantiles quartiles = *Quantiles::make(options);
  EXPECT_EQ(quartiles.cost().epsilon->value(), ratio(1, 2));
  EXPECT_EQ(quartiles.cost().rho->value(), ratio(17 * 4, 4 * 4 * 32 * 49));
  EXPECT_NE(quartiles.noise().text.find("fractions=0.25 0.5 0.75,"), std::string::npos);
  options.choice = Quantiles::Choice::kPermuteAndFlip;  // epsilon^2/2, not a part of it
  EXPECT_EQ(Quantiles::make(options)->cost().rho->value(), ratio(1, 8));
}

TEST(Quantiles, RefusesBadOptionsNamingTheFix) {
  const auto refused = [](const Options& options) {
    const auto made = Quantiles::make(options);
    return !made && made.error().code == Code::kInvalidInput;
  };
  const Options good = options_of("1", "1/2", 0, 9);
  EXPECT_FALSE(refused(good));
  const auto with = [&](auto change) {
    Options options = good;
    change(options);
    return options;
  };
  EXPECT_TRUE(refused(with([](Options& o) { o.keys_per_unit = 0; })));
  EXPECT_TRUE(refused(with([](Options& o) { o.rows_per_unit = -1; })));
  EXPECT_TRUE(refused(with([](Options& o) { o.fractions = {ratio(-1, 9)}; })));
  EXPECT_TRUE(refused(with([](Options& o) { o.fractions = {ratio(10, 9)}; })));
  EXPECT_TRUE(refused(with([](Options& o) { o.fractions = {ratio(1, (1 << 20) + 1)}; })));
  EXPECT_TRUE(refused(with([](Options& o) { o.fractions = {}; })));
  EXPECT_TRUE(refused(with([](Options& o) { o.fractions = {ratio(1, 2), ratio(2, 4)}; })));
  EXPECT_TRUE(refused(with([](Options& o) { o.low = 10; })));
  EXPECT_TRUE(refused(with([](Options& o) { o.low = -1, o.high = std::int64_t{1} << 62; })));
  EXPECT_TRUE(refused(with([](Options& o) { o.low = o.high = (std::int64_t{1} << 62) + 1; })));
  EXPECT_TRUE(refused(with([](Options& o) {
    o.low = std::numeric_limits<std::int64_t>::min();
    o.high = std::numeric_limits<std::int64_t>::max();
  })));
}

}  // namespace
}  // namespace discreet::mechanism::quantiles_test
