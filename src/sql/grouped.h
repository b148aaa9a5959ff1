// SPDX-License-Identifier: Apache-2.0
// GROUP BY in a subquery: what each person did, to be asked about across people. The unit's column
// must be among its keys (plan/local_group.h).
#pragma once

#include <string>

#include "sql/rows.h"
#include "sql/scope.h"

namespace discreet::sql {

/// Whether a SELECT has groups: GROUP BY, or an aggregate.
bool is_grouped(const Node& select);

/// `rows`: source and filter of the SELECT, bound. `alias`: what the subquery is called.
Result<Relation> bind_grouped(const Node& select, const Scope& scope, plan::Part rows,
                              const std::string& alias);

/// Refuses keys that do not tell whose group it is. `what`: GROUP BY or DISTINCT.
Result<void> check_has_unit(const plan::Part& part, const Scope& scope, const std::string& what,
                            Place place);

/// As PostgreSQL calls a column that has no AS.
std::string output_name(const Node& value);

}  // namespace discreet::sql
