// SPDX-License-Identifier: Apache-2.0
// The tables of a ledger in PostgreSQL, the statements on them, and the records of a transaction as
// a row.
//
// All that one transaction appends is one row: records as bytes, one behind the other, each with
// its signature and its hash (chain.md). Nothing is looked up in them but by sequence
// (ledger/index.h), so a batch of 64 charges costs the server little more than one.
// `discreet ledger history` shows what the bytes say.
#pragma once

#include <string>
#include <vector>

#include "ledger/postgres.h"
#include "ledger/record.h"
#include "ledger/store.h"

namespace discreet::ledger {

/// The first format that a release wrote.
inline constexpr int kPostgresFirstFormat = 5;
/// Asks for the format of what is there.
inline constexpr const char* kPostgresFormat = "SELECT max(version) FROM discreet_ledger.format";
/// Takes the writers' lock until the transaction ends.
extern const char* const kPostgresLock;
/// Makes what is not there.
extern const char* const kPostgresTables;
/// Rows that "rows_from" fetches at once.
inline constexpr int kPostgresChunk = 1024;

/// The schema in which an upgrade keeps what had this format, and what puts it there.
std::string postgres_copy_name(int format);
std::string postgres_copy(const std::string& schema);

struct PostgresStatement {
  const char* name;
  std::string sql;
};
const std::vector<PostgresStatement>& postgres_statements();

inline std::int64_t as_number(Sequence sequence) { return static_cast<std::int64_t>(sequence); }

/// The values of "append" and "append_next", and the first of "append_if". Requires: records.
PgValues row_of(const std::vector<Record>& records);
/// Calls `visit` with the records of a row, until it returns an error.
/// Fails with: kCorrupt when somebody changed the row so that it cannot be read; whether what it
/// says is so is the chain's business. kUnsupported for a kind of record that is not known here.
Result<void> read_row(const PgRows& row, const Store::Visit& visit);
/// Of a row that was read.
Sequence last_of(const PgRows& row);

}  // namespace discreet::ledger
