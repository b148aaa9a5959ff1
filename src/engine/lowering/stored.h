// SPDX-License-Identifier: Apache-2.0
// What a policy names, looked for in what the database holds.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "engine/lowering/dialect.h"

namespace discreet::engine::lowering {

/// Fails with: kInvalidInput, with the nearest name.
Result<const StoredColumn*> find_column(const Schemas& schemas, const std::string& table,
                                        const std::string& name);

/// Looks at all columns by which one unit is told from another, on the paths to them as well.
/// `can_identify`: whether equal values have equal texts, and others not.
/// Fails with: kInvalidInput, naming the column.
Result<void> check_identifiers(const policy::Policy& policy, const Schemas& schemas,
                               const std::function<bool(const StoredColumn&)>& can_identify);

}  // namespace discreet::engine::lowering
