// SPDX-License-Identifier: Apache-2.0
// Renyi differential privacy on a fixed grid of orders: it accounts for everything, and never fails
// to answer.
//
// Definition (Mironov 2017). M has the curve tau if D_alpha(M(x)||M(x')) <= tau(alpha) for all
// neighbours. Adaptive composition adds curves. Here tau is an upper bound at each order of the
// grid, next to a delta that was set aside (as in approximate zCDP).
//
// Theorems, with A = e^{(alpha-1) tau}:
//   Gaussian (both)    tau = alpha / (2 sigma^2)
//   Laplace            A = (alpha e^{(alpha-1) eps} + (alpha-1) e^{-alpha eps}) / (2 alpha - 1)
//                      [Mir17]
//   epsilon-DP         A = (e^{(alpha-1) eps} + e^{-alpha eps}) / (1 + e^{-eps}): randomized
//                      response is the worst [KOV15]
//   exponential        the least of that and alpha eps^2 / 8 [CR21]
//   discrete Laplace   its own sum over the losses, a geometric series
//   Poisson sample     A - 1 = sum_{k=2..alpha} C(alpha,k) (1-q)^{alpha-k} q^k (A_k - 1), alpha
//                      whole [MTZ19]; A <= 1 - q + q A_alpha for any alpha
//
// The sampled formulas are the divergence of ((1-q)Q + qP) from Q, the direction in which a person
// is removed. The other direction is not larger whenever an involution swaps P and Q, as a
// reflection does for both noises: notions.md, "Both directions", has a proof.
#pragma once

#include <span>
#include <vector>

#include "accounting/use.h"

namespace discreet::accounting {

/// The grid: 1 + 2^-16 ... 1.75, the whole numbers 2 to 64, then ever sparser up to 2^20.
std::span<const double> renyi_orders();

class RenyiCurve {
 public:
  /// Costs nothing.
  RenyiCurve();
  static RenyiCurve of(const Mechanism& mechanism);
  static RenyiCurve of(const std::vector<Use>& uses);

  RenyiCurve composed(const RenyiCurve& other) const;
  RenyiCurve times(std::uint64_t count) const;

  /// For k people. Theorem (Mironov 2017, Prop. 2): with 2^c >= k and alpha >= 2, tau'(alpha) <=
  /// 3^c tau(2^c alpha). Orders below 2 take the value at 2. Where zCDP has a rho, k^2 rho is
  /// better. Requires: k >= 1; nothing was set aside (delta() == 0).
  RenyiCurve group(std::uint64_t k) const;

  /// The upper bound at the i-th order; may be infinite, never NaN.
  double tau(std::size_t i) const { return tau_[i]; }
  const Rational& delta_set_aside() const { return delta_; }

  /// An upper bound on epsilon at `delta`, by the best order; infinite if nothing of delta is left.
  /// Requires: 0 < delta < 1.
  double epsilon(const Rational& delta) const;
  /// An upper bound on delta at `epsilon` >= 0.
  double delta(const Rational& epsilon) const;

 private:
  /// The least of `exact` over all orders; `guess` says which need not be asked.
  template <class Guess, class Exact>
  double least_of(const Guess& guess, const Exact& exact) const;

  std::vector<double> tau_;
  Rational delta_;
};

}  // namespace discreet::accounting
