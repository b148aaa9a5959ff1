// SPDX-License-Identifier: Apache-2.0
// A real number as a rule: ask for any precision and get an interval that contains it. This is how
// an irrational threshold such as e^-x is compared with random bits exactly.
#pragma once

#include <functional>

#include "numeric/interval.h"

namespace discreet {

/// Laws: (1) real(p) contains the same number for every p; (2) the width of real(p) tends to 0 as p
/// grows.
using Real = std::function<Interval(int precision)>;

/// floor(2^bits * x), exactly.
/// Requires: 2^bits * x is not an integer, unless the rule gives it as a point. Precision doubles
/// until both ends agree; past 2^20 bits the requirement is taken to be broken (a CHECK).
Integer floor_scaled(const Real& x, int bits);

/// The rule for a rational number, as tight as the precision allows; a point once it fits.
Real real(const Rational& x);

/// The rule for e^x.
Real exp_real(const Rational& x);

}  // namespace discreet
