// SPDX-License-Identifier: Apache-2.0
// Where a falling function passes zero, in few evaluations. The answer is a guess: whoever needs a
// certified side tests it.
#pragma once

#include <algorithm>
#include <cmath>

namespace discreet::accounting {

/// The Illinois variant of the rule of false position on [low, high], until the bracket is `near`
/// wide, relatively. Returns its upper end if f is still positive there, its lower end if f is
/// negative already there.
template <class Function>
double falling_root(double low, double high, double near, const Function& f) {
  double f_low = f(low);
  if (!(f_low > 0)) return low;
  double f_high = f(high);
  if (!(f_high < 0)) return high;
  for (int i = 0; i < 60 && high - low > near * std::fabs(high); ++i) {
    const double x = std::clamp((low * f_high - high * f_low) / (f_high - f_low), low, high);
    const double y = f(x);
    if (x <= low || x >= high || y == 0) return x;
    if (y > 0) {
      low = x;
      f_low = y;
      f_high /= 2;
    } else {
      high = x;
      f_high = y;
      f_low /= 2;
    }
  }
  return low + (high - low) / 2;
}

}  // namespace discreet::accounting
