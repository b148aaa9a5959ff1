// SPDX-License-Identifier: Apache-2.0
// Zero-concentrated differential privacy: one number, rho, that adds up exactly.
//
// Definition (Bun, Steinke 2016). M is rho-zCDP if D_alpha(M(x)||M(x')) <= rho alpha for all alpha
// > 1 and neighbours x, x'; delta-approximately so if that holds once an event of probability delta
// is set aside on each side.
//
// Theorems. Adaptive composition adds rhos and deltas.
//   Gaussian, discrete Gaussian, also on vectors    1/(2 sigma^2)       [CKS20]
//   epsilon-DP, hence also permute-and-flip         epsilon^2/2         [BS16 Prop. 1.4]
//   exponential mechanism, by its bounded range     epsilon^2/8         [Cesar, Rogers 2021]
//   (epsilon, delta)-DP                             epsilon^2/2, delta set aside
// A subsampled mechanism is absent: no line through 0 above its Renyi curve shows the sampling.
#pragma once

#include <optional>
#include <vector>

#include "accounting/use.h"

namespace discreet::accounting {

struct Zcdp {
  Rational rho;
  Rational delta;
};

std::optional<Zcdp> zcdp_of(const Mechanism& mechanism);
/// The sum: exact, or, past denominators of 512 bits, rounded up.
std::optional<Zcdp> zcdp_of(const std::vector<Use>& uses);

/// An upper bound on epsilon at `delta`, by conversion.h at the best order. Infinite if cost.delta
/// leaves nothing of delta. Requires: 0 < delta < 1.
double zcdp_epsilon(const Zcdp& cost, const Rational& delta);
/// An upper bound on delta at `epsilon` >= 0.
double zcdp_delta(const Zcdp& cost, const Rational& epsilon);

/// The older bound, rho + 2 sqrt(rho ln(1/delta)) [BS16 Prop. 1.3], rounded up. It bounds the
/// privacy loss itself, so an odometer needs it.
double zcdp_epsilon_classical(const Rational& rho, const Rational& delta);

/// A rho for which zcdp_epsilon(rho, delta) <= epsilon, the largest up to a part in 10^9; 0 if
/// there is none. Requires: 0 < delta < 1; epsilon > 0.
Rational zcdp_rho_for(const Rational& epsilon, const Rational& delta);

}  // namespace discreet::accounting
