// SPDX-License-Identifier: Apache-2.0
// The least noise for a wanted guarantee, and the epsilon for a wanted error.
//
// Theorem. For each mechanism more noise is a post-processing of less noise (notions.md, "More
// noise"), so the true epsilon falls as the noise grows. The noise returned is one at which the
// certified upper bound has been evaluated and found to meet the target; it is the least such up to
// a part in 10^6.
#pragma once

#include "accounting/account.h"

namespace discreet::accounting {

struct Target {
  Rational epsilon;  ///< >= 0
  Delta delta;
};

struct Calibrated {
  Rational noise;  ///< a noise multiplier (sigma over sensitivity), or a scale over sensitivity
  Bounds epsilon;  ///< at that noise; epsilon.upper <= the target
};

/// The noise multiplier of `count` Gaussians.
/// Fails with: kInvalidInput, if the target or count is out of range or no noise up to 2^40 meets
/// the target by this notion.
Result<Calibrated> calibrate_gaussian(const Target& target, std::uint64_t count,
                                      Notion notion = Notion::kBest);

/// The scale, over the L1 sensitivity, of `count` Laplace mechanisms.
Result<Calibrated> calibrate_laplace(const Target& target, std::uint64_t count,
                                     Notion notion = Notion::kBest);

/// The noise multiplier of `steps` Gaussians on Poisson samples of probability q (DP-SGD).
Result<Calibrated> calibrate_subsampled(const Target& target, std::uint64_t steps,
                                        const Rational& q, Notion notion = Notion::kBest);

/// The largest scale of Laplace noise whose size stays within `half_width` with the confidence:
/// half_width / ln(1/(1-c)), rounded down. With a sensitivity of 1 it costs epsilon = 1/scale.
Result<Rational> laplace_scale_for_error(const Rational& half_width, const Confidence& confidence);

/// The largest sigma of Gaussian noise whose size stays within `half_width` with the confidence,
/// rounded down.
Result<Rational> gaussian_sigma_for_error(const Rational& half_width, const Confidence& confidence);

}  // namespace discreet::accounting
