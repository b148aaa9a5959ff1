// SPDX-License-Identifier: Apache-2.0
#include "ledger/postgres_schema.h"

#include <algorithm>

#include "ledger/seal.h"

// Of the advisory lock: "dslg", as in the header of a SQLite file.
#define DISCREET_LOCK "advisory_xact_lock(1685286503, 1)"
// In the order in which read_row() takes them.
#define DISCREET_ROW "sequence, fields, signature, hash, found_by, paid_by"

// The records of a transaction go in one statement, as one array for each column. All arrays are of
// one length; side by side among what is selected they need no table of their own first.
#define DISCREET_APPEND                                              \
  "INSERT INTO discreet_ledger.records (" DISCREET_ROW               \
  ") SELECT "                                                        \
  "unnest($1::bigint[]), unnest($2::bytea[]), unnest($3::bytea[]), " \
  "unnest($4::bytea[]), unnest($5::bytea[]), unnest($6::bytea[])"

namespace discreet::ledger {

const char* const kPostgresLock = "SELECT pg_catalog.pg_" DISCREET_LOCK;

const char* const kPostgresTables = R"(
CREATE SCHEMA IF NOT EXISTS discreet_ledger;
CREATE TABLE IF NOT EXISTS discreet_ledger.format (version bigint PRIMARY KEY);
CREATE TABLE IF NOT EXISTS discreet_ledger.records (
  sequence bigint PRIMARY KEY,
  fields bytea NOT NULL,
  signature bytea NOT NULL,
  hash bytea NOT NULL,
  found_by bytea,
  paid_by bytea
);
CREATE TABLE IF NOT EXISTS discreet_ledger.answers (charge bigint PRIMARY KEY, bytes bytea NOT NULL);
CREATE INDEX IF NOT EXISTS records_found_by ON discreet_ledger.records USING hash (found_by);
CREATE INDEX IF NOT EXISTS records_paid_by ON discreet_ledger.records USING hash (paid_by);
)";

const std::vector<PostgresStatement>& postgres_statements() {
  static const std::vector<PostgresStatement> all = {
      {"records_from", "SELECT " DISCREET_ROW
                       " FROM discreet_ledger.records WHERE sequence >= $1 ORDER BY sequence "
                       "LIMIT " +
                           std::to_string(kPostgresChunk)},
      {"record", "SELECT " DISCREET_ROW " FROM discreet_ledger.records WHERE sequence = $1"},
      // Sorted by what no index is of: else the table may be walked in its order.
      {"find_last", "SELECT " DISCREET_ROW
                    " FROM discreet_ledger.records WHERE found_by = $1 ORDER BY sequence + 0 DESC "
                    "LIMIT 1"},
      {"find_first", "SELECT " DISCREET_ROW
                     " FROM discreet_ledger.records WHERE found_by = $1 ORDER BY sequence + 0 "
                     "LIMIT 1"},
      {"has_paid", "SELECT 1 FROM discreet_ledger.records WHERE paid_by = $1 LIMIT 1"},
      {"answer_bytes", "SELECT bytes FROM discreet_ledger.answers WHERE charge = $1"},
      {"append", DISCREET_APPEND},
      {"put_answer", "INSERT INTO discreet_ledger.answers (charge, bytes) VALUES ($1, $2)"},
      // S5 (ledger.md): under the lock, and all or none, because the condition says nothing about a
      // single row. Whoever appended before has the first sequence.
      {"append_next", DISCREET_APPEND " WHERE (SELECT pg_catalog.pg_try_" DISCREET_LOCK ")"},
      {"append_next_one", "INSERT INTO discreet_ledger.records (" DISCREET_ROW
                          ") SELECT $1::bigint, $2::bytea, $3::bytea, $4::bytea, $5::bytea, "
                          "$6::bytea WHERE pg_catalog.pg_try_" DISCREET_LOCK},
      // The same with a look at the records behind $8, of which there are $9. A hash is that of one
      // sequence, so the last record's is enough. It looks before it has the lock, maybe, but then
      // the first sequence is taken.
      {"append_if", DISCREET_APPEND
       " WHERE (SELECT pg_catalog.pg_try_" DISCREET_LOCK
       ") AND (SELECT hash FROM discreet_ledger.records ORDER BY sequence DESC LIMIT 1) = "
       "$7::bytea AND (SELECT count(*) FROM discreet_ledger.records WHERE sequence > $8::bigint) = "
       "$9::bigint"},
      {"put_answer_if",
       "INSERT INTO discreet_ledger.answers (charge, bytes) SELECT $1::bigint, $2::bytea WHERE "
       "EXISTS (SELECT 1 FROM discreet_ledger.records WHERE sequence = $3::bigint AND hash = "
       "$4::bytea)"},
      {"commit", "COMMIT"},
  };
  return all;
}

