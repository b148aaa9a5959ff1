// SPDX-License-Identifier: Apache-2.0
// Questions that tell whether the keys of a policy's paths are unique, as it declares.
#pragma once

#include <string>
#include <vector>

#include "engine/lowering/dialect.h"
#include "engine/lowering/sql.h"
#include "policy/policy.h"

namespace discreet::engine::lowering {

struct UniqueKey {
  std::string name;  ///< "visits.id"
  Select most;       ///< one number: how often its most frequent value occurs; 0 without rows
};

/// One number: the largest output "n" of a question; 0 without rows.
Select largest_number(const Select& groups, const Dialect& dialect);

/// One number: the most rows of a table with the same values in all of these columns, none NULL;
/// without columns: all its rows. Values that the database takes for equal count as the same.
/// Requires: columns of the table.
Select most_equal(const std::string& table, const std::vector<std::string>& columns,
                  const Dialect& dialect, const Schemas& schemas);

/// Keys that name the unit itself are left out: rows that share one have the same owner anyway.
std::vector<UniqueKey> unique_keys(const policy::Policy& policy, const Dialect& dialect,
                                   const Schemas& schemas);

}  // namespace discreet::engine::lowering
