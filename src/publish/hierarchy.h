// SPDX-License-Identifier: Apache-2.0
// Areas within areas: counts with noise at every level, put together so that parents equal the sums
// of their children.
//
// Estimate. Every node of level l has a measurement of precision p_l (1/variance). The
// least-squares estimate of the leaves, for information b on them (each leaf's own measurement and
// those of all areas that hold it, times their precision), solves M x = b with M = sum over l of
// p_l G_l'G_l, G_l the sums of level l. Going up, a node with children of variances u_c and totals
// a_c has
//     u_v = S/(1 + p_v S),   a_v = (sum of a_c)/(1 + p_v S),   S = the sum of u_c
// (Sherman-Morrison: the node adds p_v 11' to the block diagonal of its children); going down, its
// children share the difference between its final value and the sum of their a in proportion to u
// [Hay-Rastogi-Miklau-Suciu 2010, here for any tree and any precisions]. Given the top, a node's
// variance is
//     t_v = u_v - (u_v^2/S)(1 - t_p/S),   t = 0 at the top,
// and it moves with the top by the product of u/S along its path. Proof: given the subtree of p,
// x_v = a_v + noise of variance u_v, independent over siblings; given x_p too its variance is u_v -
// u_v^2/S, and it moves by u_v/S with x_p, which has t_p.
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

/// Areas whose value is given: (level, node).
using FixedAreas = std::map<std::pair<std::size_t, std::int64_t>, double>;

/// The estimate above, for one tree and its precisions.
class TreeFit {
 public:
  /// `tree` must outlive it. Requires: leaves have a precision above 0, and M is
  /// positive definite; the top may have a negative one.
  TreeFit(const Hierarchy& tree, std::vector<double> precisions, FixedAreas fixed);

  /// Of the top, from everything in this tree.
  double total_variance() const { return u_[0][0]; }
  /// How every node moves with the top; 1 at the top.
  const LevelValues& response() const { return response_; }
  /// t_v: every node's variance given the top.
  const LevelValues& within() const { return within_; }

  /// a_v of every node.
  LevelValues totals(const std::vector<double>& leaf_information) const;
  /// Every node's value when the top has `top`.
  LevelValues spread(const LevelValues& totals, double top) const;

 private:
  const Hierarchy& tree_;
  std::vector<double> precisions_;
  FixedAreas fixed_;
  LevelValues u_, sums_, response_, within_;  // sums_: S of every node's children
};

/// Sums of the leaves, level by level.
LevelValues level_sums(const Hierarchy& tree, std::vector<double> leaves);

/// Whole, not below 0, parents equal to the sums of their children, the top equal to `top`. Fixed
/// nodes stay, if they are whole and their parents leave room. Requires: top >= 0, whole.
LevelValues whole_hierarchy(const Hierarchy& tree, const LevelValues& estimate,
                            const FixedAreas& fixed, double top);

/// Shares of a price over levels, for the least sum of the levels' mean variances (on a tree of
/// equal branches with as many nodes); they add up to 1.
std::vector<double> level_shares(const Hierarchy& tree);

/// The nearest point with entries not below 0 that adds up to `total`, and its rounding by largest
/// remainders. Requires: total >= 0, whole.
std::vector<double> whole_parts(std::vector<double> values, double total);

}  // namespace discreet::publish
