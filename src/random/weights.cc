// SPDX-License-Identifier: Apache-2.0
#include "random/weights.h"

#include "base/check.h"

namespace discreet::random {
namespace {

Integer ceil_shift(const Integer& x, int bits) {
  Integer out;
  mpz_cdiv_q_2exp(out.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(bits));
  return out;
}

}  // namespace

FixedInterval to_fixed(const Interval& x, int bits) {
  const Integer low = x.floor_low(bits);
  return {low < 0 ? Integer(0) : low, x.floor_high(bits) + 1};
}

FixedInterval fixed_exp(const Rational& x, int bits) {
  DISCREET_CHECK(x.sign() <= 0);
  if (x.sign() == 0) return fixed_one(bits);
  return to_fixed(exp(Interval::around(x, bits + 32)), bits);
}

FixedInterval fixed_one(int bits) {
  const Integer one = Integer(1) << static_cast<unsigned>(bits);
  return {one, one};
}

FixedInterval sum(const FixedInterval& a, const FixedInterval& b) {
  return {a.low + b.low, a.high + b.high};
}

FixedInterval difference(const FixedInterval& a, const FixedInterval& b) {
  const Integer low = a.low - b.high;
  return {low < 0 ? Integer(0) : low, a.high - b.low};
}

FixedInterval product(const FixedInterval& a, const FixedInterval& b, int bits) {
  return {Integer(a.low * b.low) >> static_cast<unsigned>(bits), ceil_shift(a.high * b.high, bits)};
}

FixedInterval twice(const FixedInterval& a) { return {2 * a.low, 2 * a.high}; }

FixedInterval quotient(const FixedInterval& a, const FixedInterval& b, int bits) {
  DISCREET_CHECK(b.low > 0);
  const Integer low = (a.low << static_cast<unsigned>(bits)) / b.high;
  Integer high;
  const Integer shifted = a.high << static_cast<unsigned>(bits);
  mpz_cdiv_q(high.get_mpz_t(), shifted.get_mpz_t(), b.low.get_mpz_t());
  return {low, high};
}

}  // namespace discreet::random
