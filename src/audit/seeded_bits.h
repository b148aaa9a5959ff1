// SPDX-License-Identifier: Apache-2.0
// SeededBits: a bit source that can be repeated, for synthetic data, attacks and measurements. Its
// bits are known to whoever knows the seed, so nothing that it touches may be called an answer: the
// door gives it Audited values only.
#pragma once

#include <cstdint>

#include "base/check.h"
#include "base/result.h"
#include "random/tape.h"

namespace discreet::audit {

class SeededBits final : public random::Tape<64> {
 public:
  explicit SeededBits(std::uint64_t seed) : state_(seed) {}
  /// From the operating system, for a run that is not to be repeated.
  static Result<SeededBits> fresh();

  /// A counter through a mixing permutation of 64-bit words (splitmix64): equidistributed words.
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::uint64_t take(int k) override {
    DISCREET_CHECK(k >= 1 && k <= 64);
    taken_ += static_cast<std::uint64_t>(k);
    return next() >> (64 - k);
  }
  std::uint64_t bits_taken() const { return taken_; }

  /// 0 to n - 1; the bias of the multiplication is below n / 2^64.
  std::uint64_t below(std::uint64_t n);
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Standard normal.
  double normal();

 private:
  std::uint64_t state_;
  std::uint64_t taken_ = 0;
};

}  // namespace discreet::audit
