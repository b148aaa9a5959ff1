// SPDX-License-Identifier: Apache-2.0
// How large noise gets: tails, half widths, spreads and expected sizes of the three integer noises,
// exact or on the safe side. Proofs: tails.md. No data comes near this file.
//
//   tail(t)        a rule for a number that is at least Pr[|Z| >= t]
//   half_width(c)  an integer w with Pr[|Z| > w] <= 1 - c
#pragma once

#include "numeric/real.h"
#include "privacy/quantity.h"

namespace discreet::mechanism {

/// A rational on the safe side: at least x, by at most about one part in 2^100; never below
/// 2^-4096.
Rational upper_bound(const Real& x);

/// Whether x <= bound, for sure: precision grows until it can tell. When 2^14 bits cannot, the
/// answer is no, which makes a bound wider and never false.
bool surely_at_most(const Real& x, const Rational& bound);

// Z is discrete Laplace: Pr[Z = z] = (1-q)/(1+q) q^|z|, q = exp(-1/s). All four are exact.

/// Pr[|Z| >= t] = 2 q^t / (1+q) for t >= 1; 1 for t <= 0.
Real laplace_tail(const Scale& scale, const Integer& t);
/// The least integer w >= 0 with 2 q^(w+1) / (1+q) <= 1 - c.
Integer laplace_half_width(const Scale& scale, const Confidence& confidence);
/// 2q / (1-q)^2.
Real laplace_variance(const Scale& scale);
/// E|Z| = 2q / (1-q^2).
Real laplace_expected_size(const Scale& scale);

// Z = round(N(0, sigma^2)). The tail and the half width are exact, the other two upper bounds.
// All but the variance are upper bounds for the discrete Gaussian, Pr[Z = z] ~ exp(-z^2/2sigma^2),
// too: the size of the rounded one dominates it stochastically (tails.md, Lemma 2).

/// Pr[|Z| >= t] = erfc((t - 1/2) / sqrt(2 sigma^2)) for t >= 1; 1 for t <= 0.
Real gaussian_tail(const Variance& variance, const Integer& t);
/// The least integer w >= 0 with erfc((w + 1/2) / sqrt(2 sigma^2)) <= 1 - c.
Integer gaussian_half_width(const Variance& variance, const Confidence& confidence);
/// E|Z| <= sigma sqrt(2/pi).
Real gaussian_expected_size_bound(const Variance& variance);
/// sigma^2 + 1/12 for the rounded Gaussian, sigma^2 for the discrete one.
Rational rounded_gaussian_variance_bound(const Variance& variance);
Rational discrete_gaussian_variance_bound(const Variance& variance);

}  // namespace discreet::mechanism
