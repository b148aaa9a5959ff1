// SPDX-License-Identifier: Apache-2.0
// A tree of boxes over [0, 1]^d, grown from released histograms: level by level every box has its
// histogram along every axis released (a unit is in one box, and in one bin of each axis), and the
// boxes in which a cut would separate most are cut there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "learn/sums.h"

namespace discreet::learn {

/// A row as a point of [0, 1]^d; false when a value is missing.
using UnitPoint = std::function<bool(std::span<const std::int64_t> row, std::span<double> out)>;

struct WeightedPoints {
  std::vector<std::vector<double>> points;
  std::vector<double> weights;
  double spread = 0;  ///< the mean variance, per axis, of units around these points
};

class ClusterTree {
 public:
  /// The most numbers that a round measures.
  static double entries(std::size_t dimensions, std::size_t k);
  /// How many times boxes are cut; one more round counts the leaves.
  static std::size_t levels(std::size_t k);
  /// The mean of each leaf, weighed by its count. levels(k) + 1 rounds.
  static Result<WeightedPoints> grow(Sums& sums, std::size_t dimensions, std::size_t k,
                                     const UnitPoint& read);
};

}  // namespace discreet::learn
