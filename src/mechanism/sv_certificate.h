// SPDX-License-Identifier: Apache-2.0
// The certificate of the Santha-Vazirani mechanism: the largest ratio of the probabilities of one
// answer on two neighbours, over all answers, all neighbours and ALL gamma-Santha-Vazirani sources.
//
// Theorem    holds(ratio) implies Pr_R[M(x) = z] <= ratio Pr_R[M(x') = z] for every source R in the
//            class, every z and all |x - x'| <= 1.                       Proof  sv_laplace.md
// Arithmetic integers, rounded so that only a true claim can pass; no search over sources: the
//            best one is found by dynamic programming over the few nodes of the tape's tree that
//            an edge of a cell runs through.
#pragma once

#include <optional>

#include "privacy/quantity.h"
#include "privacy/receipt.h"
#include "random/santha_vazirani_cells.h"

namespace discreet::mechanism {

/// 0 <= gamma <= 1/2, with a denominator of at most 2^20.
struct SvGamma {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  /// Fails with: kInvalidInput, naming the range.
  static Result<SvGamma> of(const Rational& gamma);
  Rational value() const { return Rational::ratio(numerator, denominator); }
};

class SvCertificate {
 public:
  /// Requires: q halvings <= 8 period, or the cells are too far out for 128-bit edges.
  SvCertificate(const random::SvCells& cells, const SvGamma& gamma);

  /// Whether the ratio certainly bounds all. Requires: 1 <= ratio <= 256.
  bool holds(const Rational& ratio) const;
  /// The least multiple of 2^-32 that holds; nothing above 256.
  std::optional<Rational> ratio() const;
  /// ln ratio(), rounded up to a multiple of 2^-32.
  std::optional<Rational> epsilon() const;

  /// A neighbour's cells for one answer: [t0, t1) and [u0, u1) over 2^scale.
  struct Pair {
    Uint128 t0, t1, u0, u1;
  };
  const std::vector<Pair>& pairs() const { return pairs_; }
  int scale() const { return scale_; }

 private:
  bool holds(const Pair& pair, std::int64_t lambda) const;
  Int128 value(const Pair& pair, Uint128 from, int log2_size, std::int64_t lambda) const;

  SvGamma gamma_;
  int scale_ = 0;
  std::vector<Pair> pairs_;
};

/// The gamma that a mechanism's text is certified for: that of SvLaplace::noise(); 0 for all
/// others, whose theorems are about fair coins.
Rational certified_gamma(const NoiseSpec& noise);

/// The shape with the least variance on fair coins, among those tried, whose certificate for gamma
/// is at most epsilon.
/// Fails with: kInvalidInput when epsilon is outside [1/100, 5], or none is good enough.
Result<random::SvShape> choose_sv_shape(const Epsilon& epsilon, const SvGamma& gamma);

/// A shape of about this epsilon on fair coins, never above it by more than the table's rounding,
/// with cells of `q` units. Requires: epsilon >= 1/1000.
random::SvShape sv_shape(const Rational& epsilon, std::int64_t q, int halvings = 1);

}  // namespace discreet::mechanism
