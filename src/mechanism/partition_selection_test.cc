// SPDX-License-Identifier: Apache-2.0
#include "mechanism/partition_selection.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mechanism/brackets_for_tests.h"
#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"

namespace discreet::mechanism::partition_selection_test {
namespace {

PartitionSelection make(const char* epsilon, const char* delta) {
  return *PartitionSelection::make(
      {.epsilon = *Epsilon::parse(epsilon), .delta = *Delta::parse(delta)});
}

Tabulated<bool> table(const PartitionSelection& mechanism, Int128 n, int depth = 24) {
  return tabulate<4>(depth, [&](auto& tape) {
    return Door::replay(mechanism, Sensitive<Int128>(n), tape).outcome();
  });
}

bool released(const PartitionSelection& mechanism, Int128 n) {
  return Door::release(mechanism, Sensitive<Int128>(n), cli::OwnValues::for_use_of(mechanism))
      ->value();
}

constexpr int kFine = 2048;  // digits enough to see through all rounding below

Interval fine(const Rational& x) { return Interval::around(x, kFine); }

/// The definition, step by step; intervals stay narrow for the few hundred steps taken.
struct Recurrence {
  Interval grow, shrink, delta, p = fine(0);
  Recurrence(const char* epsilon, const char* d)
      : grow(exp_real(Epsilon::parse(epsilon)->value())(kFine)),
        shrink(exp_real(-Epsilon::parse(epsilon)->value())(kFine)),
        delta(fine(Delta::parse(d)->value())) {}

