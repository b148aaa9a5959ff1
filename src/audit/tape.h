// SPDX-License-Identifier: Apache-2.0
// WalkedTape: a Tape that reads a fixed string of bits, so that a sampler becomes a function that
// can be tabulated. Only the walk (audit/walk.h) makes tapes run out; the kernel passes the
// exception through.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "numeric/int128.h"
#include "random/tape.h"

namespace discreet::audit {

/// The longest string: 2^-126 is still an integer multiple of 2^-127, so masses add in 128 bits.
inline constexpr int kTapeMax = 126;

/// A string of `length` bits, first bit read first. It is kept as the binary fraction
/// 0.b1 b2 b3 ... in 128 bits, so that walking all strings is sweeping [0, 1) from left to right.
class TapeString {
 public:
  TapeString(Uint128 fraction, int length) : fraction_(fraction), length_(length) {
    DISCREET_CHECK(length >= 0 && length <= kTapeMax);
  }

  Uint128 fraction() const { return fraction_; }
  int length() const { return length_; }
  /// Bits read so far.
  int used() const { return used_; }

 protected:
  /// Thrown by a read past the end. Private to the audit: nothing else can name it.
  class Exhausted {};
  /// Thrown when a loop starts over: its place in began().
  struct Rejected {
    std::size_t id;
  };
  friend class Walk;

  /// After how many bits each loop that may start over began, in the order in which they did.
  const std::vector<int>& began() const { return began_; }

  /// Requires: 1 <= k <= 64. A read that does not fit uses up nothing.
  std::uint64_t read(int k) {
    DISCREET_CHECK(k >= 1 && k <= 64);
    if (used_ + k > length_) throw Exhausted();
    const Uint128 rest = fraction_ << used_;
    used_ += k;
    return static_cast<std::uint64_t>(rest >> (128 - k));
  }

  std::vector<int> began_;

 private:
  Uint128 fraction_;
  int length_;
  int used_ = 0;
};

/// What programs under audit read.
using random::Tape;

/// The string as a source whose words are kWidth bits wide: samplers choose their tables by
/// kWordBits, so a narrow tape walks the very code that the product runs at 64 bits.
template <int kWidth>
class WalkedTape final : public TapeString, public Tape<kWidth> {
 public:
  static_assert(kWidth >= 1 && kWidth <= 6);

  /// `stops` says whether a rejection ends the run.
  WalkedTape(Uint128 fraction, int length, bool stops = false)
      : TapeString(fraction, length), stops_(stops) {}

  std::uint64_t take(int k) override { return read(k); }
  int begin_tries() override {
    if (stops_) began_.push_back(used());
    return static_cast<int>(began_.size()) - 1;
  }
  void reject(int id) override {
    if (stops_) throw Rejected{static_cast<std::size_t>(id)};
  }

 private:
  bool stops_;
};

}  // namespace discreet::audit
