// SPDX-License-Identifier: Apache-2.0
// SvCells: one line of cells that a tape of bits is decoded into, such that the cells of two
// neighbours overlap almost wholly and share a long prefix. This is the sampler behind the
// mechanism that stands on Santha-Vazirani sources (mechanism/sv_laplace.md has the proofs).
//
//   offsets h are counted in half units; S rises from 0 to 1 and S(-h) = 1 - S(h):
//   S(-d) = E(d) = m(dJ mod H) 2^-(bits + 1 + floor(dJ/H)),  m(i) = round(2^bits 2^(-i/H)),  d >= 0
//
//   0        E(2q+..)     E(..)        1/2                                      1
//   |---..---|-----------|------------|------------------|---------|----..------|
//    cell low     ...        cell k: [S((2k-1)q - 2y), S((2k+1)q - 2y))     cell high
//
// Laws (checked in santha_vazirani_test):
//   (1) E(0) = 1/2, E falls strictly.
//   (2) E(d + H) = E(d) 2^-J: far cells are near ones behind a longer prefix of equal bits.
//   (3) decode(y, bits) is the cell that holds 0.b1b2b3..., reading no bit more than it takes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "numeric/int128.h"
#include "numeric/rational.h"
#include "random/bit_source.h"

namespace discreet::random {

/// E halves `halvings` times in `period` half units: epsilon on fair coins is about
/// 2 ln 2 halvings / period for a move of one unit.
struct SvShape {
  int period = 0;      ///< H, from 1 to 2^14
  int halvings = 1;    ///< J, from 1 to 8
  int bits = 0;        ///< of a table entry, at most 40
  std::int64_t q = 1;  ///< a cell's width in units

  friend bool operator==(const SvShape&, const SvShape&) = default;
};

class SvCells {
 public:
  /// Cells are numbered from `low` to `high`; the outermost two take all that lies beyond.
  /// Requires: the shape is in range, and low <= high, both below 2^100 in size.
  SvCells(const SvShape& shape, Int128 low, Int128 high);

  /// The same edges, cells of another width.
  SvCells with_width(std::int64_t q) const;

  const SvShape& shape() const { return shape_; }
  /// m(0) to m(period).
  const std::vector<std::uint64_t>& table() const { return table_; }
  /// E(d). Requires: 0 <= d < 2^20.
  Rational edge(std::int64_t d) const;

  /// Requires: |y| < 2^100.
  template <BitSource B>
  Int128 decode(Int128 y, B& bits) const {
    if (low_ == high_) return low_;
    const bool right = bits.take(1) == 1;  // the right half is the left one with all bits turned
    Position at;
    for (;;) {
      Int128 cell = 0;
      if (decided(y, right, at, cell)) return cell;
      at.read((bits.take(1) == 1) != right);
    }
  }

 private:
  /// What is known of a tape in the left half: 0.0, then `zeros` zeros; once a one came, it and
  /// what followed are `lead`, in `lead_bits` bits.
  struct Position {
    Int128 zeros = 0;
    std::uint64_t lead = 0;
    int lead_bits = 0;

    void read(bool one);
  };

  bool decided(Int128 y, bool right, const Position& at, Int128& cell) const;
  /// The least d with E(d) <= x, or E(d) < x, for x = lead 2^-(zeros + 1 + lead_bits).
  /// Requires: 2^(lead_bits - 1) <= lead <= 2^lead_bits.
  Int128 least(const Position& x, bool strictly) const;
  /// The last cell whose left edge is at offset h or before.
  Int128 last_from(Int128 y, Int128 h) const;

  SvShape shape_;
  Int128 low_;
  Int128 high_;
  std::vector<std::uint64_t> table_;
};

}  // namespace discreet::random