namespace {

/// A title, so that no key is another's, then each part behind its length.
Hash key_of(std::string_view title, std::initializer_list<std::string_view> parts) {
  thread_local std::string bytes;
  bytes.assign(title);
  for (const std::string_view part : parts) {
    bytes += std::to_string(part.size());
    bytes += ':';
    bytes += part;
  }
  return sha256(bytes);
}

std::optional<std::string_view> view(const std::optional<Hash>& hash) {
  if (!hash) return std::nullopt;
  return bytes_of(*hash);
}

}  // namespace

Hash request_key(std::string_view units, std::string_view analyst, std::string_view request_id) {
  return key_of("discreet ledger request\n", {units, analyst, request_id});
}

Hash answer_key(const QuestionKey& key) {
  return key_of("discreet ledger answer\n", {key.units, key.question, key.snapshot});
}

Hash payer_key(const QuestionKey& key, std::string_view analyst) {
  return key_of("discreet ledger payer\n", {key.units, key.question, key.snapshot, analyst});
}

LookupKeys lookup_keys(const Record& record) {
  LookupKeys keys;
  const QuestionKey question{record.units, record.question, record.snapshot};
  const bool is_answer = record.kind == Kind::kAnswer;
  if (record.kind == Kind::kCharge || record.kind == Kind::kShare) {
    keys.found_by = request_key(record.units, record.analyst, record.request_id);
  }
  if (is_answer) keys.found_by = answer_key(question);
  if (is_answer || record.kind == Kind::kShare) {
    keys.paid_by = payer_key(question, record.analyst);
  }
  return keys;
}

PgValues row_of(const Record& record) {
  const LookupKeys keys = lookup_keys(record);
  const std::string fields = fields_of(record);
  PgValues values(7, fields.size() + 256);
  values.add(as_number(record.sequence)).add(fields).add(record.signature);
  values.add(bytes_of(record.hash)).add_or_null(view(keys.found_by));
  values.add_or_null(view(keys.paid_by));
  return values;
}

PgValues rows_of(const std::vector<Record>& records) {
  using View = std::string_view;
  std::vector<LookupKeys> keys;
  keys.reserve(records.size());
  std::ranges::transform(records, std::back_inserter(keys), lookup_keys);
  PgValues values;
  values.add_all(records, [](const Record& r) { return as_number(r.sequence); });
  values.add_all(records, [](const Record& r) { return fields_of(r); });
  values.add_all(records, [](const Record& r) -> View { return r.signature; });
  values.add_all(records, [](const Record& r) { return bytes_of(r.hash); });
  values.add_all(keys, [](const LookupKeys& k) { return view(k.found_by); });
  values.add_all(keys, [](const LookupKeys& k) { return view(k.paid_by); });
  return values;
}

Result<void> read_row(const PgRows& row, Record& record) {
  const std::int64_t sequence = row.number(0);
  const auto is = [&](int column, const std::optional<Hash>& key) {
    return row.bytes(column) == view(key).value_or(std::string_view());
  };
  const std::string_view hash = row.bytes(3);
  bool is_readable = hash.size() == record.hash.size() &&
                     read_fields(row.bytes(1), record).has_value() &&
                     as_number(record.sequence) == sequence;
  if (is_readable) {
    const LookupKeys keys = lookup_keys(record);
    is_readable = is(4, keys.found_by) && is(5, keys.paid_by);
  }
  if (!is_readable) {
    return Error{Code::kCorrupt,
                 "record " + std::to_string(sequence) + " was changed: its row cannot be read"};
  }
  record.signature = row.bytes(2);
  std::ranges::copy(hash, record.hash.begin());
  return {};
}

}  // namespace discreet::ledger
