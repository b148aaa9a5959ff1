// SPDX-License-Identifier: Apache-2.0
// What the discrete and the rounded Gaussian share: how far their tables reach, the cells of a
// large sigma, and the coins of e^(-x / 2 sigma^2) that accept a point of a cell.
//
// Cells: a number a >= 0 lies in cell h = floor(a / w), w = 2^cell_bits. The table draws h with
// weight w e^(-(h w)^2 / 2 sigma^2), the largest weight in the cell times its width; a uniform
// point of the cell is then accepted with the ratio, which is close to 1 because w is small beside
// sigma.
#pragma once

#include <cstdint>
#include <vector>

#include "numeric/rational.h"
#include "random/bit_source.h"
#include "random/real_coin.h"
#include "random/weights.h"

namespace discreet::random {

struct GaussianShape {
  bool is_direct = true;   ///< one column for each value, no cells
  int cell_bits = 0;       ///< w = 2^cell_bits
  std::int64_t cells = 0;  ///< cells in the table; unused when direct
  std::int64_t reach = 1;  ///< the table covers |z| < reach; beyond lies the escape
};

/// The least reach whose escape has probability at most 2^-word_bits, direct if that fits.
GaussianShape gaussian_shape(const Rational& variance, int column_bits, int word_bits);

/// Direct: weight e^(-z^2 / 2 sigma^2) at column z + N/2 - 1. Cells: column h. Both: the last
/// column is the escape, with the weight of a geometric tail that lies above the Gaussian's.
WeightRule gaussian_weights(const Rational& variance, int column_bits, const GaussianShape& shape);

/// Random bits of one try inside a cell: a sign, a uniform place below 2^place_bits, and the first
/// bits of the uniform real that decides about acceptance.
struct CellPoint {
  bool is_negative = false;
  std::uint64_t place = 0;
  std::uint64_t accept = 0;
};

/// Coins of e^(-x / 2 sigma^2) and the squeeze that spares most of them.
class GaussianCells {
 public:
  /// place_bits: how many bits say where in the cell a point lies. fraction_bits: how many of them
  /// stand behind the binary point.
  GaussianCells(const Rational& variance, const GaussianShape& shape, int word_bits,
                int fraction_bits);

  /// Splits a word into a point, for sources of whole words.
  CellPoint split(std::uint64_t word) const;
  template <BitSource B>
  CellPoint read(B& bits) const;

  /// True for certain, whatever the point is: accept < its least acceptance in the cell.
  bool surely_accepts(std::uint64_t cell, const CellPoint& point) const {
    return point.accept < squeeze_[cell];
  }

  /// 64 digits of e^(-x / (2 sigma^2)), for x = scaled / 4^fraction_bits.
  Bracket acceptance(std::uint64_t scaled) const;
  /// x / (2 sigma^2), exactly.
  Rational exponent(const Rational& x) const { return x / twice_variance_; }

  int place_bits() const { return place_bits_; }
  int accept_bits() const { return accept_bits_; }
  const Rational& twice_variance() const { return twice_variance_; }

 private:
  Rational twice_variance_;
  int place_bits_;
  int fraction_bits_;
  int accept_bits_;
  std::uint64_t inverse_ = 0;  // floor(2^inverse_bits_ / (4^fraction_bits 2 sigma^2)), 63 bits
  int inverse_bits_ = 0;
  std::vector<std::uint64_t> squeeze_;  // one for each cell, accept_bits_ digits
};

}  // namespace discreet::random

#include "random/gaussian_cells_inl.h"
