// SPDX-License-Identifier: Apache-2.0
#include "ledger/postgres_schema.h"

#include "base/check.h"

// Of the advisory lock: "dslg", as in the header of a SQLite file.
#define DISCREET_LOCK "advisory_xact_lock(1685286503, 1)"
// In the order of row_of() and read_row().
#define DISCREET_ROW "first, last, hash, records"
// S5 (ledger.md): under the lock. Whoever appended before has the first sequence.
#define DISCREET_APPEND_NEXT                           \
  "INSERT INTO discreet_ledger.batches (" DISCREET_ROW \
  ") SELECT $1::bigint, $2::bigint, $3::bytea, $4::bytea WHERE pg_catalog.pg_try_" DISCREET_LOCK

namespace discreet::ledger {

const char* const kPostgresLock = "SELECT pg_catalog.pg_" DISCREET_LOCK;

// Records are stored as they are: compressing them takes the server longer than writing them.
const char* const kPostgresTables = R"(
CREATE SCHEMA IF NOT EXISTS discreet_ledger;
CREATE TABLE IF NOT EXISTS discreet_ledger.format (version bigint PRIMARY KEY);
CREATE TABLE IF NOT EXISTS discreet_ledger.batches (
  first bigint PRIMARY KEY,
  last bigint NOT NULL,
  hash bytea NOT NULL,
  records bytea NOT NULL
);
ALTER TABLE discreet_ledger.batches ALTER records SET STORAGE EXTERNAL;
CREATE TABLE IF NOT EXISTS discreet_ledger.answers (charge bigint PRIMARY KEY, bytes bytea NOT NULL);
)";

std::string postgres_copy_name(int format) {
  return "discreet_ledger_format_" + std::to_string(format);
}

std::string postgres_copy(const std::string& schema) {
  std::string sql = "CREATE SCHEMA " + schema;
  for (const char* table : {"format", "batches", "answers"}) {
    const std::string from = std::string("discreet_ledger.") + table;
    const std::string to = schema + "." + table;
    sql += "; CREATE TABLE " + to + " (LIKE " + from + " INCLUDING ALL); INSERT INTO " + to +
           " SELECT * FROM " + from;
  }
  return sql;
}

const std::vector<PostgresStatement>& postgres_statements() {
  static const std::vector<PostgresStatement> all = {
      {"rows_from", "SELECT " DISCREET_ROW
                    " FROM discreet_ledger.batches WHERE first >= coalesce((SELECT first FROM "
                    "discreet_ledger.batches WHERE first <= $1 ORDER BY first DESC LIMIT 1), $1) "
                    "ORDER BY first LIMIT " +
                        std::to_string(kPostgresChunk)},
      {"row", "SELECT " DISCREET_ROW
              " FROM discreet_ledger.batches WHERE first <= $1 ORDER BY first DESC LIMIT 1"},
      {"answer_bytes", "SELECT bytes FROM discreet_ledger.answers WHERE charge = $1"},
      {"append", "INSERT INTO discreet_ledger.batches (" DISCREET_ROW ") VALUES ($1, $2, $3, $4)"},
      {"put_answer", "INSERT INTO discreet_ledger.answers (charge, bytes) VALUES ($1, $2)"},
      {"append_next", DISCREET_APPEND_NEXT},
      // The same with a look at the records behind $6, of which there are $7. A hash is that of one
      // sequence, so the last record's is enough. It looks before it has the lock, maybe, but then
      // the first sequence is taken.
      {"append_if", DISCREET_APPEND_NEXT
       " AND (SELECT hash FROM discreet_ledger.batches ORDER BY first DESC LIMIT 1) = $5::bytea "
       "AND (SELECT coalesce(sum(last - first + 1), 0) FROM discreet_ledger.batches WHERE first > "
       "$6::bigint) = $7::bigint"},
      {"put_answer_if",
       "INSERT INTO discreet_ledger.answers (charge, bytes) SELECT $1::bigint, $2::bytea WHERE "
       "EXISTS (SELECT 1 FROM discreet_ledger.batches WHERE first = $3::bigint AND hash = "
       "$4::bytea)"},
      {"commit", "COMMIT"},
  };
  return all;
}

PgValues row_of(const std::vector<Record>& records) {
  DISCREET_CHECK(!records.empty());
  thread_local std::string bytes;  // kept, because it is made for every batch
  bytes.clear();
  for (const Record& record : records) write_record(bytes, record);
  PgValues values(7, bytes.size() + 96);
  values.add(as_number(records.front().sequence)).add(as_number(records.back().sequence));
  values.add(bytes_of(records.back().hash)).add(bytes);
  return values;
}

Result<void> read_row(const PgRows& row, const Store::Visit& visit) {
  auto next = static_cast<Sequence>(row.number(0));
  std::string_view bytes = row.bytes(3);
  const auto changed = [&] {
    return Error{Code::kCorrupt,
                 "record " + std::to_string(next) + " was changed: its row cannot be read"};
  };
  Record record;
  do {
    const Result<void> taken = take_record(bytes, record);
    if (!taken && taken.error().code == Code::kUnsupported && record.sequence == next) {
      return taken.error();
    }
    if (!taken || record.sequence != next) return changed();
    const bool is_last = next == last_of(row);
    if (is_last != bytes.empty() || (is_last && bytes_of(record.hash) != row.bytes(2))) {
      return changed();
    }
    ++next;
    DISCREET_TRY(visit(record));
  } while (!bytes.empty());
  return {};
}

Sequence last_of(const PgRows& row) { return static_cast<Sequence>(row.number(1)); }

}  // namespace discreet::ledger
