// SPDX-License-Identifier: Apache-2.0
#include "numeric/real.h"

#include "base/check.h"

namespace discreet {
namespace {

constexpr int kPrecisionMax = 1 << 20;

}  // namespace

Integer floor_scaled(const Real& x, int bits) {
  for (int precision = bits + 64; precision <= kPrecisionMax; precision *= 2) {
    const Interval bracket = x(precision);
    if (!bracket.is_finite()) continue;
    Integer low = bracket.floor_low(bits);
    if (low == bracket.floor_high(bits)) return low;
  }
  DISCREET_CHECK(false);  // a real that is not a point lies on the grid of its prefix
  return 0;
}

Real real(const Rational& x) {
  return [x](int precision) { return Interval::around(x, precision); };
}

Real exp_real(const Rational& x) {
  return [x](int precision) { return exp(Interval::around(x, precision)); };
}

}  // namespace discreet
