// SPDX-License-Identifier: Apache-2.0
// ScaledExpCoin: coins of 2^t e^(-rate d) for one rate and many integers d: what is left to decide
// when a candidate was proposed with the power of two just above its weight e^(-rate d).
#pragma once

#include <cstdint>
#include <vector>

#include "numeric/int128.h"
#include "numeric/rational.h"
#include "random/bit_source.h"
#include "random/real_coin.h"

namespace discreet::random {

/// Theorem     Pr[flip(d, t) = true] = 2^t e^(-rate d), flips independent.
/// Proof       select.md
/// Cost        one word but for probability 2^-58 when rate's parts and the product fit 64 and 128
///             bits and rate d < t ln 2 + 1; else one exponential with rigorous bounds.
/// Checked by  select_test: all tapes, both ways to the digits.
class ScaledExpCoin {
 public:
  static constexpr int kShiftMax = 64;

  /// Requires: rate > 0.
  explicit ScaledExpCoin(const Rational& rate);

  /// Uniform bits that were read before and that nothing else depends on.
  struct Spare {
    std::uint64_t bits = 0;
    int count = 0;  ///< 0 ... 64
  };

  /// Requires: d >= 0; 0 <= t <= kShiftMax; 2^t e^(-rate d) <= 1.
  template <BitSource B>
  bool flip(Int128 d, int t, const Spare& spare, B& bits) const {
    if (d == 0) return true;  // then t = 0
    const auto digits = [&](int n) { return digits_of(chance(d, t), n); };
    return uniform_is_below(spare.bits, spare.count, bracket(d, t), digits, bits);
  }

 private:
  /// 2^t e^(-rate d)
  Real chance(Int128 d, int t) const;
  /// Its first 64 digits.
  Bracket bracket(Int128 d, int t) const;

  Rational rate_;
  bool is_small_;  // numerator and denominator fit 64 bits
  std::uint64_t numerator_ = 0;
  std::uint64_t denominator_ = 1;
};

}  // namespace discreet::random
