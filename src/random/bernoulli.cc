// SPDX-License-Identifier: Apache-2.0
#include "random/bernoulli.h"

namespace discreet::random {

bool fits_uint64(const Integer& n) { return n >= 0 && mpz_sizeinbase(n.get_mpz_t(), 2) <= 64; }

std::uint64_t digits_of_ratio(const Integer& n, const Integer& d) {
  return Integer((n << 64) / d).get_ui();
}

ExpCoin::ExpCoin(const Rational& rate)
    : rate_(rate), is_small_(fits_uint64(rate.numerator()) && fits_uint64(rate.denominator())) {
  DISCREET_CHECK(rate.sign() >= 0);
  if (!is_small_) return;
  numerator_ = rate.numerator().get_ui();
  denominator_ = rate.denominator().get_ui();
}

}  // namespace discreet::random
