// SPDX-License-Identifier: Apache-2.0
// Areas within areas: counts with noise at every level, put together so that parents equal the sums
// of their children.
//
// Estimate. Every node v of a level has a measurement of variance s. Going up, z_v is the mean of
// its own measurement and of the sum of its children's z, weighted by their precision; u_v its
// variance. Going down, a node's children share the difference between its final value and the sum
// of their z, in proportion to u. That is the least-squares estimate [Hay-Rastogi-Miklau-Suciu
// 2010], here for any tree and any variances, and its variance is
//     t_v = u_v - (u_v^2/S)(1 - t_p/S),   S = the sum of u over v and its siblings.
// Proof: given the subtree of p, x_v = z_v + noise of variance u_v, independent over siblings;
// given x_p too its variance is u_v - u_v^2/S, and it moves by u_v/S with x_p, which has t_p.
//
// Whole numbers. Top down, each node's children become non-negative integers that add up to it: the
// nearest such point (projection onto a simplex), rounded by largest remainders.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace discreet::publish {

/// Levels from the top (one node) to the smallest areas, which are an axis' places.
struct Hierarchy {
  /// parents[l][i]: the node of level l that holds node i of level l + 1.
  std::vector<std::vector<std::int64_t>> parents;
  /// names[l][i]; those of the last level are empty: the axis has them.
  std::vector<std::vector<std::string>> names;

  std::size_t levels() const { return parents.size() + 1; }
  std::int64_t nodes(std::size_t level) const;
};

/// From lines `child,parent` (after a header), the smallest areas being `leaves`, in their order.
/// Fails with: kInvalidInput, with the line, for a child named twice, an orphan (a leaf without a
/// parent; a second top), a cycle, a leaf that is nobody's place, leaves at different depths.
Result<Hierarchy> read_hierarchy(std::string_view csv, const std::vector<std::string>& leaves);

/// One value for each node, level by level.
using LevelValues = std::vector<std::vector<double>>;

/// Variance of each level's measurement -> of each node's estimate.
LevelValues hierarchy_variances(const Hierarchy& tree, const std::vector<double>& measured);

/// The least-squares estimate from each level's measurements; `fixed` nodes ({level, node}) have
/// the value given.
LevelValues hierarchy_estimate(const Hierarchy& tree, const LevelValues& measured,
                               const std::vector<double>& variances,
                               const std::map<std::pair<std::size_t, std::int64_t>, double>& fixed);

/// Whole, not below 0, parents equal to the sums of their children. Fixed nodes stay, if they are
/// whole and their parents leave room.
LevelValues whole_hierarchy(const Hierarchy& tree, const LevelValues& estimate,
                            const std::map<std::pair<std::size_t, std::int64_t>, double>& fixed);

/// Shares of a price over levels, for the least sum of the levels' mean variances (on a tree of
/// equal branches with as many nodes); they add up to 1.
std::vector<double> level_shares(const Hierarchy& tree);

/// The nearest point with entries not below 0 that adds up to `total`, and its rounding by largest
/// remainders. Requires: total >= 0, whole.
std::vector<double> whole_parts(std::vector<double> values, double total);

}  // namespace discreet::publish
