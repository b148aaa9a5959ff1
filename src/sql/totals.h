// SPDX-License-Identifier: Apache-2.0
// contribution_bounds_per_group, in BigQuery's meaning: it bounds what a unit brings to a group,
// the sum or average of its rows there, and not each row. The question becomes one over a subquery
// that is grouped by the unit and the keys:
//
//   SELECT k, SUM(x, contribution_bounds_per_group => (0, 9)), COUNT(*) FROM t GROUP BY k
//   SELECT k, SUM(a), SUM(n) FROM (per unit and k: a = SUM(x) in 0..9, n = COUNT(*) in 0..rows)
//
// so that each unit has one row in a group. COUNT(DISTINCT unit) FILTER (WHERE c) is the sum of
// COUNT(*) FILTER (WHERE c) in 0..1. A COUNT whose bound is chosen privately is several such sums.
#pragma once

#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "sql/aggregates.h"

namespace discreet::sql {

/// Rewrites a plan whose bounds are set. `how`: of each measurement.
/// Fails with: kUnsupported for aggregates that cannot stand beside a bounded one.
Result<void> total_by_unit(plan::Plan& plan, const std::vector<PerUnit>& how,
                           const policy::Policy& policy);

}  // namespace discreet::sql
