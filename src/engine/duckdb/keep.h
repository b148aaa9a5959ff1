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
// census(row) is the same for a Census: the row is what names its owner (BIGINT, or NULL), then the
// keys. owners(row) brings it the pairs of such a name and its unit, neither of them NULL.
#pragma once

#include "engine/duckdb/functions.h"

namespace discreet::engine::duckdb {

bool register_keep(duckdb_connection connection, KeepTarget& target);

}  // namespace discreet::engine::duckdb
