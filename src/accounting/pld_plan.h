// SPDX-License-Identifier: Apache-2.0
// How a list of uses is put onto grids: with which step, and how much is added so that no rounding
// can undo the monotony of the result. All of it depends on the set of mechanisms, and on the
// counts in a monotone way (pld.md, section 4).
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
  /// Requires: check(uses).
  explicit PldPlan(const std::vector<Use>& uses);

  bool costs_nothing() const { return upper_.empty(); }
  bool has_two_directions() const { return two_directions_; }
  /// The number of uses.
  double count() const { return count_; }
  /// About the standard deviation of the sum of the losses; never falls when a count grows.
  double deviation() const { return deviation_; }

  /// All uses on one grid, dominating (kUpper) or dominated (kLower); nothing where some mechanism
  /// has no loss distribution or needs too many cells. Equal mechanisms are one use, and all
  /// Gaussians one Gaussian. Cuts off about `tail` of each.
  std::optional<std::vector<Uses>> grids(Side side, bool reverse, double tail) const;

  /// How far off the computed epsilon of the sum of the grids may be without harm. Never falls when
  /// a count grows.
  double error() const { return error_ / 2; }
  /// What is added to an upper bound on epsilon for deltas of the `cell`-th cell: grows by more
  /// than 2 error() with each rung of a count and with each cell.
  double allowance(int cell) const { return (rungs_ + cell) * error_; }

 private:
  double step(double tail) const;

  std::vector<Use> upper_;
  std::vector<Use> lower_;
  bool two_directions_ = false;
  double count_ = 0;
  double deviation_ = 0;
  double rungs_ = 0;
  bool known_ = true;  // every mechanism has a loss distribution
  double step_ = 0;    // the finest; 0: none has
  double error_ = 0;
};

}  // namespace discreet::accounting
