// SPDX-License-Identifier: Apache-2.0
// The design of a publication: which tables are measured, with how much of the price each, and how
// far off every published number will be. A function of the workload and the policy alone: nothing
// is charged and no data is touched.
//
// What is measured and with which share of the price: groups.h. All that counts rows is put
// together in one estimate (agreement.h), and the errors foreseen are that estimate's. Errors of
// different measures are compared in units of what one row can add.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/tabulation.h"
#include "publish/agreement.h"
#include "publish/workload.h"

namespace discreet::publish {

/// Whom a price is for: from the policy.
struct Terms {
  std::int64_t rows_per_unit = 1;
  Neighbours neighbours = Neighbours::kAddRemove;
  /// Of units within larger ones: how many of them the dearest of both pays for (plan/members.h).
  std::int64_t moves = 1;
};

struct TableDesign {
  std::vector<double> deviations;  ///< of each cell as asked, in the measure's units
};

struct RangesDesign {
  bool mixed = false;              ///< for running sums; else noise in every place
  std::vector<double> deviations;  ///< of running sums, or ranges by (from, to), group by group
  std::size_t part = 0;
};

struct HierarchyDesign {
  LevelValues deviations;
  std::size_t first_part = 0;  ///< one a level, from the top
};

struct Design {
  /// Of the whole: what the parts add up to is no more, for as many units as move together.
  Rational rho;
  plan::Tabulation tabulation;
  std::vector<std::pair<std::size_t, AttributeSet>> residuals;  ///< (measure, set) of part i
  std::vector<TableDesign> tables;
  std::vector<RangesDesign> ranges;
  std::vector<HierarchyDesign> hierarchies;
  std::shared_ptr<const Agreement> counts;  ///< of everything that counts rows; may be null
  double total = 0;        ///< the sum of all cells' variances over tables of counts
  double bound = 0;        ///< of tables alone: no plan of residuals has less at their price
  double independent = 0;  ///< the same with a noise of its own for each table, best split
  double worst_width = 0;  ///< the largest half width, at the workload's confidence
};

/// z with Pr[|N(0,1)| > z] = 1 - confidence.
double normal_width(double confidence);

/// At a given price; the workload must outlive it. Fails with: kInvalidInput, as the planner and
/// the mechanisms say; a workload that asks for non-negative tables whose columns have too many
/// cells together.
Result<Design> design_at(const Workload& workload, const Terms& terms, const Rational& rho);

/// At the workload's own price: epsilon is turned into rho at delta, an error is solved for.
Result<Design> design(const Workload& workload, const Terms& terms);

/// The terms for a workload under a policy. Fails with: kRefused unless the namespace counts in
/// zcdp.
Result<Terms> terms_of(const Workload& workload, const policy::Policy& policy);

}  // namespace discreet::publish
