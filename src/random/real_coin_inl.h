// SPDX-License-Identifier: Apache-2.0
// Bodies of random/real_coin.h.
#pragma once

#include "random/real_coin.h"

namespace discreet::random {

/// The rare part: U agrees with x as far as 64 digits of x are known.
template <BitSource B, class Digits>
bool uniform_is_below_after_tie(std::uint64_t prefix, const Digits& digits, B& bits) {
  static_assert(sizeof(unsigned long) == 8);
  Integer uniform = static_cast<unsigned long>(prefix);
  int known = 64;
  while (true) {
    const int step = std::min<int>(B::kWordBits, 64);
    uniform =
        (uniform << static_cast<unsigned>(step)) + static_cast<unsigned long>(bits.take(step));
    known += step;
    const Integer x = digits(known);
    if (uniform != x) return uniform < x;
  }
}

template <BitSource B, class Digits>
bool uniform_is_below(std::uint64_t prefix, int known, const Bracket& x, const Digits& digits,
                      B& bits) {
  while (true) {
    if (known > 0) {
      // U is in [prefix, prefix + 1) / 2^known, so it is below x for certain when prefix + 1 is at
      // most floor(2^known x), and at least x when prefix exceeds that floor.
      const int hidden = 64 - known;
      if (prefix < x.low >> hidden) return true;
      if (prefix > x.high >> hidden) return false;
      if (x.exact && (x.low >> hidden) << hidden == x.low) return false;
      if (known == 64) return uniform_is_below_after_tie(prefix, digits, bits);
    }
    const int step = std::min<int>(B::kWordBits, 64 - known);
    prefix = (step == 64 ? 0 : prefix << step) | bits.take(step);
    known += step;
  }
}

}  // namespace discreet::random
