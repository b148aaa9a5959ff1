// SPDX-License-Identifier: Apache-2.0
// RawBits: the bits of the operating system's source as they come, health-tested and not expanded
// by any cipher.
//
// A gamma-Santha-Vazirani source is one whose every bit, given all bits before it, is 0 with a
// probability between (1-gamma)/2 and (1+gamma)/2. A mechanism whose proof assumes that and no
// more (mechanism/sv_laplace.h) must read such bits themselves: what a generator makes out of a
// seed is a function of few bits, about which the assumption says nothing.
//
// V1  No bit before 1024 raw bytes of this thread's source passed the health tests.
// V2  Bits are handed out in the order in which they were read, each once. What is left over when a
//     draw ends is wiped and never used, so a fork between two draws shares nothing.
// V3  The bytes of a draw are not tested themselves: to refuse some tapes is to refuse some
//     answers, and the neighbours' chances of being refused differ. Other bytes are read and tested
//     before each draw, and thrown away; what holds given any earlier bits holds given that they
//     passed.
// V4  When a read fails, or the tested bytes look sick, healthy() turns false for good. Bits of a
//     fixed pattern still come, so that a decoder ends; the door then releases nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "random/entropy.h"
#include "random/health.h"

namespace discreet::random {

class RawBits {
 public:
  static constexpr int kWordBits = 1;

  /// This thread's source, with nothing left over from an earlier draw.
  /// Fails with: kNoEntropy, for good.
  static Result<RawBits*> this_thread();
  /// The same: every draw reads the OS source.
  static Result<RawBits*> for_release() { return this_thread(); }

  /// Over another raw source: for tests of V1 to V4.
  explicit RawBits(RawSource source) : source_(source) {}
  RawBits(const RawBits&) = delete;
  RawBits& operator=(const RawBits&) = delete;
  ~RawBits() { forget(); }

  /// Forgets what is left; reads and tests bytes that no draw will see (V3).
  Result<void> begin();

  /// k fresh bits, 1 <= k <= 64.
  std::uint64_t take(int k);

  bool healthy() const { return !failure_.has_value(); }
  std::uint64_t bits_taken() const { return taken_; }

 private:
  static constexpr std::size_t kBlockBytes = 16;
  static constexpr std::size_t kTestedBefore = 32;

  void forget();
  void refill();
  unsigned take_one();

  RawSource source_;
  HealthTests health_{};
  std::optional<Error> failure_;
  std::uint8_t block_[kBlockBytes] = {};
  std::uint32_t left_ = 0;  // bits of the block not handed out
  std::uint64_t taken_ = 0;
};

}  // namespace discreet::random
