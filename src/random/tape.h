// SPDX-License-Identifier: Apache-2.0
// Tape: a bit source whose bits somebody chose. The audit walks all of them, an attack seeds them, a
// test reads them from a string; all derive from Tape, so that samplers and mechanisms are compiled
// for one type a width, once, with the product's flags: the code that is walked is the code that
// ships. SystemBits is not a Tape, so nothing that takes one can be given the product's bits.
#pragma once

#include <cstdint>

#include "random/bit_source.h"

namespace discreet::random {

template <int kWidth>
class Tape {
 public:
  static constexpr int kWordBits = kWidth;

  virtual std::uint64_t take(int k) = 0;
  /// A tape may count look-ups, to show that their number is the same for every outcome.
  virtual void note_look_up() {}
  /// A loop that draws again after a rejection says where it begins, and that it does
  /// (random/tries.h).
  virtual int begin_tries() { return 0; }
  virtual void reject(int) {}

 protected:
  Tape() = default;
  Tape(const Tape&) = default;
  Tape& operator=(const Tape&) = default;
  ~Tape() = default;
};

static_assert(BitSource<Tape<1>> && BitSource<Tape<64>> && !BlockSource<Tape<64>>);

}  // namespace discreet::random

/// X(M, source) for each tape that code is compiled for: the widths of an audit, and whole words.
#define DISCREET_ON_TAPES(X, M) \
  X(M, random::Tape<1>)         \
  X(M, random::Tape<2>)         \
  X(M, random::Tape<3>)         \
  X(M, random::Tape<4>) X(M, random::Tape<5>) X(M, random::Tape<6>) X(M, random::Tape<64>)
