// SPDX-License-Identifier: Apache-2.0
// Arithmetic on numbers that carry an interval. The value is what plain arithmetic gives, pulled
// into the interval; the ends are rounded outward, so that for all x in X and y in Y: x op y lies
// in X op Y. Ends may be infinite; nothing here is NaN.
#pragma once

#include "numeric/rational.h"
#include "sql/post.h"

namespace discreet::sql {

Number exactly(const Rational& value);
/// Nothing is known.
Number unbounded(double value);

Number add(const Number& a, const Number& b);
Number subtract(const Number& a, const Number& b);
Number multiply(const Number& a, const Number& b);
/// Requires: b.value != 0. Unbounded where 0 lies in b's interval.
Number divide(const Number& a, const Number& b);
Number negate(const Number& a);
Number absolute(const Number& a);
/// Never below 0: tighter than a * a.
Number square(const Number& a);
/// Of the part at or above 0.
Number square_root(const Number& a);
/// f must be monotone and exact (floor, rounding to whole numbers).
Number monotone(const Number& a, double (*f)(double));
/// To `decimals` places, halves away from 0.
Number round_to(const Number& a, int decimals);
/// The nearest number whose value and interval lie in [low, high].
Number clamp(const Number& a, double low, double high);

}  // namespace discreet::sql
