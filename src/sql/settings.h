// SPDX-License-Identifier: Apache-2.0
// Epsilon, delta and contribution bounds of a question, from what was said outside of the text,
// inside of it (BigQuery's OPTIONS) and in the policy.
#pragma once

#include "base/result.h"
#include "plan/plan.h"
#include "sql/aggregates.h"
#include "sql/dialect.h"
#include "sql/query.h"
#include "sql/scope.h"

namespace discreet::sql {

/// Sets epsilon, delta and bounds of the plan, whose keys are bound already.
/// Fails with: kInvalidInput: no epsilon, two that differ, bounds that are no whole numbers from 1,
/// a privacy_unit_column that is not the policy's.
Result<void> apply_settings(const Options& options, const Dialect& dialect, const Scope& scope,
                            const Aggregates& aggregates, plan::Plan& plan);

/// The limits of a join of two people's rows, as far as the question says them.
Result<void> read_limits(const Options& options, const Dialect& dialect, Context& context);

/// Takes out of subqueries what nothing refers to, but keys.
void drop_unused(plan::Plan& plan);  // unused.cc

}  // namespace discreet::sql
