// SPDX-License-Identifier: Apache-2.0
// GROUP BY and DISTINCT in a subquery: within one unit. A grouped part has one row for each unit
// and combination of keys among that unit's rows; DISTINCT is grouping by all fields.
//
// Theorem. If the source is local, so is the grouped part.
// Proof. A group has rows of one unit u; its row is a function of these, that is of R_u, and is
// u's. Adding u adds u's groups and changes no other. Rows of nobody are left out.
//
// Rows of one unit: one, if every key is the unit itself; else at most as many as the source has.
//
// Without the unit among its keys a GROUP BY would mix units: one row would be many people's. The
// front end refuses that, saying so; a plan cannot express it.
#pragma once

#include "plan/locality.h"
#include "plan/shape.h"

namespace discreet::plan {

/// The rule; `source` is what the part's source is. Of public rows: public.
Locality group_local(const Part& part, const Locality& source, const policy::Policy& policy);

/// The shape of a fold over values of shape `argument` (none: kRows of all rows).
/// Fails with: kInvalidInput.
Result<Shape> shape_of_fold(const Field& field, const std::optional<Shape>& argument);

}  // namespace discreet::plan