  Interval by_growth(const Interval& x) const { return grow * x + delta; }
  Interval by_hiding(const Interval& x) const { return fine(1) - shrink * (fine(1) - x - delta); }
  void step() {
    const Interval f = by_growth(p);
    const Interval g = by_hiding(p);
    const Interval& least = certainly_less(g, f) ? g : f;
    p = certainly_less(least, fine(1)) ? least : fine(1);
  }
};

const std::pair<const char*, const char*> kParameters[] = {
    {"1", "1e-6"},    {"1", "0.001"},   {"0.1", "1e-5"},   {"1/3", "0.1"}, {"2", "0.3"},
    {"3", "0.499"},   {"1", "0.5"},     {"1", "0.9"},      {"5", "1e-30"}, {"50", "1e-6"},
    {"20", "1e-100"}, {"0.02", "0.01"}, {"100", "1e-300"},
};

TEST(PartitionSelection, ClosedFormIsTheRecurrence) {
  for (const auto& [epsilon, delta] : kParameters) {
    const auto mechanism = make(epsilon, delta);
    Recurrence truth(epsilon, delta);
    const Integer last = mechanism.always_from() + 2;
    ASSERT_LT(last, 2000) << epsilon;
    for (Integer n = 0; n <= last; ++n, truth.step()) {
      const Interval gap = mechanism.show_probability(n)(kFine) - truth.p;
      ASSERT_TRUE(certainly_less(gap, fine(power_of_two(-900)))) << epsilon << ' ' << n;
      ASSERT_TRUE(certainly_less(fine(-power_of_two(-900)), gap)) << epsilon << ' ' << n;
    }
  }
}

TEST(PartitionSelection, IsCertainFromAlwaysFromOnAndNotBefore) {
  for (const auto& [epsilon, delta] : kParameters) {
    const auto mechanism = make(epsilon, delta);
    Recurrence truth(epsilon, delta);
    for (Integer n = 1; n < mechanism.always_from(); ++n) {
      truth.step();
      ASSERT_TRUE(certainly_less(truth.p, fine(1))) << epsilon << ' ' << n;
    }
    truth.step();
    EXPECT_EQ(truth.p.low(), Rational(1)) << epsilon;
  }
}

/// Whether one of the four inequalities between p(n) = x and p(n+1) = y is certainly broken.
bool breaks_privacy(const Recurrence& rule, const Interval& x, const Interval& y) {
  const Interval hide_x = fine(1) - x;
  const Interval hide_y = fine(1) - y;
  const auto broken = [&](const Interval& a, const Interval& b) {
    return certainly_less(rule.by_growth(b), a);
  };
  return broken(y, x) || broken(x, y) || broken(hide_x, hide_y) || broken(hide_y, hide_x);
}

TEST(PartitionSelection, NoInequalityIsBrokenAndOneMoreUnitWouldBreakOne) {
  for (const auto& [epsilon, delta] : kParameters) {
    const auto mechanism = make(epsilon, delta);
    const Recurrence rule(epsilon, delta);
    int caught = 0;
    for (Integer n = 0; n <= mechanism.always_from(); ++n) {
      const Interval x = mechanism.show_probability(n)(kFine);
      const Interval y = mechanism.show_probability(n + 1)(kFine);
      ASSERT_FALSE(breaks_privacy(rule, x, y)) << epsilon << ' ' << n;
      // The off-by-one mutant: a present key is treated as if it had one unit more.
      if (n == 0) caught += breaks_privacy(rule, x, mechanism.show_probability(2)(kFine));
    }
    EXPECT_EQ(caught, 1) << epsilon;
  }
}

TEST(PartitionSelection, AllTapesGiveTheClosedForm) {
  for (const auto& [epsilon, delta] : {std::pair("1", "0.05"), std::pair("1/2", "0.1"),
                                       std::pair("3", "0.4"), std::pair("1", "1/4")}) {
    const auto mechanism = make(epsilon, delta);
    for (Int128 n = -1; n <= to_int128(mechanism.always_from()) + 1; ++n) {
      const auto seen = table(mechanism, n);
      EXPECT_LT(seen.cut_off, ratio(1, 100));
      const Integer whole = to_integer(n);
      EXPECT_TRUE(agrees(seen, true, mechanism.show_probability(whole)(kTestPrecision)));
      if (whole >= 1 && whole < mechanism.always_from()) {  // the mutant, on the compiled code
        EXPECT_FALSE(agrees(seen, true, mechanism.show_probability(whole + 1)(kTestPrecision)));
      }
    }
  }
}

// Both sides of the turn and of the table's end, where another path gives the digits.
TEST(PartitionSelection, TheTableAndWhatLiesBeyondItGiveTheClosedForm) {
  const auto mechanism = make("1/20000", "1/1000000");
  ASSERT_GT(mechanism.always_from(), 100'010);
  for (const int n : {1, 2, 50'000, 99'999, 100'000, 100'001, 150'000}) {
    const auto seen = table(mechanism, n, 16);
    EXPECT_LT(seen.cut_off, ratio(1, 100));
    EXPECT_TRUE(agrees(seen, true, mechanism.show_probability(n)(kTestPrecision))) << n;
  }
}

TEST(PartitionSelection, CompiledNeighboursStayWithinEpsilonAndDelta) {
  const auto mechanism = make("1", "0.05");
  const Epsilon epsilon = *Epsilon::parse("1");
  for (Int128 n = 0; n <= to_int128(mechanism.always_from()); ++n) {
    EXPECT_LE(delta_between(table(mechanism, n), table(mechanism, n + 1), epsilon), ratio(1, 20));
  }
  EXPECT_GT(delta_between(table(mechanism, 0), table(mechanism, 2), epsilon), ratio(1, 20));
}

TEST(PartitionSelection, AbsentKeysNeverAppearAndHugeOnesAlways) {
  const auto mechanism = make("1", "1e-6");
  EXPECT_EQ(mechanism.always_from(), 28);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(released(mechanism, 0));
    EXPECT_FALSE(released(mechanism, kInt128Min));
    EXPECT_TRUE(released(mechanism, kInt128Max));
  }
}

TEST(PartitionSelection, TinyEpsilonAndHugeEpsilonAreFast) {
  const auto tiny = make("1e-30", "1e-6");  // the turn lies far beyond any count
  EXPECT_FALSE(released(tiny, 1));
  EXPECT_TRUE(released(tiny, Int128{1} << 100));
  for (const char* epsilon : {"1e-300", "1e-9", "1099511627776"}) {
    for (const char* delta : {"1e-300", "1e-6", "0.4999999", "0.5", "0.75", "0.999"}) {
      const auto mechanism = make(epsilon, delta);
      for (const Int128 n : {Int128{1}, Int128{2}, Int128{3}, Int128{1} << 40}) {
        (void)released(mechanism, n);
      }
    }
  }
  EXPECT_EQ(make("1099511627776", "1e-6").always_from(), 3);
}

TEST(PartitionSelection, CostsEpsilonAndDelta) {
  const auto mechanism = make("1/2", "1e-6");
  EXPECT_EQ(mechanism.cost().epsilon->value(), ratio(1, 2));
  EXPECT_EQ(mechanism.cost().rho->value(), ratio(1, 8));
  EXPECT_EQ(mechanism.cost().delta.value(), ratio(1, 1000000));
  EXPECT_EQ(mechanism.noise().text, "partition-selection(epsilon=0.5,delta=0.000001)");
}

TEST(PartitionSelection, RefusesDeltaZeroNamingTheFix) {
  const auto none =
      PartitionSelection::make({.epsilon = *Epsilon::parse("1"), .delta = *Delta::parse("0")});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kInvalidInput);
  EXPECT_NE(none.error().message.find("such as 1e-6"), std::string::npos);
  for (const char* text : {"1", "-0.1", "nan"}) EXPECT_FALSE(Delta::parse(text)) << text;
}

RC_GTEST_PROP(PartitionSelection, NeverDecreasesAndStaysAProbability, ()) {
  const Rational epsilon = ratio(*rc::gen::inRange(1, 5000), 1000);
  const Rational delta = ratio(*rc::gen::inRange(1, 999), 1000);
  const auto mechanism =
      *PartitionSelection::make({.epsilon = *Epsilon::of(epsilon), .delta = *Delta::of(delta)});
  Interval before = interval(0);
  for (Integer n = 0; n <= mechanism.always_from() && n < 40; ++n) {
    const Interval p = mechanism.show_probability(n)(kTestPrecision);
    RC_ASSERT(!certainly_less(p, before) && !certainly_less(interval(1), p));
    before = p;
  }
}

}  // namespace
}  // namespace discreet::mechanism::partition_selection_test
