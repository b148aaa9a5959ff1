// SPDX-License-Identifier: Apache-2.0
#include "mechanism/thresholded_groups.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mechanism/brackets_for_tests.h"
#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/threshold_jump.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::thresholded_groups_test {
namespace {

struct Wanted {
  const char* epsilon = "1";
  const char* delta = "0.2";
  long capacity = 1;
  std::int64_t keys = 1;
  bool room = true;
};

LaplaceNoise laplace(const Wanted& wanted) {
  return *LaplaceNoise::make(
      {Sensitivity::trusted(Rational(wanted.keys * wanted.capacity)), epsilon_of(wanted.epsilon)});
}

ThresholdedGroups make(const Wanted& wanted) {
  return *ThresholdedGroups::make({.noise = laplace(wanted),
                                   .delta = delta_of(wanted.delta),
                                   .capacity = wanted.capacity,
                                   .keys_per_unit = wanted.keys,
                                   .room = wanted.room});
}

ThresholdedGroups gaussian(const char* rho, const Wanted& wanted) {
  const Rational squared(wanted.keys * wanted.capacity * wanted.capacity);
  return *ThresholdedGroups::make(
      {.noise = *GaussianNoise::make({L2Squared::trusted(squared), *Rho::parse(rho)}),
       .delta = delta_of(wanted.delta),
       .capacity = wanted.capacity,
       .keys_per_unit = wanted.keys,
       .room = wanted.room});
}

KeySums sums(const ThresholdedGroups& mechanism, std::vector<std::string> keys,
             std::vector<std::int64_t> units, std::vector<Int128> values) {
  return {std::move(keys), std::move(units), std::move(values),
          to_int128(mechanism.options().capacity)};
}

Tabulated<ShownSums> table(const ThresholdedGroups& mechanism, const KeySums& groups,
                           int depth = 20) {
  return tabulate<4>(depth, [&](auto& tape) {
    return Door::replay(mechanism, Sensitive<KeySums>(KeySums(groups)), tape).outcome();
  });
}

ShownSums released(const ThresholdedGroups& mechanism, const KeySums& groups) {
  return Door::release(mechanism, Sensitive<KeySums>(KeySums(groups)),
                       cli::OwnValues::for_use_of(mechanism))
      ->value();
}

/// Pr[Z = z] of scale s.
Interval weight(const Rational& scale, long z) {
  const Interval q = exp(interval(-1 / scale));
  return (interval(1) - q) / (interval(1) + q) * exp(interval(Rational(z < 0 ? z : -z) / scale));
}

TEST(ThresholdJump, TheTailOfTwoLaplacesIsTheSumOfTheirProducts) {
  constexpr long kFar = 80;  // what lies beyond is below e^-30
  for (const char* scale : {"1/3", "1", "5/2"}) {
    const Scale s = scale_of(scale);
    std::vector<Interval> tails;  // tails[i] = Pr[kFar - i <= Z <= kFar]
    for (long b = kFar; b >= -kFar - 9; --b) {
      const Interval p = weight(s.value(), b);
      tails.push_back(tails.empty() ? p : tails.back() + p);
    }
    for (const long t : {0L, 1L, 2L, 5L, 9L}) {
      Interval sum = interval(0);
      for (long a = t - kFar; a <= kFar; ++a) {
        sum = sum + weight(s.value(), a) * tails[static_cast<std::size_t>(kFar - t + a)];
      }
      const Interval closed = laplace_pair_tail(s, t)(kTestPrecision);
      EXPECT_FALSE(certainly_less(closed, sum)) << scale << ' ' << t;
      EXPECT_TRUE(certainly_less(closed, sum + interval(power_of_two(-35)))) << scale << ' ' << t;
    }
  }
}

TEST(ThresholdJump, IsTheLeastThatKeepsTheMassAtItWithinDelta) {
  for (const char* scale : {"1/40", "1", "12", "1000000", "1099511627776"}) {
    const Scale s = Scale::trusted(*Rational::parse(scale));
    for (const char* delta : {"1e-300", "1e-9", "1e-6", "0.01", "0.4"}) {
      const Interval allowed = interval(delta_of(delta).value());
      const Integer jump = laplace_jump(s, delta_of(delta), 2);
      EXPECT_TRUE(certainly_less(laplace_pair_tail(s, jump)(kTestPrecision), allowed));
      if (jump > 1) {
        EXPECT_TRUE(certainly_less(allowed, laplace_pair_tail(s, jump - 1)(kTestPrecision)));
      }
      EXPECT_GE(jump, laplace_jump(s, delta_of(delta), 1));
    }
  }
  EXPECT_EQ(laplace_jump(Scale::trusted(1), delta_of("0.5"), 2), 1);
}

TEST(ThresholdJump, OfTwoGaussiansCoversTheirExactSum) {
  for (const char* variance : {"1/4", "1", "30", "200"}) {
    const Variance v = Variance::trusted(*Rational::parse(variance));
    const double sigma = std::sqrt(v.value().to_double(Round::kUp));
    const long far = static_cast<long>(20 * sigma) + 4;
    std::vector<double> p;
    double total = 0;
    for (long z = -far; z <= far; ++z) {
      p.push_back(std::exp(-static_cast<double>(z * z) / (2 * sigma * sigma)));
      total += p.back();
    }
    const auto tail = [&](long t) {
      double sum = 0;
      for (long a = -far; a <= far; ++a) {
        for (long b = std::max(-far, t - a); b <= far; ++b) {
          sum += p[static_cast<std::size_t>(a + far)] * p[static_cast<std::size_t>(b + far)];
        }
      }
      return sum / (total * total);
    };
    for (const char* text : {"1e-9", "1e-4", "0.1"}) {
      const double delta = delta_of(text).value().to_double(Round::kUp);
      const long jump = gaussian_jump(v, delta_of(text), 2).get_si();
      EXPECT_LE(tail(jump), delta * 1.000001) << variance << ' ' << delta;
      if (jump > 4) {
        EXPECT_GT(tail(jump - 4), delta) << variance << ' ' << delta;
      }
    }
  }
}

// One key: all tapes against the formula. Two numbers are drawn, so the table is of (y, hidden v).
TEST(ThresholdedGroups, AllTapesShowTheSumWhenSumAndRoomReachTheThreshold) {
  const auto mechanism = make({.epsilon = "4", .delta = "0.05", .capacity = 2});
  const Rational scale = ratio(1, 2);
  const long tau = static_cast<long>(mechanism.threshold());
  for (const long units : {1L, 3L}) {
    for (const long x : {0L, 2L}) {
      const auto seen = table(mechanism, sums(mechanism, {"a"}, {units}, {x}));
      EXPECT_LT(seen.cut_off, ratio(1, 10));
      Interval shown = interval(0);
      for (long y = -8; y <= 12; ++y) {
        // v >= tau - y, v = 2 units - x + Z'.
        Interval room = interval(0);
        for (long v = tau - y; v <= tau + 40; ++v) room = room + weight(scale, v - 2 * units + x);
        const Interval p = weight(scale, y - x) * room;
        shown = shown + p;
        EXPECT_TRUE(agrees(seen, ShownSums{{"a"}, {y}}, p)) << units << ' ' << x << ' ' << y;
      }
      EXPECT_TRUE(agrees(seen, ShownSums{}, interval(1) - shown)) << units << ' ' << x;
    }
  }
  const auto absent = table(mechanism, sums(mechanism, {}, {}, {}));
  EXPECT_EQ(absent.mass.size(), 1U);
  EXPECT_EQ(absent.low(ShownSums{}), Rational(1));
}

TEST(ThresholdedGroups, CompiledNeighboursStayWithinEpsilonAndDelta) {
  const Epsilon epsilon = epsilon_of("4");
  const Rational delta = ratio(3, 100);
  const auto mechanism = make({.epsilon = "4", .delta = "0.03", .capacity = 2});
  ASSERT_EQ(mechanism.threshold(), 5);
  ASSERT_EQ(laplace_jump(scale_of("1/2"), delta_of("0.03"), 1), 2);  // one noise: 4 would do
  std::map<std::pair<std::int64_t, Int128>, Tabulated<ShownSums>> known;
  const auto tab = [&](std::int64_t units, Int128 x) -> const Tabulated<ShownSums>& {
    const auto [found, fresh] = known.try_emplace({units, x});
    if (fresh) {
      found->second = table(mechanism, units == 0 ? sums(mechanism, {}, {}, {})
                                                  : sums(mechanism, {"a"}, {units}, {x}));
    }
    return found->second;
  };
  for (const auto& [units, x] : {std::pair<std::int64_t, Int128>{0, 0}, {1, 0}, {1, 2}, {2, 1}}) {
    for (Int128 added = 0; added <= 2; ++added) {
      EXPECT_LE(delta_between(tab(units, x), tab(units + 1, x + added), epsilon), delta);
    }
  }
  // A lone unit uses delta, and two lone units would need more of it than there is.
  EXPECT_GT(delta_between(tab(0, 0), tab(1, 1), epsilon), ratio(1, 1000));
  EXPECT_GT(delta_between(tab(0, 0), tab(2, 1), epsilon), delta);
}

// A unit with two keys, without room (x = n): half of epsilon, or half of delta, for each.
TEST(ThresholdedGroups, TwoKeysOfOneUnitShareEpsilonAndDelta) {
  const Epsilon epsilon = epsilon_of("3");
  const auto tab = [](const ThresholdedGroups& m, std::vector<std::string> keys,
                      const std::vector<std::int64_t>& units) {
    return table(m, sums(m, std::move(keys), units, {units.begin(), units.end()}), 16);
  };
  const auto mechanism = make({.epsilon = "3", .delta = "0.1", .keys = 2, .room = false});
  EXPECT_LE(delta_between(tab(mechanism, {}, {}), tab(mechanism, {"b", "a"}, {1, 1}), epsilon),
            ratio(1, 10));
  EXPECT_LE(delta_between(tab(mechanism, {"c", "d"}, {3, 3}), tab(mechanism, {"d", "c"}, {2, 2}),
                          epsilon),
            ratio(1, 10));
  // Told of one key only, it is not private for two.
  const auto wrong = make({.epsilon = "3", .delta = "0.1", .keys = 1, .room = false});
  EXPECT_GT(delta_between(tab(wrong, {"c", "d"}, {4, 4}), tab(wrong, {"d", "c"}, {3, 3}), epsilon),
            ratio(1, 10));
}

// 200,000 keys each with n units and sums of n: how many are shown and how far their sums are off,
// within six standard deviations (false alarm below 1e-7 in all), at a scale of the bulk sampler.
TEST(ThresholdedGroups, ShowsTheRightShareOfManyKeysWithTheRightNoise) {
  const auto mechanism = make({.epsilon = "1", .delta = "0.01", .capacity = 4, .keys = 3});
  constexpr int kKeys = 200'000;
  const Scale scale = Scale::trusted(12);
  KeySums groups = sums(mechanism, {}, {}, {});
  for (int i = 0; i < kKeys; ++i) groups.keys.push_back(std::to_string(i));
  const auto tau = to_integer(mechanism.threshold());
  const auto share = [&](long n) {  // Pr[S >= tau - 4n], by symmetry
    const Integer t = tau - 4 * n;
    const double p = t >= 0 ? laplace_pair_tail(scale, t)(64).low().to_double(Round::kDown)
                            : 1 - laplace_pair_tail(scale, 1 - t)(64).low().to_double(Round::kDown);
    return p;
  };
  for (const int n : {10, 20, 25, 60}) {
    groups.units.assign(kKeys, n);
    groups.sums.assign(kKeys, n);
    const ShownSums shown = released(mechanism, groups);
    const auto kept = static_cast<double>(shown.keys.size());
    const double spread = 6 * std::sqrt(kKeys * share(n) * (1 - share(n)) + 1);
    EXPECT_LT(std::abs(kept - kKeys * share(n)), spread) << n;
  }
  // At 60 units all but a few are shown: their noise is the Laplace's, of variance about 2 12^2.
  double squares = 0;
  groups.units.assign(kKeys, 400);
  groups.sums.assign(kKeys, 400);
  const ShownSums all = released(mechanism, groups);
  ASSERT_EQ(all.keys.size(), static_cast<std::size_t>(kKeys));
  for (const std::int64_t y : all.sums) squares += std::pow(static_cast<double>(y - 400), 2);
  EXPECT_NEAR(squares / kKeys, 287.8, 6 * std::sqrt(20 * std::pow(12.0, 4) / kKeys));
}

TEST(ThresholdedGroups, ComesInByteOrderAndHugeNumbersAreClamped) {
  const auto mechanism = make({.epsilon = "1", .delta = "1e-6", .capacity = 7, .keys = 2});
  const Int128 huge = kInt128Max;
  const KeySums groups = sums(mechanism, {"b", "", "none", "a", "least", "less"},
                              {1'000'000, 1'000'000, 0, kEntryMax, 1'000'000, -5},
                              {5, 7, huge, Int128{kEntryMax} * 7, kInt128Min, huge});
  const ShownSums shown = released(mechanism, groups);
  // What no units could add up to ("least") stays hidden or not, but breaks nothing.
  EXPECT_EQ(shown.keys, (std::vector<std::string>{"", "a", "b"}));
  EXPECT_GT(shown.sums[1], kEntryMax - 100'000);
  const auto coordinates = ThresholdedGroups::coordinates(groups);
  EXPECT_EQ(coordinates.size(), 2048U);
}

TEST(ThresholdedGroups, SaysWhatItCostsAndWhenAKeyAppears) {
  const auto mechanism = make({.epsilon = "1/2", .delta = "1e-6", .capacity = 4, .keys = 3});
  EXPECT_EQ(mechanism.cost().epsilon->value(), ratio(1, 2));
  EXPECT_EQ(mechanism.cost().rho->value(), ratio(1, 8));
  EXPECT_EQ(mechanism.cost().delta.value(), ratio(1, 1'000'000));
  EXPECT_EQ(mechanism.noise().text,
            "thresholded-groups-laplace(scale=24,sensitivity=12,capacity=4,keys_per_unit=3,"
            "numbers=2,threshold=" +
                to_string(mechanism.threshold()) + ")");
  const auto half = mechanism.accuracy(default_confidence())->half_width;
  EXPECT_EQ(half, Rational(laplace(Wanted{"1/2", "1e-6", 4, 3}).half_width(default_confidence())));
  const Integer sure = mechanism.shown_from(*Confidence::parse("0.999999999999"));
  KeySums groups = sums(mechanism, {"a"}, {sure.get_si()}, {sure.get_si()});
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(released(mechanism, groups).keys.size(), 1U);
  // The room is what makes it possible: by rows alone it would take about four times as many units.
  EXPECT_LT(to_integer(mechanism.threshold()), 4 * sure);

  const auto zcdp = gaussian("1/8", {.delta = "1e-6", .capacity = 4, .keys = 3});
  EXPECT_FALSE(zcdp.cost().epsilon);
  EXPECT_EQ(zcdp.cost().rho->value(), ratio(1, 8));
  EXPECT_EQ(zcdp.cost().delta.value(), ratio(1, 1'000'000));
  EXPECT_EQ(zcdp.noise().text,
            "thresholded-groups-gaussian(sigma_squared=192,sensitivity_squared=48,capacity=4,"
            "keys_per_unit=3,numbers=2,threshold=" +
                to_string(zcdp.threshold()) + ")");
}

TEST(ThresholdedGroups, RefusesWhatCannotBePrivate) {
  const auto attempt = [](const char* delta, long capacity, std::int64_t keys) {
    return ThresholdedGroups::make({.noise = laplace({.capacity = 4, .keys = 3}),
                                    .delta = delta_of(delta),
                                    .capacity = capacity,
                                    .keys_per_unit = keys});
  };
  EXPECT_TRUE(attempt("1e-6", 4, 3));
  const auto none = attempt("0", 4, 3);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kInvalidInput);
  EXPECT_NE(none.error().message.find("delta above 0"), std::string::npos);
  EXPECT_FALSE(attempt("1e-6", 5, 3));  // the noise is for less
  EXPECT_FALSE(attempt("1e-6", 4, 4));
  EXPECT_FALSE(attempt("1e-6", 0, 1));
  EXPECT_FALSE(attempt("1e-6", 4, 0));
}

}  // namespace
}  // namespace discreet::mechanism::thresholded_groups_test
