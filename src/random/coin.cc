// SPDX-License-Identifier: Apache-2.0
#include "random/coin.h"

#include <cstddef>

#include "random/system_bits.h"

namespace discreet::random {

void DyadicCoin::flip_many(SystemBits& bits, std::span<std::uint64_t> flips) const {
  for (std::uint64_t& packed : flips) {
    packed = 0;
    for (std::size_t done = 0; done < 64;) {
      for (const std::uint64_t word : bits.take_words(64 - done)) {
        packed |= std::uint64_t{decide(word)} << done++;
      }
    }
  }
}

}  // namespace discreet::random
