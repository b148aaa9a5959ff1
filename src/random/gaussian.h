// SPDX-License-Identifier: Apache-2.0
// DiscreteGaussian: exact discrete Gaussian noise of any rational variance.
//
//   const auto noise = DiscreteGaussian::shared(variance);
//   Int128 z = noise->draw(bits);
//
/// Theorem      Pr[draw() = z] = e^(-z^2 / 2 sigma^2) / sum over y of e^(-y^2 / 2 sigma^2), for
///              every integer z.
/// Domain       2^-40 <= sigma^2 <= 2^60, any rational; fill() clamps to int64, which happens with
///              probability below e^(-2^60).
/// Accuracy     Var Z <= sigma^2 and Pr[|Z| >= t] <= 2 e^(-t^2 / 2 sigma^2) [CKS20].
/// Randomness   sigma below about 50: one word and one look-up. Above: two words a try, 0.5 % to
///              2.5 % of the tries are rejected, and about twice as many work out an exponential.
/// Side channel above sigma 50 the time depends on the draw (a rejection, an exponential): CAVEATS.
/// Source       own construction (gaussian.md): alias table over values, or over cells with
///              rejection inside.
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

template <int kColumnBits, int kThresholdBits>
class BasicDiscreteGaussian {
 public:
  using Table = AliasTable<kColumnBits, kThresholdBits>;
  static constexpr int kWordBits = Table::kWordBits;

  explicit BasicDiscreteGaussian(const Variance& variance);

  /// From a process-wide cache of the variances used last.
  static std::shared_ptr<const BasicDiscreteGaussian> shared(const Variance& variance);

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

  /// One try, from a word for the table and, unless the shape is direct, a point inside the cell;
  /// false when it is rejected.
  template <BitSource B>
  bool finish(std::uint64_t word, const CellPoint& point, B& bits, Int128& z) const;
  template <BitSource B>
  bool finish_escape(B& bits, Int128& z) const;

  GaussianShape shape_;
  GaussianCells cells_;
  Table table_;
};

/// The product's: 10 bits choose a column, 54 are compared.
using DiscreteGaussian = BasicDiscreteGaussian<10, 54>;

template <BitSource B>
using GaussianFor =
    BasicDiscreteGaussian<column_bits_for(B::kWordBits), threshold_bits_for(B::kWordBits)>;

}  // namespace discreet::random

#include "random/gaussian_inl.h"

namespace discreet::random {

// For tapes compiled once, in gaussian.cc.
#define DISCREET_DRAW(Sampler, Source) extern template Int128 Sampler<Source>::draw(Source&) const;
DISCREET_ON_TAPES(DISCREET_DRAW, GaussianFor)
#undef DISCREET_DRAW

}  // namespace discreet::random
