// SPDX-License-Identifier: Apache-2.0
// One axis, measured in one or several ways: running sums through a mixing, noise in every place, a
// residual. What the least-squares estimate of its counts x needs: for information b on the places
// it is x = S b with S = M^-1, M the sum of all measurements' precisions.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "mechanism/toeplitz.h"
#include "publish/hierarchy.h"

namespace discreet::publish {

class LineFit {
 public:
  virtual ~LineFit() = default;

  /// S b.
  virtual std::vector<double> solve(std::vector<double> information) const = 0;
  /// Of the sum over places from..to of S, before anything is known of the total.
  virtual double variance(std::size_t from, std::size_t to) const = 0;

  /// Of the sum over all places.
  double total_variance() const { return total_; }
  /// How the places from .. to move with the total: sums of S1/(1'S1).
  double response(std::size_t from, std::size_t to) const {
    return running_[to] - (from == 0 ? 0 : running_[from - 1]);
  }
  /// Of the sum over places from..to, given the total.
  double variance_within(std::size_t from, std::size_t to) const;

 protected:
  double total_ = 0;
  std::vector<double> running_;
};

/// What is known of an axis of n places.
struct LineMeasurements {
  std::size_t places = 0;
  double mixed = 0;     ///< precision of the entries of C x/Q, C the square root of running sums
  double direct = 0;    ///< precision of noise in every place
  double residual = 0;  ///< precision of the residual: the places less their mean
  std::vector<std::pair<const Hierarchy*, std::vector<double>>> trees = {};
};

/// Above so many places only running sums alone are solved (by their series).
inline constexpr std::size_t kDenseMax = 1'024;

/// Requires: mixed, direct or a tree; at most kDenseMax places unless only `mixed` is there.
std::unique_ptr<LineFit> fit_line(const LineMeasurements& measured);

}  // namespace discreet::publish
