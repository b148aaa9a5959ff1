// SPDX-License-Identifier: Apache-2.0
// Numbers in Trino's SQL: exact, and total. Nothing of ours is installed in a cluster, so the rules
// of engine/quantize.h and engine/integer_map.h are written out, in DECIMAL(38,0) where 64 bits do
// not do; numbers.md has the proofs.
#pragma once

#include <functional>

#include "engine/integer_map.h"
#include "engine/lowering/sql.h"
#include "engine/trino/types.h"
#include "policy/policy.h"

namespace discreet::engine::trino {

using lowering::Sql;

/// Whether numbers stored so can be brought exactly onto the grid within 38 digits.
bool can_quantize(const Type& stored, const policy::Grid& grid);

/// Stored numbers to whole steps of a grid. `x` is mentioned a few times: a column.
Sql whole_on_grid(const Sql& x, const policy::Grid& grid);
Sql decimal_on_grid(const Sql& x, const Type& type, const policy::Grid& grid);
/// `x` of type double: the exact dyadic number that it is.
Sql double_on_grid(const Sql& x, const policy::Grid& grid);
/// A text that is a plain decimal number, else NULL (plan/expression.md, "to number").
Sql text_on_grid(const Sql& text, const policy::Grid& grid);

/// The formula of an IntegerMap over steps that lie in [low, high].
Sql scaled(const Sql& steps, const IntegerMap::Formula& formula, const Integer& low,
           const Integer& high);

/// round(10^6 a / b), halves away from zero; NULL for b = 0.
Sql quotient(Sql a, Sql b);

/// body(value) where `value` is mentioned more than once: long ones are computed once.
Sql once(const Sql& value, const std::function<Sql(const Sql&)>& body);

/// A constant of type bigint.
Sql steps(const Integer& value);
/// As DECIMAL(38,0).
Sql wide(Sql value);
Sql wide(const Integer& value);

}  // namespace discreet::engine::trino
