// SPDX-License-Identifier: Apache-2.0
// Uniform integers below n, exactly, without big numbers.
#pragma once

#include <bit>
#include <cstdint>

#include "base/check.h"
#include "numeric/int128.h"
#include "random/bit_source.h"

namespace discreet::random {

/// An integer from 0 .. n-1, each with chance 1/n.
///
/// Method      x is w uniform bits, w the least multiple of B::kWordBits with 2^w >= n, or 64.
///             x n = h 2^w + l; h is the answer unless l < 2^w mod n, else draw again.
/// Theorem     Pr[h] = 1/n for each h below n.
/// Proof       coin.md
/// Randomness  One word in the product, but for a second with chance (2^w mod n) / 2^w < n / 2^64.
///             n = 1 reads nothing.
/// Checked by  coin_test: all tapes enumerated for n to 70, the ends of every answer at 64 bits.
/// Source      Lemire, Fast random integer generation in an interval (2019).
/// Requires: n >= 1.
template <BitSource B>
std::uint64_t uniform_below(std::uint64_t n, B& bits) {
  DISCREET_CHECK(n >= 1);
  if (n == 1) return 0;
  const int needed = 64 - std::countl_zero(n - 1);
  int width = (needed + B::kWordBits - 1) / B::kWordBits * B::kWordBits;
  if (width > 64) width = 64;
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - width);
  for (;;) {
    const Uint128 product = Uint128{bits.take(width)} * n;
    const std::uint64_t low = static_cast<std::uint64_t>(product) & mask;
    // 2^w mod n < n, so the division is needed only below n; (mask - n + 1) is 2^w - n.
    if (low < n && low < (mask - n + 1) % n) continue;
    return static_cast<std::uint64_t>(product >> width);
  }
}

}  // namespace discreet::random
