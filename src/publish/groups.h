// SPDX-License-Identifier: Apache-2.0
// What a workload measures, and which share of the price each part of it gets.
//
// Groups are measured apart: the tables of each measure (one plan of residuals), each range and
// each hierarchy. If they had nothing in common, the least total error would be at shares in
// proportion to sqrt(O_g), O_g a group's total at price 1, since sum O_g/r_g >= (sum sqrt(O_g))^2 /
// sum r_g (Cauchy-Schwarz), and the least worst error at shares in proportion to O_g. What counts
// rows has something in common (agreement.h): from there the shares go down, as long as the error
// of the one estimate falls. Variances are in units of reach^2/(2 rho), a count's at the whole
// price.
#pragma once

#include <vector>

#include "publish/agreement.h"
#include "publish/workload.h"

namespace discreet::publish {

struct Group {
  double objective = 0;  ///< alone, at price 1
  double share = 0;
};

struct MarginalGroup : Group {
  std::size_t measure = 0;
  std::vector<std::size_t> tables;
  MarginalPlan plan;
};

struct RangesGroup : Group {
  bool mixed = false;  ///< for running sums; else noise in every place
  double entry = 0;    ///< variance of an entry of C x/Q, at price 1
};

struct HierarchyGroup : Group {
  std::vector<double> shares;  ///< of the levels
};

struct Groups {
  std::vector<MarginalGroup> marginals;
  std::vector<RangesGroup> ranges;          ///< of the workload's, in order
  std::vector<HierarchyGroup> hierarchies;  ///< the same

  std::vector<Group*> all();
  /// How rows are counted, with all variances times `unit`.
  Measurements counts(const Workload& workload, double unit) const;
};

/// Fails with: kInvalidInput, as the planner says; a workload that asks for nothing.
Result<Groups> plan_groups(const Workload& workload);

}  // namespace discreet::publish
