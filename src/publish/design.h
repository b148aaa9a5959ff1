// SPDX-License-Identifier: Apache-2.0
// The design of a publication: which tables are measured, with how much of the price each, and how
// far off every published number will be. A function of the workload and the policy alone: nothing
// is charged and no data is touched.
//
// The workload falls into groups that share nothing: the tables of each measure (one plan of
// residuals), each range and each hierarchy. For the least total error group g with total O_g at
// price 1 gets a share of the price in proportion to sqrt(O_g), since sum O_g/r_g >= (sum
// sqrt(O_g))^2 / sum r_g (Cauchy-Schwarz); for the least worst error in proportion to O_g. Errors
// of different measures are compared in units of what one row can add.
#pragma once

#include <string>
#include <vector>

#include "plan/tabulation.h"
#include "publish/workload.h"

namespace discreet::publish {

/// Whom a price is for: from the policy.
struct Terms {
  std::int64_t rows_per_unit = 1;
  Neighbours neighbours = Neighbours::kAddRemove;
};

struct TableDesign {
  std::size_t cells = 0;
  double deviation = 0;  ///< of each cell, in the measure's units
};

struct RangesDesign {
  bool mixed = false;              ///< for running sums; else noise in every place
  std::vector<double> series;      ///< ranges.h
  std::vector<double> deviations;  ///< of what is published: running sums, or ranges by (from, to)
  std::size_t rows = 1;            ///< combinations of `by`
  std::size_t part = 0;
};

struct HierarchyDesign {
  std::vector<double> variances;  ///< of each level's measurement
  LevelValues deviations;
  std::size_t first_part = 0;  ///< one a level, from the top
};

struct Design {
  Rational rho;  ///< of the whole; what the parts add up to is no more
  plan::Tabulation tabulation;
  std::vector<std::pair<std::size_t, AttributeSet>> residuals;  ///< (measure, set) of part i
  std::vector<TableDesign> tables;
  std::vector<RangesDesign> ranges;
  std::vector<HierarchyDesign> hierarchies;
  double total = 0;        ///< the sum of all cells' variances over tables of counts
  double bound = 0;        ///< no plan of residuals has less, for these tables at their price
  double independent = 0;  ///< the same with a noise of its own for each table, best split
  double worst_width = 0;  ///< the largest half width, at the workload's confidence
};

/// z with Pr[|N(0,1)| > z] = 1 - confidence.
double normal_width(double confidence);

/// At a given price. Fails with: kInvalidInput, as the planner and the mechanisms say; a workload
/// that asks for non-negative tables whose columns have too many cells together.
Result<Design> design_at(const Workload& workload, const Terms& terms, const Rational& rho);

/// At the workload's own price: epsilon is turned into rho at delta, an error is solved for.
Result<Design> design(const Workload& workload, const Terms& terms);

/// The terms for a workload under a policy. Fails with: kRefused unless the namespace counts in
/// zcdp.
Result<Terms> terms_of(const Workload& workload, const policy::Policy& policy);

}  // namespace discreet::publish
