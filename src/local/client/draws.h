// SPDX-License-Identifier: Apache-2.0
// Draws: the three exact random choices that the randomizers are made of. The product's read system
// bits; a test's branch into every outcome with its exact probability, so that the very code that
// ships can be enumerated.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "random/bit_source.h"
#include "random/uniform.h"

namespace discreet::local {

template <class D>
concept DrawSource = requires(D& draws, std::uint64_t n, std::span<std::uint64_t> words) {
  { draws.coin(n, n) } -> std::same_as<bool>;           // true with probability a/(a+b)
  { draws.below(n) } -> std::same_as<std::uint64_t>;    // uniform on 0..n-1
  { draws.pick(n, n) } -> std::same_as<std::uint64_t>;  // 0 with weight a, each of 1..n with 2^32
  draws.coins(words, n);                                // each bit 1 with probability n/2^32
};

/// Theorem     coin and below have exactly the stated probabilities (random/coin.md). coins: each
///             bit of `out` is [U < threshold] for its own uniform 32-bit U.
/// Proof       Of coins. Lane i of the j-th round holds bit j of U_i, highest first. A lane is
///             decided at the first bit in which U_i and the threshold differ: less if the
///             threshold has the 1. Lanes still open after 32 bits have U = threshold, so not less.
///             Bits that a decided lane would still have drawn do not matter. ∎
/// Side channel  the number of rounds depends on coins alone.
template <random::BitSource B>
class Draws {
 public:
  explicit Draws(B& bits) : bits_(bits) {}

  bool coin(std::uint64_t a, std::uint64_t b) {
    DISCREET_CHECK(a <= ~std::uint64_t{0} - b);
    return random::uniform_below(a + b, bits_) < a;
  }
  std::uint64_t below(std::uint64_t n) { return random::uniform_below(n, bits_); }
  /// One uniform integer below a + n 2^32: the first a of them mean 0, the others, in n runs of
  /// 2^32, mean 1..n.
  std::uint64_t pick(std::uint64_t a, std::uint64_t n) {
    DISCREET_CHECK(n <= (~std::uint64_t{0} - a) >> 32);
    const std::uint64_t drawn = random::uniform_below(a + (n << 32), bits_);
    return drawn < a ? 0 : 1 + ((drawn - a) >> 32);
  }

  void coins(std::span<std::uint64_t> out, std::uint64_t threshold) {
    DISCREET_CHECK(threshold <= std::uint64_t{1} << 32);
    for (std::size_t at = 0; at < out.size(); at += kAtOnce) {
      lanes(out.subspan(at, out.size() - at < kAtOnce ? out.size() - at : kAtOnce), threshold);
    }
  }

 private:
  static constexpr std::size_t kAtOnce = 8;

  void lanes(std::span<std::uint64_t> out, std::uint64_t threshold) {
    const bool always = threshold >> 32 != 0;
    std::uint64_t open[kAtOnce];
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = always ? ~std::uint64_t{0} : 0;
      open[i] = ~std::uint64_t{0};
    }
    const int last = always ? 32 : std::countr_zero(threshold | std::uint64_t{1} << 32);
    for (int bit = 31; bit >= last; --bit) {
      const std::uint64_t one = (threshold >> bit & 1) != 0 ? ~std::uint64_t{0} : 0;
      std::uint64_t any = 0;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint64_t word = bits_.take(64);
        out[i] |= open[i] & ~word & one;
        open[i] &= ~(word ^ one);
        any |= open[i];
      }
      if (any == 0) break;
    }
  }

  B& bits_;
};

}  // namespace discreet::local
