// SPDX-License-Identifier: Apache-2.0
// Repeatable bits for statistical tests: their false-alarm rates are then paid once, not in every
// run.
#pragma once

#include <cstdint>

namespace discreet::local {

struct SeededBits {
  static constexpr int kWordBits = 64;
  std::uint64_t state;

  std::uint64_t take(int k) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) >> (64 - k);
  }
};

}  // namespace discreet::local
