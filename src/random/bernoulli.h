// SPDX-License-Identifier: Apache-2.0
// Exact coins and counters with rational parameters: Bernoulli(p), Bernoulli(e^-x), uniform below
// n, geometric. Each comment's probability is a theorem (bernoulli.md), not an approximation.
//
// Side channel: the bits read, and so the time, depend on the outcome. Noise that must not tell by
// its timing comes from random/laplace.h.
#pragma once

#include <cstdint>

#include "numeric/rational.h"
#include "random/bit_source.h"

namespace discreet::random {

/// True with probability p. Requires: 0 <= p <= 1.
/// Cost: one word of bits, except with probability 2^-kWordBits for each further one.
template <BitSource B>
bool bernoulli(const Rational& p, B& bits);

/// True with probability e^-x. Requires: x >= 0, of any size.
/// Cost: at most 3 words expected, whatever x is.
template <BitSource B>
bool bernoulli_exp(const Rational& x, B& bits);

/// Each of 0, ..., n-1 with probability 1/n. Requires: n >= 1.
/// Cost: at most 2 log2(n) + 2 bits expected.
template <BitSource B>
Integer uniform_below(const Integer& n, B& bits);

/// g >= 0 with probability (1-q) q^g, q = e^(-1/scale). Requires: scale > 0.
/// Cost: a constant number of words expected for each 64 bits of the scale's numerator.
template <BitSource B>
Integer geometric(const Rational& scale, B& bits);

/// Coins of e^(-rate d) for one rate and many integers d: the work that depends on the rate alone
/// is done once.
class ExpCoin {
 public:
  /// Requires: rate >= 0.
  explicit ExpCoin(const Rational& rate);

  /// True with probability e^(-rate d).
  template <BitSource B>
  bool flip(std::uint64_t d, B& bits) const;

 private:
  Rational rate_;
  bool is_small_;  // numerator and denominator fit 64 bits
  std::uint64_t numerator_ = 0;
  std::uint64_t denominator_ = 1;
};

}  // namespace discreet::random

#include "random/bernoulli_inl.h"
