// SPDX-License-Identifier: Apache-2.0
// DuckDB's dialect. What must be total and exact is done by our own functions inside of it
// (functions.h); the rest is its SQL.
#pragma once

#include "engine/lowering/dialect.h"

namespace discreet::engine::duckdb {

const lowering::Dialect& dialect();

/// Whether every value of such a column has a text, the same one for equal values: no bits that can
/// be stored make the cast fail. Not so: times (bits beyond a day end DuckDB), intervals (one month
/// and thirty days are equal), lists and structs.
bool has_text(const lowering::StoredColumn& stored);

/// That text. Requires: has_text.
lowering::Sql as_text(const lowering::StoredColumn& stored, lowering::Sql raw);

}  // namespace discreet::engine::duckdb
