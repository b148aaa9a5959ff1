// SPDX-License-Identifier: Apache-2.0
// Whose rows a question reads. Every joined row must have one owner: then removing a unit removes
// its joined rows and changes no other (checker.md, Lemma 1).
#pragma once

#include <cstddef>
#include <string>

#include "plan/plan.h"

namespace discreet::plan {

struct Owner {
  std::string space;  ///< the namespace of the units
  const policy::Units* units = nullptr;
  std::size_t unit_table = 0;  ///< of the source: the private table with the shortest path
  std::string unit_column;     ///< empty when a row is a unit
  bool row_is_unit = false;
  Integer units_max;                  ///< a public bound on how many units have rows
  policy::ContributionBounds bounds;  ///< the policy's for these tables, the widest of each
};

/// Fails with: kRefused for tables that are not declared and joins whose rows could have two
/// owners, naming the joins that are allowed; kUnsupported; kInvalidInput.
Result<Owner> check_source(const Source& source, const policy::Policy& policy);

/// The bounds under which the plan's units contribute: its own, or the owner's. `keys` is how many
/// groups there can be, if that is known.
/// Fails with: kInvalidInput unless they lie in 1 .. 10^6.
Result<policy::ContributionBounds> bounds_of(const Plan& plan, const Owner& owner,
                                             const std::optional<Integer>& keys);

}  // namespace discreet::plan
