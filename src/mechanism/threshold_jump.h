// SPDX-License-Identifier: Apache-2.0
// How far above what one unit can bring a threshold must lie: a t >= 1 with Pr[S >= t] <= delta,
// where S is the noise of one number, or of two that are added up. The mass *at* t counts.
// Proofs: thresholded_laplace.md §1, thresholded_groups.md §1.
#pragma once

#include "numeric/real.h"
#include "privacy/quantity.h"

namespace discreet::mechanism {

/// Pr[Z + Z' >= t] for two independent discrete Laplace variables of one scale, exactly:
/// q^t/(1+q)^2 ((t+1)(1-q) + q + 2q^2/(1+q)), q = exp(-1/s). Requires: t >= 0.
Real laplace_pair_tail(const Scale& scale, const Integer& t);

/// The least such t for `parts` (1 or 2) discrete Laplace variables.
Integer laplace_jump(const Scale& scale, const Delta& delta, int parts);
/// A certified one for `parts` (1 or 2) discrete Gaussian variables, at most about 2 too high.
Integer gaussian_jump(const Variance& variance, const Delta& delta, int parts);

}  // namespace discreet::mechanism
