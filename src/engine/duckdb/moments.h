// SPDX-License-Identifier: Apache-2.0
// Dates and timestamps by their stored words, in functions inside DuckDB that have a value for
// every word. DuckDB's own casts raise on some of them (a TIMESTAMP_S beyond the microseconds of 64
// bits, a TIMESTAMP near the smallest word), TRY_CAST as well, for a whole vector of rows and only
// if one of them passes a filter: an error would tell who is there (E1).
//
//   days(x)          since 1970-01-01, rounded down
//   microseconds(x)  likewise; what 64 bits do not hold is the nearer of their ends
//   moment_text(x)   2026-11-16, 2026-11-16 08:30:00.25, with +00 where a zone is stored: UTC
//
// The infinities, which are words too, are the ends of 64 bits.
#pragma once

#include "engine/duckdb/api.h"

namespace discreet::engine::duckdb {

/// Whether it is a date or a timestamp, of any precision.
bool is_moment(unsigned int type);

/// False: DuckDB refused.
bool register_moments(duckdb_connection connection);

}  // namespace discreet::engine::duckdb
