// SPDX-License-Identifier: Apache-2.0
// Bodies of random/bernoulli.h.
#pragma once

#include <algorithm>

#include "base/check.h"
#include "random/bernoulli.h"
#include "random/exp_bracket.h"
#include "random/real_coin.h"

namespace discreet::random {

bool fits_uint64(const Integer& n);

/// floor(2^64 n/d). Requires: 0 <= n < d.
std::uint64_t digits_of_ratio(const Integer& n, const Integer& d);

template <BitSource B>
bool bernoulli(const Rational& p, B& bits) {
  DISCREET_CHECK(p.sign() >= 0 && p <= Rational(1));
  if (p == Rational(1)) return true;
  // Long division gives the binary digits of p, which are compared with fresh bits, a word at a
  // time, until they differ or the division comes out even.
  const Integer divisor = p.denominator();
  Integer remainder = p.numerator();
  constexpr int kStep = std::min<int>(B::kWordBits, 64);
  while (remainder != 0) {
    remainder <<= kStep;
    const Integer digit = remainder / divisor;
    remainder -= digit * divisor;
    const std::uint64_t drawn = bits.take(kStep);
    if (drawn != digit.get_ui()) return drawn < digit.get_ui();
  }
  return false;
}

/// True with probability e^-(n/d), 0 <= n < d, when floor(2^64 n/d) is known.
template <BitSource B, class Exponent>
bool bernoulli_exp_fraction(std::uint64_t digits, const Exponent& exponent, B& bits) {
  const auto exact = [&](int n) { return digits_of(exp_real(-exponent()), n); };
  return uniform_is_below(0, 0, exp_bracket(digits, 1), exact, bits);
}

/// True with probability e^-n: a coin of 1/e for each unit, until the first tails.
template <BitSource B>
bool bernoulli_exp_whole(const Integer& n, B& bits) {
  for (Integer i = 0; i < n; ++i) {
    if (!one_over_e().flip(bits)) return false;
  }
  return true;
}

template <BitSource B>
bool bernoulli_exp(const Rational& x, B& bits) {
  DISCREET_CHECK(x.sign() >= 0);
  const Integer whole = x.floor();
  if (!bernoulli_exp_whole(whole, bits)) return false;
  const Rational fraction = x - Rational(whole);
  if (fraction.sign() == 0) return true;
  return bernoulli_exp_fraction(
      digits_of_ratio(fraction.numerator(), fraction.denominator()), [&] { return fraction; },
      bits);
}

template <BitSource B>
bool ExpCoin::flip(std::uint64_t d, B& bits) const {
  if (!is_small_) return bernoulli_exp(rate_ * Rational(to_integer(Int128{d})), bits);
  const Uint128 product = Uint128{numerator_} * d;
  const Uint128 whole = product / denominator_;
  for (Uint128 i = 0; i < whole; ++i) {
    if (!one_over_e().flip(bits)) return false;
  }
  const auto rest = static_cast<std::uint64_t>(product - whole * denominator_);
  if (rest == 0) return true;
  const auto digits = static_cast<std::uint64_t>((Uint128{rest} << 64) / denominator_);
  return bernoulli_exp_fraction(
      digits,
      [&] { return Rational::ratio(to_integer(Int128{rest}), to_integer(Int128{denominator_})); },
      bits);
}

template <BitSource B>
Integer uniform_below(const Integer& n, B& bits) {
  DISCREET_CHECK(n >= 1);
  const Integer most = n - 1;
  const auto width = most == 0 ? 0 : static_cast<int>(mpz_sizeinbase(most.get_mpz_t(), 2));
  while (true) {
    Integer candidate = 0;
    for (int left = width; left > 0;) {
      const int step = std::min(left, 64);
      candidate =
          (candidate << static_cast<unsigned>(step)) + static_cast<unsigned long>(bits.take(step));
      left -= step;
    }
    if (candidate < n) return candidate;  // at least every second time
  }
}

template <BitSource B>
Integer geometric(const Rational& scale, B& bits) {
  DISCREET_CHECK(scale.sign() > 0);
  const Integer n = scale.numerator();
  // X = fine + n * whole is geometric with ratio e^(-1/n); see bernoulli.md.
  Integer fine;
  do {
    fine = uniform_below(n, bits);
  } while (!bernoulli_exp(Rational::ratio(fine, n), bits));
  Integer whole = 0;
  while (one_over_e().flip(bits)) ++whole;
  return Integer(fine + n * whole) / scale.denominator();
}

}  // namespace discreet::random
