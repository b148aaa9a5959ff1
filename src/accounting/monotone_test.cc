// SPDX-License-Identifier: Apache-2.0
// The third law of account.h, to the last bit: bounds never fall when a count grows, and never rise
// when delta or epsilon does. Random lists; no tolerance anywhere.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "accounting/account.h"
#include "accounting/outward.h"
#include "accounting/pld_plan.h"

namespace discreet::accounting {
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

void expect_not_below(const Bounds& larger, const Bounds& less) {
  RC_ASSERT(!std::isnan(larger.upper) && !std::isnan(less.upper));
  RC_ASSERT(larger.lower <= larger.upper && less.lower <= less.upper && less.lower >= 0);
  RC_ASSERT(larger.upper >= less.upper);
  // Lower bounds follow the upper ones at a distance that is a rung of a ladder, unless the bracket
  // got wider by a rung.
  const auto part = [](const Bounds& b) { return b.upper > 0 ? b.lower / b.upper : 1.0; };
  RC_ASSERT(larger.lower >= less.lower || part(larger) < part(less) - 1e-6);
}

RC_GTEST_PROP(Monotone, EpsilonNeverRisesWithDelta, ()) {
  const std::vector<Use> uses = any_list();
  const Delta delta = any_delta();
  const Delta less = Delta::of(smaller(delta.value())).value();
  expect_not_below(epsilon_of(uses, less), epsilon_of(uses, delta));
}

RC_GTEST_PROP(Monotone, EpsilonNeverFallsWhenACountGrows, ()) {
  const std::vector<Use> uses = any_list();
  const Delta delta = any_delta();
  expect_not_below(epsilon_of(with_more(uses), delta), epsilon_of(uses, delta));
}

RC_GTEST_PROP(Monotone, DeltaNeverRisesWithEpsilon, ()) {
  const std::vector<Use> uses = any_list();
  const Rational epsilon = three_digits(-2, 1);
  expect_not_below(delta_of(uses, smaller(epsilon)), delta_of(uses, epsilon));
}

RC_GTEST_PROP(Monotone, DeltaNeverFallsWhenACountGrows, ()) {
  const std::vector<Use> uses = any_list();
  const Rational epsilon = three_digits(-2, 1);
  expect_not_below(delta_of(with_more(uses), epsilon), delta_of(uses, epsilon));
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
      EXPECT_TRUE(pld_epsilon(uses, delta).steady) << to_string(uses[0]) << " " << delta;
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
}  // namespace discreet::accounting
