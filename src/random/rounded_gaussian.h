// SPDX-License-Identifier: Apache-2.0
// RoundedGaussian: round(N(0, sigma^2)), exactly, for any rational variance. For an integer x,
// x + draw() is the continuous Gaussian mechanism's answer, rounded: post-processing, so the
// accounting of the continuous Gaussian applies unchanged.
//
/// Theorem      Pr[draw() = z] = Phi((z + 1/2) / sigma) - Phi((z - 1/2) / sigma), for every
///              integer z.
/// Domain       2^-40 <= sigma^2 <= 2^60, any rational; fill() clamps to int64.
/// Accuracy     Pr[|Z| >= t] = 2 Phi(-(t - 1/2) / sigma) for integers t >= 1.
/// Rounding     never decided by a tie: of the continuous point only an interval between two
///              neighbouring multiples of 1/2 is ever drawn, and all but its ends rounds to one
///              integer. The ends have probability zero.
/// Randomness   sigma below about 50: one word and one look-up. Above: two words a try, as for the
///              discrete Gaussian.
/// Side channel as random/gaussian.h.
/// Source       own construction (gaussian.md).
/// Checked by   gaussian_test: all tapes at small widths, chi-square; alias_test: table entries by
///              intervals; pmf_test: probabilities against mpmath; array_test: fill() is draw().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "numeric/int128.h"
#include "privacy/quantity.h"
#include "random/alias.h"
#include "random/bit_source.h"
#include "random/gaussian_cells.h"
#include "random/laplace.h"
#include "random/system_bits.h"
#include "random/tape.h"

namespace discreet::random {

/// The same shapes as the discrete Gaussian, a step further out when direct.
GaussianShape rounded_gaussian_shape(const Rational& variance, int column_bits, int word_bits);

/// Direct: differences of erfc at column z + N/2 - 1, and the exact tail |x| > reach - 1/2 in the
/// last. Cells: as the discrete Gaussian.
WeightRule rounded_gaussian_weights(const Rational& variance, int column_bits,
                                    const GaussianShape& shape);

template <int kColumnBits, int kThresholdBits>
class BasicRoundedGaussian {
 public:
  using Table = AliasTable<kColumnBits, kThresholdBits>;
  static constexpr int kWordBits = Table::kWordBits;

  explicit BasicRoundedGaussian(const Variance& variance);

  /// From a process-wide cache of the variances used last.
  static std::shared_ptr<const BasicRoundedGaussian> shared(const Variance& variance);

  template <BitSource B>
  Int128 draw(B& bits) const;

  /// Independent draws, clamped to int64. Compiled for SystemBits; the body is in gaussian_fill.h.
  template <BlockSource B>
  void fill(B& bits, std::span<std::int64_t> out) const
    requires(kWordBits == 64);

  const GaussianShape& shape() const { return shape_; }
  const Table& table() const { return table_; }
  const GaussianCells& cells() const { return cells_; }

 private:
  static constexpr std::int64_t kMiddle = std::int64_t{1} << (kColumnBits - 1);

  template <BitSource B>
  bool finish(std::uint64_t word, const CellPoint& point, B& bits, Int128& z) const;
  template <BitSource B>
  bool finish_escape(B& bits, Int128& z) const;

  GaussianShape shape_;
  GaussianCells cells_;
  Table table_;
};

using RoundedGaussian = BasicRoundedGaussian<10, 54>;

template <BitSource B>
using RoundedGaussianFor =
    BasicRoundedGaussian<column_bits_for(B::kWordBits), threshold_bits_for(B::kWordBits)>;

}  // namespace discreet::random

#include "random/rounded_gaussian_inl.h"

namespace discreet::random {

// For tapes compiled once, in rounded_gaussian.cc.
#define DISCREET_DRAW(Sampler, Source) extern template Int128 Sampler<Source>::draw(Source&) const;
DISCREET_ON_TAPES(DISCREET_DRAW, RoundedGaussianFor)
#undef DISCREET_DRAW

}  // namespace discreet::random
