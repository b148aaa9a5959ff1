// SPDX-License-Identifier: Apache-2.0
// What tests of mechanisms conclude from enumerated tapes: whether a formula agrees with the
// compiled code, and whether two neighbours are certainly further apart than was promised.
#pragma once

#include <algorithm>

#include "mechanism/tape_for_tests.h"
#include "numeric/real.h"
#include "privacy/quantity.h"

namespace discreet::mechanism {

inline constexpr int kTestPrecision = 256;

inline Rational ratio(long n, long d = 1) { return Rational::ratio(n, d); }
inline Interval interval(const Rational& x) { return Interval::around(x, kTestPrecision); }

/// The enumerated bracket of `outcome` contains p, as far as 256 bits of p can tell.
template <class Outcome>
bool agrees(const Tabulated<Outcome>& table, const Outcome& outcome, const Interval& p) {
  return !certainly_less(p, interval(table.low(outcome))) &&
         !certainly_less(interval(table.high(outcome)), p);
}

/// A certified lower bound of the delta that `a` needs against `b` at this epsilon.
template <class Outcome>
Rational delta_at_least(const Tabulated<Outcome>& a, const Tabulated<Outcome>& b,
                        const Epsilon& epsilon) {
  const Rational grow = exp_real(epsilon.value())(kTestPrecision).high();
  Rational sum;
  Rational spare = b.cut_off;  // may lie on any outcome, but only once
  for (const auto& [outcome, mass] : a.mass) {
    const Rational above = mass - grow * b.low(outcome);
    if (above.sign() > 0) sum = sum + above;
  }
  return std::max(Rational(0), sum - grow * spare);
}

/// The same, both ways.
template <class Outcome>
Rational delta_between(const Tabulated<Outcome>& a, const Tabulated<Outcome>& b,
                       const Epsilon& epsilon) {
  return std::max(delta_at_least(a, b, epsilon), delta_at_least(b, a, epsilon));
}

}  // namespace discreet::mechanism
