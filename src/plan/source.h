// SPDX-License-Identifier: Apache-2.0
// Whose rows a question reads. Every joined row has one owner (locality.h), so that removing a unit
// removes its joined rows and changes no other; or two, and both sides are limited (pair_join.h).
#pragma once

#include <cstddef>
#include <string>

#include "plan/locality.h"
#include "plan/pair_join.h"
#include "plan/plan.h"

namespace discreet::plan {

struct Owner {
  std::string space;  ///< the namespace of the units
  const policy::Units* units = nullptr;
  std::size_t unit_table = 0;  ///< of the source: a subquery, or the table with the shortest path
  std::string unit_column;     ///< kUnitField in a subquery; empty when a row is a unit
  bool row_is_unit = false;
  Integer units_max;                     ///< a public bound on how many units have rows
  policy::ContributionBounds bounds;     ///< the policy's for these tables, the widest of each
  std::optional<std::int64_t> rows_max;  ///< of one unit, where that is known
  std::optional<PairStability> pair;     ///< rows have two owners
};

/// Fails with: kRefused for tables that are not declared and joins whose rows could have two
/// owners, naming the joins that are allowed; kUnsupported; kInvalidInput.
Result<Owner> check_source(const Source& source, const policy::Policy& policy);

/// The bounds under which the plan's units contribute: its own, or the owner's. `keys` is how many
/// groups there can be, if that is known. A unit that has one row at most needs no more; where rows
/// have two owners they say how many rows a unit moves.
/// Fails with: kInvalidInput unless they lie in 1 .. 10^6.
Result<policy::ContributionBounds> bounds_of(const Plan& plan, const Owner& owner,
                                             const std::optional<Integer>& keys);

}  // namespace discreet::plan
