// SPDX-License-Identifier: Apache-2.0
// The tables of a ledger in PostgreSQL, the statements on them, and a record as a row.
//
// A row is what the chain hashes, as bytes, the signature and the hash (chain.md), and what it is
// looked up by. Few columns, two indexes without conditions: a durable charge is mostly what the
// server does with one row. `discreet ledger history` shows what the bytes say.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ledger/postgres.h"
#include "ledger/record.h"
#include "ledger/store.h"

namespace discreet::ledger {

inline constexpr int kPostgresVersion = 4;
/// Takes the writers' lock until the transaction ends.
extern const char* const kPostgresLock;
/// Makes what is not there.
extern const char* const kPostgresTables;
/// Records that "records_from" fetches at once.
inline constexpr std::size_t kPostgresChunk = 4096;

struct PostgresStatement {
  const char* name;
  std::string sql;
};
const std::vector<PostgresStatement>& postgres_statements();

/// What a record is found by: hashes, so that a long question is no burden and none is mistaken for
/// another. Nothing where it is not looked for.
struct LookupKeys {
  std::optional<Hash> found_by;  ///< a charge or share by its id, an answer by its question
  std::optional<Hash> paid_by;   ///< a share or an answer by its question and its analyst
};
Hash request_key(std::string_view units, std::string_view analyst, std::string_view request_id);
Hash answer_key(const QuestionKey& key);
Hash payer_key(const QuestionKey& key, std::string_view analyst);
LookupKeys lookup_keys(const Record& record);

inline std::int64_t as_number(Sequence sequence) { return static_cast<std::int64_t>(sequence); }

/// The values of "append_next_one".
PgValues row_of(const Record& record);
/// Those of "append" and "append_next", and the first of "append_if": an array for each column.
PgValues rows_of(const std::vector<Record>& records);
/// Fails with: kCorrupt when somebody changed it, also what it is found by; the hash is the chain's
/// business. Strings are assigned, so that their memory is kept.
Result<void> read_row(const PgRows& row, Record& record);

}  // namespace discreet::ledger
