// SPDX-License-Identifier: Apache-2.0
// Our functions inside DuckDB. They are total and exact, where SQL's own casts and arithmetic
// raise, round in binary or depend on settings. A type that one of them does not read is refused
// when a statement is bound, never at a row.
//
//   as_stored(text)                   the text itself, of which DuckDB knows nothing: no statistics
//   on_grid(x, 'low..high by step')   any number, date, timestamp or text to whole steps
//                                     (quantize.h)
//   decimal_text(x)                   a DECIMAL's digits, also those that it has no room for
//   scaled(u, 'nearest 1/100*x+0 in 0..50')   steps to steps (integer_map.h)
//   plus, minus, times(a, b)          of steps whose result is known to fit: nothing is looked for
//   quotient(a, b)                    round(10^6 a / b); NULL for b = 0
//   listed(text, '1:A1:N')            whether it is one of these texts; NULL of NULL
//   matches(text, pattern)            LIKE of the first 65,536 characters (like.h); NULL of NULL
//   matches_any_case(text, pattern)   the same of its ASCII letters as small ones
//   capitals, small_letters(text)     the same text with its ASCII letters in one case
//   days, microseconds, moment_text(x)   of dates and timestamps (moments.h)
//   keyed(x, ...), named(x)           hashes under the connection's secret (keyed.h)
//   census(owner)                     an aggregate that counts rows by unit in the run's Census
//   owners({key, unit})               one that tells it whose a key is
//   keep({unit, k0, ..., c0, ...})    one that hands every row to the Bounding of the run
#pragma once

#include <atomic>
#include <string>

#include "base/result.h"
#include "engine/bounding.h"
#include "engine/census.h"
#include "engine/duckdb/api.h"
#include "engine/keyed_hash.h"
#include "numeric/int128.h"
#include "policy/policy.h"

namespace discreet::engine::duckdb {

/// Where keep(), census() and owners() put rows: set while a run lasts.
struct KeepTarget {
  std::atomic<Bounding*> bounding{nullptr};
  std::atomic<Census*> census{nullptr};
};

/// The sequence that numbers rows where each is a unit: no two numbers are the same.
inline constexpr const char* kRowNumbers = "discreet rows";

/// How much of a text matches() looks at.
inline constexpr std::int64_t kMatchedCharacters = std::int64_t{1} << 16;

inline Int128 wide(const duckdb_hugeint& value) {
  return static_cast<Int128>(Uint128{static_cast<std::uint64_t>(value.upper)} << 64 | value.lower);
}

/// The text that on_grid takes.
std::string grid_text(const policy::Grid& grid);

/// The text that listed takes. Requires: no zero bytes.
std::string list_text(const std::vector<std::string>& values);

/// Whether on_grid can read a column of this type.
bool on_grid_reads(duckdb_type type);

/// NULL where the input is.
void copy_nulls(const Column& in, idx_t count, duckdb_vector output);

/// Where a condition has chosen rows DuckDB copies their texts for a function of ours and keeps the
/// copy until its next call: somebody's long text for each of a question's functions. Requires: the
/// input, a text, is not looked at again.
void give_back(duckdb_data_chunk input);

/// Both must outlive the connection's database. False: DuckDB refused.
bool register_functions(duckdb_connection connection, KeepTarget& target, const Secret& secret);

}  // namespace discreet::engine::duckdb
