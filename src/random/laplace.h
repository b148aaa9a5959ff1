// SPDX-License-Identifier: Apache-2.0
// DiscreteLaplace: exact discrete Laplace noise of any rational scale, a few nanoseconds a draw.
//
//   const auto noise = DiscreteLaplace::shared(scale);
//   Int128 z = noise->draw(bits);
//   noise->fill(bits, array);
//
/// Theorem      Pr[draw() = z] = (1-q)/(1+q) q^|z| for every integer z, q = e^(-1/scale).
/// Domain       2^-40 <= scale <= 2^40, any rational; fill() clamps to int64, which at scale 2^40
///              happens with probability below e^(-2^22).
/// Accuracy     Pr[|Z| >= t] = 2 q^t / (1+q) for integers t >= 1;  Var Z = 2q / (1-q)^2.
/// Randomness   words_per_draw() words of kWordBits bits: 1 for scales to 11, 2 to 11,000, 5 at
///              2^40.
/// Side channel every draw reads the same number of bits and makes the same look-ups, whatever Z
///              is, except with probability refinement_probability() <= 2^-50. The look-ups'
///              addresses are random and not hidden from who watches the cache: CAVEATS.
/// Source       own construction (laplace.md): digits of a geometric variable are independent; one
///              alias table for each.
/// Checked by   laplace_test: all tapes at small widths, the reference sampler, chi-square;
///              alias_test: every table entry by intervals; pmf_test: probabilities against mpmath.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "numeric/int128.h"
#include "privacy/quantity.h"
#include "random/alias.h"
#include "random/bit_source.h"
#include "random/system_bits.h"
#include "random/tape.h"

namespace discreet::random {

/// Z = sign (1 + G), and G = L_0 + L_1 N + ... + L_(digits-1) N^(digits-1) + H N^digits with N
/// columns in a table. H runs to `high_count` - 1 in the table; beyond lies the escape.
struct LaplaceShape {
  int digits = 0;
  std::int64_t high_count = 0;
};

/// The least number of digits that keeps the escape's probability at or below 2^-word_bits.
LaplaceShape laplace_shape(const Rational& scale, int column_bits, int word_bits);

/// Weights of the top table's outcomes k + N/2 - 1 for k = sign (1 + H), and of the escape, N - 1.
WeightRule laplace_top_weights(const Rational& scale, int column_bits, const LaplaceShape& shape);

/// Weights of the digit L_i.
WeightRule laplace_digit_weights(const Rational& scale, int column_bits, int i);

template <int kColumnBits, int kThresholdBits>
class BasicDiscreteLaplace {
 public:
  using Table = AliasTable<kColumnBits, kThresholdBits>;
  static constexpr int kWordBits = Table::kWordBits;

  explicit BasicDiscreteLaplace(const Scale& scale);

  /// From a process-wide cache of the scales used last.
  static std::shared_ptr<const BasicDiscreteLaplace> shared(const Scale& scale);

  template <BitSource B>
  Int128 draw(B& bits) const;

  /// Independent draws, clamped to int64. Compiled for SystemBits; the body is in laplace_fill.h.
  template <BlockSource B>
  void fill(B& bits, std::span<std::int64_t> out) const
    requires(kWordBits == 64);

  int words_per_draw() const { return shape_.digits + 1; }

  /// An upper bound of the probability that a draw does more than words_per_draw() look-ups.
  Rational refinement_probability() const;

  const LaplaceShape& shape() const { return shape_; }
  /// The tables: the digits, lowest first, and then the top.
  const std::vector<Table>& tables() const { return tables_; }

 private:
  static constexpr std::int64_t kMiddle = std::int64_t{1} << (kColumnBits - 1);

  /// Z from one word for each table, as `next_word` gives them; further bits are taken in ties and
  /// escapes only.
  template <class NextWord, BitSource B>
  Int128 finish(NextWord&& next_word, B& bits) const;

  Rational scale_;
  LaplaceShape shape_;
  std::vector<Table> tables_;
};

/// The product's: 10 bits choose a column, 54 are compared.
using DiscreteLaplace = BasicDiscreteLaplace<10, 54>;

/// Column bits for a source's width: the product's tables for whole words, small ones for the
/// narrow words of an audit.
constexpr int column_bits_for(int word_bits) {
  return word_bits >= 64 ? 10 : (word_bits <= 2 ? 1 : (word_bits + 1) / 2);
}
constexpr int threshold_bits_for(int word_bits) {
  return word_bits >= 64 ? 54 : (word_bits <= 2 ? 1 : word_bits - column_bits_for(word_bits));
}

template <BitSource B>
using LaplaceFor =
    BasicDiscreteLaplace<column_bits_for(B::kWordBits), threshold_bits_for(B::kWordBits)>;

}  // namespace discreet::random

#include "random/laplace_inl.h"

namespace discreet::random {

// For tapes compiled once, in laplace.cc.
#define DISCREET_DRAW(Sampler, Source) extern template Int128 Sampler<Source>::draw(Source&) const;
DISCREET_ON_TAPES(DISCREET_DRAW, LaplaceFor)
#undef DISCREET_DRAW

}  // namespace discreet::random
