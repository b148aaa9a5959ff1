// SPDX-License-Identifier: Apache-2.0
// Hashes under a secret of the connection, for DuckDB's hash tables and orders. DuckDB's own hash
// has no secret and can be inverted: 16,384 rows of one person can be given numbers, or tuples of
// them, of one hash, and tables of them take seconds. The secret is in no statement and no result.
//
//   keyed(x, ...)   64 bits of any BOOLEAN, BIGINT and HUGEINT; never NULL
//   named(x)        128 bits, equal where x is: a BIGINT below its hash; 128 bits of SipHash of a
//                   VARCHAR, which two texts share with a probability of 2^-128; NULL of NULL
//
// Lemma. What tuples are told apart by holds keyed() of all their numbers, and named() of each text
// in place of the text. DuckDB's hash of it is that of keyed(), or of a named(), xor a function of
// the rest; so two tuples that differ share their bits of it as chance has it, whoever chose them,
// if SipHash is a pseudorandom function.
//
// A join's table hashes all of the join's equalities likewise: ids are compared as they are, so that
// a join stays what it is, and their hashes too (lowering/relation.h, "spread"). DuckDB draws further
// equalities from these, of ids and of hashes alike. An EXISTS that names more of the outer rows
// than their ids, or a hash of them, makes tables of the outer rows' columns alone; so filters are
// SEMI JOINs and ANTI JOINs, which make none.
#pragma once

#include "engine/duckdb/api.h"
#include "engine/keyed_hash.h"

namespace discreet::engine::duckdb {

/// `secret` must outlive the connection's database. False: DuckDB refused.
bool register_keyed(duckdb_connection connection, const Secret& secret);

}  // namespace discreet::engine::duckdb
