// SPDX-License-Identifier: Apache-2.0
// How a list of uses is put onto a grid for an upper bound: with which step, and how much is added
// so that no rounding can undo the monotony of the result. All of it depends on the list in a
// monotone way: a longer list never gets a finer step, nor less added (pld.md, section 4).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "accounting/convolve.h"
#include "accounting/use.h"

namespace discreet::accounting {

/// Counts above 2^13 are rounded up to 13 bits, so that few different ones are left.
struct Rung {
  std::uint64_t count;  ///< at least the count that was asked for
  double index;         ///< how many rungs lie at or below it
};
Rung rung_of(std::uint64_t count);

class PldPlan {
 public:
  /// Lists of more than 128 different mechanisms are shortened first (coarsen.h).
  /// Requires: check(uses).
  explicit PldPlan(const std::vector<Use>& uses);

  bool costs_nothing() const { return uses_.empty(); }
  bool has_two_directions() const { return two_directions_; }
  /// About the standard deviation of the sum of the losses; never falls when the list grows.
  double deviation() const { return deviation_; }

  /// All uses on one grid that dominates them; nothing where some mechanism has no loss
  /// distribution or needs too many cells. Equal mechanisms are one use, and all Gaussians one
  /// Gaussian. Cuts off about `tail` of each.
  std::optional<std::vector<Uses>> grids(bool reverse, double tail) const;

  /// How far off the computed epsilon of the sum of the grids may be without harm. Never falls when
  /// the list grows.
  double error() const { return error_ / 2; }
  /// What is added to an upper bound on epsilon for deltas of the `cell`-th cell: grows by more
  /// than 2 error() with each rung of a count, each new mechanism and each cell.
  double allowance(int cell) const { return (rungs_ + cell) * error_; }

 private:
  double step(double tail) const;

  std::vector<Use> uses_;
  bool two_directions_ = false;
  bool known_ = true;  // every mechanism has a loss distribution
  double deviation_ = 0;
  double least_step_ = 0;  // what the deviation asks for
  double rungs_ = 0;
  double error_ = 0;
};

}  // namespace discreet::accounting
