// SPDX-License-Identifier: Apache-2.0
// How much noise a guarantee needs: from sensitivity and privacy parameters to a scale or a
// variance, exactly, or rounded to the side of more noise (K5). Errors come from parameters only
// (K6).
#pragma once

#include "numeric/real.h"
#include "privacy/cost.h"

namespace discreet::mechanism {

/// sensitivity / epsilon, exactly.
/// Fails with: kInvalidInput when it is outside [2^-40, 2^40], naming what to change.
Result<Scale> laplace_scale(const Sensitivity& sensitivity, const Epsilon& epsilon);

/// sensitivity^2 / (2 rho), exactly.
/// Fails with: kInvalidInput when it is outside [2^-40, 2^60], naming what to change.
Result<Variance> gaussian_variance(const L2Squared& sensitivity_squared, const Rho& rho);

struct AnalyticGaussian {
  Sensitivity sensitivity;  ///< D, an absolute or L2 distance
  Epsilon epsilon;
  Delta delta;
};

/// The delta that N(0, sigma^2) pays at epsilon for distance D [BW18, Theorem 8]:
///   Phi(D/(2 sigma) - epsilon sigma/D) - e^epsilon Phi(-D/(2 sigma) - epsilon sigma/D).
Real gaussian_delta(const Sensitivity& sensitivity, const Epsilon& epsilon,
                    const Variance& variance);

/// A variance for which gaussian_delta is *certified* to be at most the wanted delta: within one
/// part in 2^40 of the least one, rounded up to 12 significant decimal digits.
/// Fails with: kInvalidInput when delta is 0, or when the variance would have to exceed 2^60.
Result<Variance> analytic_gaussian_variance(const AnalyticGaussian& wanted);

/// The least multiple of 10^-18 that is at least x: the grid of the ledger.
Rational round_up_to_ledger(const Real& x);

}  // namespace discreet::mechanism
