// SPDX-License-Identifier: Apache-2.0
// The third law of account.h, to the last bit: bounds never fall when a count grows or a mechanism
// is added, and never rise when delta or epsilon does. Random lists, the same in every run;
// DISCREET_CASES=1000 asks for more. No tolerance anywhere.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>

#include "accounting/account.h"
#include "accounting/loss_of.h"
#include "accounting/outward.h"
#include "accounting/pld_plan.h"

namespace discreet::accounting::monotone_test {
namespace {

Rational three_digits(int low_exponent, int high_exponent) {
  const int exponent = *rc::gen::inRange(low_exponent, high_exponent);
  return Rational(*rc::gen::inRange(100, 1000)) / Rational(100) *
         (exponent < 0 ? Rational(1) / exactly(std::pow(10.0, -exponent))
                       : exactly(std::pow(10.0, exponent)));
}

Mechanism any_mechanism() {
  const Rational epsilon = three_digits(-3, 0);
  const Rational noise = three_digits(0, 2);
  const Rational q = three_digits(-4, -1);
  switch (*rc::gen::inRange(0, 8)) {
    case 0:
      return Gaussian{noise};
    case 1:
      return Laplace{epsilon};
    case 2:
      return DiscreteLaplace{epsilon, static_cast<std::uint32_t>(*rc::gen::inRange(1, 5))};
    case 3:
      return Generic{epsilon, *rc::gen::element(Rational(0), Rational::ratio(1, 1'000'000'000))};
    case 4:
      return Exponential{epsilon};
    case 5:
      return PermuteAndFlip{epsilon};
    case 6:
      return SubsampledGaussian{noise, q};
    default:
      return SubsampledLaplace{epsilon, q};
  }
}

std::vector<Use> any_list() {
  std::vector<Use> uses;
  const int size = *rc::gen::inRange(1, 3);
  for (int i = 0; i < size; ++i) {
    const int most = *rc::gen::element(3, 40, 700);
    uses.push_back({any_mechanism(), static_cast<std::uint64_t>(*rc::gen::inRange(1, most))});
  }
  return uses;
}

/// The same mechanisms, one count a little or much larger.
std::vector<Use> with_more(std::vector<Use> uses) {
  Use& grown = uses[*rc::gen::inRange<std::size_t>(0, uses.size())];
  grown.count += static_cast<std::uint64_t>(*rc::gen::element(1, 1, 2, 10, 1000));
  return uses;
}

Delta any_delta() {
  return Delta::parse(std::to_string(*rc::gen::inRange(100, 1000)) + "e-" +
                      std::to_string(*rc::gen::inRange(3, 22)))
      .value();
}

/// A little or much smaller.
Rational smaller(const Rational& x) {
  return x * *rc::gen::element(Rational::ratio(999'999, 1'000'000), Rational::ratio(99, 100),
                               Rational::ratio(1, 10));
}

/// The same list and a mechanism that it may not name at all, much weaker or much stronger.
std::vector<Use> with_another(std::vector<Use> uses) {
  uses.push_back({any_mechanism(), static_cast<std::uint64_t>(*rc::gen::element(1, 1, 30))});
  return uses;
}

struct Pair {
  Bounds larger;
  Bounds less;
};

/// Draws pairs of answers of which the first must not be below the second.
void expect_ordered(Pair (*draw)()) {
  const char* asked = std::getenv("DISCREET_CASES");
  const int cases = asked == nullptr ? 10 : std::atoi(asked);
  const rc::Gen<Pair> pairs = rc::gen::exec(draw);
  for (int seed = 0; seed < cases; ++seed) {
    const Pair pair = pairs(rc::Random(static_cast<std::uint64_t>(seed)), 100).value();
    for (const Bounds& b : {pair.larger, pair.less})
      EXPECT_TRUE(0 <= b.lower && b.lower <= b.upper) << seed;
    EXPECT_GE(pair.larger.upper, pair.less.upper) << seed;
    EXPECT_GE(pair.larger.lower, pair.less.lower) << seed;
  }
}

TEST(Monotone, EpsilonNeverRisesWithDelta) {
  expect_ordered([] {
    const std::vector<Use> uses = any_list();
    const Delta delta = any_delta();
    const Delta less = Delta::of(smaller(delta.value())).value();
    return Pair{epsilon_of(uses, less), epsilon_of(uses, delta)};
  });
}

TEST(Monotone, EpsilonNeverFallsWhenACountGrows) {
  expect_ordered([] {
    const std::vector<Use> uses = any_list();
    const Delta delta = any_delta();
    return Pair{epsilon_of(with_more(uses), delta), epsilon_of(uses, delta)};
  });
}

TEST(Monotone, EpsilonNeverFallsWhenAMechanismIsAdded) {
  expect_ordered([] {
    const std::vector<Use> uses = any_list();
    const Delta delta = any_delta();
    return Pair{epsilon_of(with_another(uses), delta), epsilon_of(uses, delta)};
  });
}

TEST(Monotone, DeltaNeverFallsWhenAMechanismIsAdded) {
  expect_ordered([] {
    const std::vector<Use> uses = any_list();
    const Rational epsilon = three_digits(-2, 1);
    return Pair{delta_of(with_another(uses), epsilon), delta_of(uses, epsilon)};
  });
}

TEST(Monotone, DeltaNeverRisesWithEpsilon) {
  expect_ordered([] {
    const std::vector<Use> uses = any_list();
    const Rational epsilon = three_digits(-2, 1);
    return Pair{delta_of(uses, smaller(epsilon)), delta_of(uses, epsilon)};
  });
}

TEST(Monotone, DeltaNeverFallsWhenACountGrows) {
  expect_ordered([] {
    const std::vector<Use> uses = any_list();
    const Rational epsilon = three_digits(-2, 1);
    return Pair{delta_of(with_more(uses), epsilon), delta_of(uses, epsilon)};
  });
}

// Randomized responses have a delta that is piecewise linear in e^epsilon, so a weak mechanism may
// add nothing at all; then what its grid loses to rounding, or to an end that fits no grid, shows.
TEST(Monotone, ASampledLaplaceThatAddsNothingTakesNothingAway) {
  const auto number = [](const char* text) { return Rational::parse(text).value(); };
  std::vector<Use> uses = {{PermuteAndFlip{number("0.763")}, 1},
                           {Generic{number("0.0376"), 0}, 32}};
  double last = delta_of(uses, number("0.884")).lower;
  for (const char* q : {"0.0072", "0.0113", "0.027"}) {
    uses.push_back({SubsampledLaplace{number("0.89"), number(q)}, 1});
    const double now = delta_of(uses, number("0.884")).lower;
    EXPECT_GE(now, last) << q;
    last = now;
  }
}

// Few uses of a heavy tail fit no window at a good tilt unless large losses are cut off.
TEST(Monotone, HeavyTailsKeepTheOrder) {
  const Rational q = Rational::parse("0.0001").value();
  const Delta delta = Delta::parse("1e-12").value();
  Bounds last;
  for (const std::uint64_t count : {2, 5, 10, 30}) {
    const Bounds now = epsilon_of({{SubsampledGaussian{1, q}, count}}, delta);
    EXPECT_GE(now.lower, last.lower) << count;
    EXPECT_GE(now.upper, last.upper) << count;
    EXPECT_GE(now.lower, 0.9 * now.upper) << count;
    last = now;
  }
}

/// Whether a bound never falls along a list that grows by one use at a time, then by others.
template <class Bound>
bool never_falls(const Bound& bound) {
  double last = 0;
  std::vector<Use> uses = {{Laplace{Rational::ratio(137, 10'000)}, 0}};
  for (int i = 0; i < 24; ++i) {
    uses[0].count += static_cast<std::uint64_t>(4 + i);
    const double now = bound(uses);
    if (now < last) return false;
    last = now;
  }
  uses.push_back({Gaussian{3000}, 1});
  return bound(uses) >= last;
}

// The planted faults are the two rules that look natural: a step that is a part of the sum's
// deviation for a lower bound, and a step that fits the weakest mechanism for an upper one.
TEST(Monotone, AStepChosenByTheListIsNoticed) {
  constexpr double kDelta = 1e-6;
  EXPECT_TRUE(never_falls([](const auto& uses) { return pld_epsilon(uses, kDelta).lower; }));
  EXPECT_TRUE(never_falls([](const auto& uses) { return pld_epsilon(uses, kDelta).upper; }));
  const auto on_grid = [](const std::vector<Use>& uses, Side side, double step) {
    std::vector<Uses> grids;
    for (const Use& use : uses) {
      const Loss loss = *loss_of(use.mechanism, side, step);
      grids.push_back({side == Side::kLower ? round_down(loss, {step, 0}, 1e-20)
                                            : round_up(loss, {step, 0}, 1e-20),
                       static_cast<double>(use.count)});
    }
    return Composed::of(grids, side, tilt_for_delta(grids, kDelta)).epsilon(kDelta);
  };
  EXPECT_FALSE(never_falls([&](const std::vector<Use>& uses) {
    double variance = 0;
    for (const Use& use : uses)
      variance += static_cast<double>(use.count) * variance_of(use.mechanism);
    return on_grid(uses, Side::kLower, std::ldexp(1.0, std::ilogb(std::sqrt(variance) / 200)));
  }));
  EXPECT_FALSE(never_falls([&](const std::vector<Use>& uses) {
    double least = 1;
    for (const Use& use : uses) least = std::min(least, variance_of(use.mechanism));
    return on_grid(uses, Side::kUpper, std::ldexp(1.0, std::ilogb(std::sqrt(least))));
  }));
}

// What the proof asks of the numbers: the errors of the sum are within what is allowed for. (They
// are not always: for a single use with q = 10^-4 at delta = 10^-12 no tilt is good enough.)
TEST(Monotone, NumericalErrorsStayWithinWhatIsAllowedFor) {
  const auto number = [](const char* text) { return Rational::parse(text).value(); };
  const std::vector<std::vector<Use>> lists = {
      {{Gaussian{1}, 1}},
      {{SubsampledGaussian{1, number("0.01")}, 10'000}},
      {{SubsampledGaussian{1, number("0.01")}, 1}},
      {{Laplace{number("0.01")}, 500}, {Gaussian{100}, 500}},
      {{Laplace{number("0.51")}, 7}, {Laplace{number("0.7")}, 5}},
      {{Generic{number("0.14"), number("1e-8")}, 126}},
      {{SubsampledLaplace{number("0.51"), number("0.3")}, 3}, {Laplace{number("0.2")}, 10}},
      {{Laplace{1}, 1}, {Laplace{number("0.001")}, 100'000}},
      {{Exponential{number("0.3")}, 40}, {DiscreteLaplace{number("0.5"), 3}, 20}}};
  for (const std::vector<Use>& uses : lists) {
    for (const double delta : {1e-3, 1e-6, 1e-9})
      EXPECT_TRUE(pld_epsilon_upper(uses, delta).steady) << to_string(uses[0]) << " " << delta;
  }
}

TEST(Rung, NeverFallsAndNeverChargesForFewerUses) {
  Rung last = rung_of(1);
  EXPECT_EQ(last.count, 1U);
  for (std::uint64_t count = 2; count <= kCountMax; count += 1 + count / 5000) {
    const Rung rung = rung_of(count);
    EXPECT_GE(rung.count, count);
    EXPECT_LE(static_cast<double>(rung.count), static_cast<double>(count) * (1 + 0x1p-12));
    EXPECT_GE(rung.index, last.index + (rung.count > last.count ? 1 : 0));
    EXPECT_GE(rung.count, last.count);
    last = rung;
  }
}

}  // namespace
}  // namespace discreet::accounting::monotone_test
