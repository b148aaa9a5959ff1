// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them: a fixed count of decimals, rounded the way that keeps a claim true.
#pragma once

#include <string>

#include "numeric/rational.h"

namespace discreet::report {

enum class Toward { kNearest, kDown, kUp };

/// x with `decimals` digits after the point: fixed(2/3, 2, kNearest) is "0.67".
std::string fixed(const Rational& x, int decimals, Toward toward);

/// How many decimals show `digits` significant digits of x; 0 for x = 0 and for large x.
int decimals_for(const Rational& x, int digits);

/// About `digits` significant digits, rounded to the nearest: 1234.56 is "1235" with 3, 0.012345 is
/// "0.0123".
std::string approximate(const Rational& x, int digits);

}  // namespace discreet::report
