// SPDX-License-Identifier: Apache-2.0
// keep(row): an aggregate without groups, so that DuckDB reads, joins and filters with all its
// threads and every thread hands its vectors, uncopied, to a Bounding::Worker of its own. An
// aggregate sees each row exactly once, which a scalar function would not (it may be evaluated once
// for each entry of a dictionary, or again).
//
// The row is a struct: the unit, then the keys, then the contents, in the order of BoundingTask.
//   unit      BIGINT, or VARCHAR when BoundingTask::wide_unit; never NULL
//   keys      BOOLEAN, BIGINT, VARCHAR
//   contents  BIGINT in the content's range; VARCHAR is hashed to 64 bits; BOOLEAN is 0 or 1
//
// census(owner) counts, in DuckDB's own groups, rows by what names their owner (BIGINT, or NULL)
// for a Census, and gives the number of a Census::Group; where there is something to cut, or a row
// is nobody's, the statement ends with an error. So a table is read once for its census and its
// sums. owners(row), without groups, brings the pairs of such a name and its unit, neither of them
// NULL.
#pragma once

#include "engine/duckdb/functions.h"

namespace discreet::engine::duckdb {

bool register_keep(duckdb_connection connection, KeepTarget& target);

}  // namespace discreet::engine::duckdb
