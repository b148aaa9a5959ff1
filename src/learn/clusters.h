// SPDX-License-Identifier: Apache-2.0
// k-means. The seeds come from released counts: in one or two dimensions from a grid, in more from
// a tree that cuts boxes where the noisy one-dimensional histograms of a box say that a cut
// separates most. Everything that searches for centres then works on released numbers; the last
// rounds move the centres to the means of the units that are nearest to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learn/features.h"
#include "learn/sums.h"

namespace discreet::learn {

struct ClusterTask {
  std::vector<Column> columns;
  std::vector<std::size_t> features;  ///< numbers; each is scaled to [0, 1]
  std::size_t k = 8;
};

/// Centres in the columns' own units, with the noisy number of units of each.
struct Clusters {
  std::vector<std::vector<double>> centres;
  std::vector<double> sizes;
};

/// Fails with: kInvalidInput for k outside 1 .. 1000, no feature, or a feature that is no number.
Result<void> check_task(const ClusterTask& task);
std::vector<Rational> cluster_shares(const ClusterTask& task);
Result<Clusters> fit_clusters(Sums& sums, const ClusterTask& task);

/// k-means on released points with weights: the best of several starts. Deterministic.
std::vector<std::vector<double>> weighted_k_means(const std::vector<std::vector<double>>& points,
                                                  const std::vector<double>& weights,
                                                  std::size_t k);

}  // namespace discreet::learn
