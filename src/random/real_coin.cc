// SPDX-License-Identifier: Apache-2.0
#include "random/real_coin.h"

namespace discreet::random {

Integer digits_of(const Real& x, int bits) {
  Integer digits = floor_scaled(x, bits);
  const Integer most = (Integer(1) << static_cast<unsigned>(bits)) - 1;
  return digits > most ? most : digits;
}

Bracket bracket_of(const Real& x) {
  const Integer digits = digits_of(x, 64);
  bool exact = false;
  if (digits != 0) {  // a tiny number has no business as a Rational: its denominator is huge
    const Rational as_dyadic = Rational(digits) * power_of_two(-64);
    const Interval fine = x(128);
    exact = fine.low() == as_dyadic && fine.high() == as_dyadic;
  }
  return {digits.get_ui(), digits.get_ui(), exact};
}

const RealCoin& one_over_e() {
  static const RealCoin coin(exp_real(Rational(-1)));
  return coin;
}

}  // namespace discreet::random
