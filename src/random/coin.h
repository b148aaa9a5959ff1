// SPDX-License-Identifier: Apache-2.0
// DyadicCoin: a coin whose chance is a whole number of 2^-64ths. It needs no big numbers, so the
// local client can flip it.
#pragma once

#include <cstdint>

#include "random/bit_source.h"

namespace discreet::random {

/// Theorem     Pr[flip() = true] = threshold / 2^64, flips independent.
/// Proof       coin.md
/// Domain      threshold 0 .. 2^64 - 1 by the constructor, 2^64 by always().
/// Randomness  SystemBits: exactly one word a flip, whatever the threshold and the outcome. Narrow
///             tapes: pieces of kWordBits bits until the comparison is decided.
/// Side channel  none of its own: one comparison without a branch.
/// Checked by  coin_test: all tapes enumerated.
class DyadicCoin {
 public:
  explicit constexpr DyadicCoin(std::uint64_t threshold) : threshold_(threshold) {}
  static constexpr DyadicCoin always() {
    DyadicCoin coin(0);
    coin.always_ = true;
    return coin;
  }

  template <BitSource B>
  bool flip(B& bits) const {
    if constexpr (B::kWordBits >= 64) {
      return decide(bits.take(64));
    } else {
      return flip_by_pieces(bits);
    }
  }

  friend constexpr bool operator==(const DyadicCoin&, const DyadicCoin&) = default;

 private:
  constexpr bool decide(std::uint64_t word) const { return (word < threshold_) | always_; }

  template <BitSource B>
  bool flip_by_pieces(B& bits) const {
    for (int left = 64; left > 0;) {
      const int width = left < B::kWordBits ? left : B::kWordBits;
      left -= width;
      const std::uint64_t drawn = bits.take(width);
      if (always_) return true;
      const std::uint64_t piece = threshold_ >> left & ((std::uint64_t{1} << width) - 1);
      if (drawn != piece) return drawn < piece;
    }
    return false;  // U = threshold
  }

  std::uint64_t threshold_;
  bool always_ = false;
};

}  // namespace discreet::random
