// SPDX-License-Identifier: Apache-2.0
// DuckDB's dialect. What must be total and exact is done by our own functions inside of it
// (functions.h); the rest is its SQL.
#pragma once

#include "engine/lowering/dialect.h"

namespace discreet::engine::duckdb {

const lowering::Dialect& dialect();

}  // namespace discreet::engine::duckdb
