// SPDX-License-Identifier: Apache-2.0
// Numbers in PostgreSQL's SQL: exact, and total. It has no function of ours, so the rules of
// engine/quantize.h and engine/integer_map.h are written out; numbers.md has the proofs.
#pragma once

#include "engine/integer_map.h"
#include "engine/lowering/dialect.h"
#include "engine/lowering/sql.h"
#include "policy/policy.h"

namespace discreet::engine::postgres {

using lowering::Sql;

/// Stored numbers to whole steps of a grid. `x` is mentioned a few times: a column.
Sql whole_on_grid(const Sql& x, const policy::Grid& grid);
Sql numeric_on_grid(const Sql& x, const policy::Grid& grid);
/// `x` of type numeric(precision, scale), which takes less time.
Sql decimal_on_grid(const Sql& x, const lowering::DecimalType& type, const policy::Grid& grid);
/// `x` of type double precision: the exact dyadic number that it is.
Sql float_on_grid(const Sql& x, const policy::Grid& grid);
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

}  // namespace discreet::engine::postgres
