// SPDX-License-Identifier: Apache-2.0
// Tries: marks a loop that draws again after a rejection, for those who walk tapes
// (audit/exact.md). With the product's bits it is nothing.
//
//   for (Tries tries(bits);; tries.again()) {
//     if (one try succeeds) return its result;
//   }
#pragma once

#include "random/bit_source.h"

namespace discreet::random {

/// Requires: what the loop does after again() depends on fresh bits alone, as it did at the start:
/// nothing of a rejected try is kept.
template <BitSource B>
class Tries {
 public:
  explicit Tries(B& bits) : bits_(bits) {
    if constexpr (kIsTold) id_ = bits_.begin_tries();
  }

  void again() {
    if constexpr (kIsTold) bits_.reject(id_);
  }

 private:
  static constexpr bool kIsTold = requires(B& bits) { bits.begin_tries(); };

  B& bits_;
  int id_ = 0;
};

}  // namespace discreet::random
