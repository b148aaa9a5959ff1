// SPDX-License-Identifier: Apache-2.0
// Gaussian differential privacy: the exact cost of any number of Gaussian mechanisms, in closed
// form.
//
// Theorem (Balle, Wang 2018; Dong, Roth, Su 2022). Gaussians with sensitivity/sigma = mu_i,
// composed, are as private as one with mu^2 = sum of mu_i^2, and exactly so:
//   delta(eps) = Phi(-eps/mu + mu/2) - e^eps Phi(-eps/mu - mu/2)
//   trade-off    f(a) = Phi(Phi^-1(1 - a) - mu)
//   k people     k mu
// Every number below is a bracket, computed with intervals. Proof: notions.md, "Gaussian"
#pragma once

#include <optional>
#include <vector>

#include "accounting/pld.h"
#include "accounting/use.h"
#include "numeric/interval.h"

namespace discreet::accounting {

class GaussianDp {
 public:
  /// Requires: mu_squared > 0.
  static GaussianDp of_mu_squared(const Rational& mu_squared);
  /// All uses together, if each of them is a Gaussian (on the whole data) and there is one.
  static std::optional<GaussianDp> of(const std::vector<Use>& uses);

  Bounds mu() const;
  /// Requires: epsilon >= 0.
  Bounds delta(const Rational& epsilon) const;
  /// Requires: 0 < delta < 1.
  Bounds epsilon(const Rational& delta) const;
  /// The least false-negative rate of a test whose false-positive rate is `alpha`. Requires: 0 <=
  /// alpha <= 1.
  Bounds trade_off(const Rational& alpha) const;

  GaussianDp composed(const GaussianDp& other) const;
  /// For k people at once. Requires: k >= 1.
  GaussianDp group(std::uint64_t k) const;

 private:
  explicit GaussianDp(Interval mu_squared);
  Bounds delta_at(const Interval& epsilon) const;

  Interval mu_squared_;
  Interval mu_;
};

}  // namespace discreet::accounting
