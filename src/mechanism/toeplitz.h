// SPDX-License-Identifier: Apache-2.0
// Toeplitz: the integer matrix by which counts of days are mixed before noise is added, so that all
// their running sums come out well: near a square root of the matrix of running sums.
//
//   C = (c_{t-s}) for s <= t < T, c_k whole, c_0 = Q, 2^16 >= c_1 >= c_2 >= ... >= 0.
//
// The square root has c_k/Q = binomial(2k,k)/4^k [Bennett 1977; Fichtenberger-Henzinger-Upadhyay
// 2023]; here it is rounded down to whole multiples of 1/Q, and lengths are those of the rounded
// one. Without mixing: c = (1).
//
// Lemma (days). Let u have at most w nonzero entries, each |u_s| <= 1. Then |C u|^2 <= N(w), the
// squared length of the sum of the first w columns. Proof. The Gram matrix G_ij = sum over k of
// c_{k+j-i} c_k, k from 0 to T-1-j for i <= j, has no negative entry, so |C u|^2 = sum u_i u_j G_ij
// <= the sum of G_ij over the places S of u. G_ij falls when j-i grows at fixed j (c falls) and
// when both grow by the same (fewer terms). The a-th place of S in order, s_a, is at least a (from
// 0), and s_b - s_a >= b - a. So, for a <= b, first raise i until the distance is b - a, then lower
// both to a and b: G at (s_a, s_b) is at most G at (a, b).  QED
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "numeric/rational.h"

namespace discreet::mechanism {

class Toeplitz {
 public:
  /// The longest stream.
  static constexpr std::int64_t kDaysMax = std::int64_t{1} << 20;

  static constexpr int kUnitBits = 16;

  /// Requires: 1 <= days <= kDaysMax; 1 <= unit_bits <= 16. Fewer bits are coarser: for the audit,
  /// which walks all tapes.
  static Toeplitz square_root(std::int64_t days, int unit_bits = kUnitBits);
  /// No mixing.
  static Toeplitz identity(std::int64_t days);

  std::int64_t days() const { return days_; }
  /// c_0: what is released is in units of 1/unit() rows.
  std::int64_t unit() const { return coefficients_.front(); }
  /// c_0 .. ; zeros at the end are left out.
  const std::vector<std::int64_t>& coefficients() const { return coefficients_; }
  bool mixes() const { return coefficients_.size() > 1; }

  /// N(w). Requires: 1 <= w <= days.
  Integer length_squared(std::int64_t w) const;

 private:
  Toeplitz(std::int64_t days, std::vector<std::int64_t> coefficients)
      : days_(days), coefficients_(std::move(coefficients)) {}
  std::int64_t days_;
  std::vector<std::int64_t> coefficients_;
};

}  // namespace discreet::mechanism
