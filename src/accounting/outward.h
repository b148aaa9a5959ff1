// SPDX-License-Identifier: Apache-2.0
// Doubles on a named side of the truth: how intervals and rationals become the numbers that
// accounting returns.
#pragma once

#include "numeric/interval.h"

namespace discreet::accounting {

/// Bits of the intervals here: a closed form that cancels down to 2^-120 keeps 70 good bits.
inline constexpr int kPrecision = 192;

/// x as it is. Requires: finite.
Rational exactly(double x);
Interval at(const Rational& x);
/// Requires: x is finite.
Interval at(double x);

/// The interval's ends as doubles, rounded outward; infinite beyond a double's range or where the
/// interval has no number.
double down(const Interval& x);
double up(const Interval& x);

/// a + b and a * b (a, b >= 0), never below the truth: nearest rounding errs by less than one step.
/// 0 * inf is 0.
double add_up(double a, double b);
double multiply_up(double a, double b);

/// [-1, 1], for adding an error bound.
Interval plus_minus_one();

Interval two_pi();

/// Pr[N(0,1) > z].
Interval normal_tail(const Interval& z);

/// a + b, rounded to the named side once the denominator has more than 512 bits, so that sums of
/// many fractions stay small.
Rational add(const Rational& a, const Rational& b, Round direction);

}  // namespace discreet::accounting
