// SPDX-License-Identifier: Apache-2.0
// Shares of choices, cumulative shares, quantiles and the most frequent choices, with intervals.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "local/interval.h"

namespace discreet::local {

class Aggregate;

/// Unbiased, so it may lie outside [0, 1].
struct ShareEstimate {
  std::size_t choice = 0;
  double share = 0;
  Bounds bounds;      ///< holds the true share with the stated confidence, for this choice
  Bounds all_bounds;  ///< all of them hold all true shares at once (Bonferroni)
};

/// Fails with: kInvalidInput without reports, or for a mechanism that is not for choices.
Result<std::vector<ShareEstimate>> estimate_shares(const Aggregate& aggregate, double beta);

/// Shares of the first 1, 2, .. choices; bounds hold for all of them at once.
Result<std::vector<ShareEstimate>> estimate_cumulative(const Aggregate& aggregate, double beta);

/// The bin in which a quantile lies.
struct QuantileEstimate {
  double level = 0;
  double value = 0;  ///< in the survey's units: the upper edge of the bin
  Bounds bounds;     ///< all quantiles' bounds hold at once
};
/// Requires: a survey of numbers in bins. Fails with: kInvalidInput.
Result<std::vector<QuantileEstimate>> estimate_quantiles(const Aggregate& aggregate,
                                                         const std::vector<double>& levels,
                                                         double beta);

/// The mean of numbers in bins, taken at their centres.
Result<ShareEstimate> mean_of_bins(const Aggregate& aggregate, double beta);

/// The `k` largest, by estimate. `certain` of them surely belong to the k most frequent.
struct TopChoices {
  std::vector<ShareEstimate> choices;
  std::vector<bool> certain;  ///< low end above the high end of all others but k - 1
};
Result<TopChoices> top_choices(const Aggregate& aggregate, std::size_t k, double beta);

/// The nearest distribution (Euclidean) to the estimated shares: no negative shares, sum 1. Biased:
/// small shares come out too large on average.
std::vector<double> nearest_distribution(const std::vector<double>& shares);

}  // namespace discreet::local
