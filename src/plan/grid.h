// SPDX-License-Identifier: Apache-2.0
// Interval arithmetic on grids: where the result of an operation can lie, and on which multiples.
//
// Law: for each operation f below, all a on A and b on B: f(a, b) is a multiple of f(A, B).step
// between f(A, B).low and f(A, B).high (or NULL). Proof: expression.md, "Grids".
#pragma once

#include "plan/expression.h"

namespace discreet::plan {

/// The largest g > 0 of which both are multiples. Requires: not both are 0.
Rational common_step(const Rational& a, const Rational& b);

/// The multiple of `step` that is nearest, halves away from zero.
Rational nearest_multiple(const Rational& value, const Rational& step);

/// The integer part, towards zero.
Integer towards_zero(const Rational& value);

/// 10^k, for any k.
Rational power_of_ten(int k);

/// The one point. Zero is a multiple of everything: it makes no step finer.
Grid point(const Rational& value);
bool is_zero(const Grid& grid);

/// Whether all its numbers are below 2^62 steps in size.
bool fits(const Grid& grid);

/// The least grid that contains both, and on which both can be compared.
Grid join(const Grid& a, const Grid& b);

Grid add(const Grid& a, const Grid& b);
Grid subtract(const Grid& a, const Grid& b);
Grid multiply(const Grid& a, const Grid& b);
/// b = 0 gives NULL, the others: towards zero, or rounded to 10^-6.
Grid divide_integers(const Grid& a, const Grid& b);
Grid divide(const Grid& a, const Grid& b);
Grid modulo(const Grid& a, const Grid& b);
Grid negate(const Grid& a);
Grid absolute(const Grid& a);
/// Monotone rounding onto multiples of `step`, or as it is if it lies on them.
Grid rounded(const Grid& a, const Rational& step);
Grid floored(const Grid& a);
Grid ceiled(const Grid& a);

/// How many numbers it has.
Integer points(const Grid& grid);

}  // namespace discreet::plan
