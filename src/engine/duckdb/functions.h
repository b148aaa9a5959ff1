// SPDX-License-Identifier: Apache-2.0
// Our functions inside DuckDB. They are total and exact, where SQL's own casts and arithmetic
// raise, round in binary or depend on settings.
//
//   on_grid(x, 'low..high by step')   any number, date, timestamp or text to whole steps
//   (quantize.h) scaled(u, 'nearest 1/100*x+0 in 0..50')   steps to steps (integer_map.h)
//   quotient(a, b)                    round(10^6 a / b); NULL for b = 0
//   keep({unit, k0, ..., c0, ...})    an aggregate that hands every row to the Bounding of the run
#pragma once

#include <atomic>
#include <string>

#include "base/result.h"
#include "engine/bounding.h"
#include "engine/duckdb/api.h"
#include "policy/policy.h"

namespace discreet::engine::duckdb {

/// Where keep() puts rows: set while a run lasts.
struct KeepTarget {
  std::atomic<Bounding*> bounding{nullptr};
};

/// The text that on_grid takes.
std::string grid_text(const policy::Grid& grid);

/// Whether on_grid can read a column of this type.
bool on_grid_reads(duckdb_type type);

/// `target` must outlive the connection's database. False: DuckDB refused.
bool register_functions(duckdb_connection connection, KeepTarget& target);

}  // namespace discreet::engine::duckdb
