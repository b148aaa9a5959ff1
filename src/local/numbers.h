// SPDX-License-Identifier: Apache-2.0
// The mean of numbers that were randomized one by one (laplace, piecewise).
#pragma once

#include "base/result.h"
#include "local/interval.h"

namespace discreet::local {

class Aggregate;

/// A report's output y is turned into an unbiased number on [0, 1]: slope * y + offset.
struct NumberRule {
  double slope = 0;
  double offset = 0;
};
NumberRule number_rule(const Parameters& parameters);

/// Of that number, over all answers.
Spread number_spread(const Parameters& parameters);

struct MeanEstimate {
  double mean = 0;  ///< in the survey's units
  Bounds bounds;
  double noise_deviation = 0;  ///< of the mean, from the randomizer alone, at worst
};

/// Fails with: kInvalidInput when there are no reports.
Result<MeanEstimate> estimate_mean(const Aggregate& aggregate, double beta);

}  // namespace discreet::local
