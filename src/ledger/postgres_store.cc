// SPDX-License-Identifier: Apache-2.0
#include "ledger/postgres_store.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "ledger/columns.h"
#include "ledger/postgres.h"

namespace discreet::ledger {
namespace {

// Of the advisory lock: "dslg", as in the header of a SQLite file.
#define DISCREET_LOCK "advisory_xact_lock(1685286503, 1)"
constexpr const char* kLock = "SELECT pg_catalog.pg_" DISCREET_LOCK;
constexpr std::size_t kChunk = 4096;  // records that are fetched at once
constexpr std::size_t kRecent = 256;  // payments of ours that are remembered for their answers

constexpr const char* kTables = R"(
CREATE SCHEMA IF NOT EXISTS discreet_ledger;
CREATE TABLE IF NOT EXISTS discreet_ledger.format (version bigint PRIMARY KEY);
CREATE TABLE IF NOT EXISTS discreet_ledger.records (
  sequence bigint PRIMARY KEY,
  time_ms bigint NOT NULL,
  kind bigint NOT NULL,
  writer bigint NOT NULL,
  units bytea NOT NULL,
  analyst bytea NOT NULL,
  blocks bytea NOT NULL,
  amount bytea NOT NULL,
  delta bytea NOT NULL,
  request_id bytea NOT NULL,
  question bytea NOT NULL,
  snapshot bytea NOT NULL,
  plan bytea NOT NULL,
  about bigint NOT NULL,
  content bytea NOT NULL,
  detail bytea NOT NULL,
  signature bytea NOT NULL,
  hash bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS discreet_ledger.answers (charge bigint PRIMARY KEY, bytes bytea NOT NULL);
CREATE INDEX IF NOT EXISTS requests ON discreet_ledger.records
  USING hash (request_id) WHERE kind IN (4, 5);
CREATE INDEX IF NOT EXISTS answered ON discreet_ledger.records
  USING hash (question) WHERE kind IN (5, 6);
)";

// The records of a transaction go in one statement, as one array for each column. All arrays are of
// one length; side by side among what is selected they need no table of their own first.
#define DISCREET_APPEND                                                 \
  "INSERT INTO discreet_ledger.records (" DISCREET_COLUMNS              \
  ") SELECT "                                                           \
  "unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[]), "  \
  "unnest($4::bigint[]), unnest($5::bytea[]), unnest($6::bytea[]), "    \
  "unnest($7::bytea[]), unnest($8::bytea[]), unnest($9::bytea[]), "     \
  "unnest($10::bytea[]), unnest($11::bytea[]), unnest($12::bytea[]), "  \
  "unnest($13::bytea[]), unnest($14::bigint[]), unnest($15::bytea[]), " \
  "unnest($16::bytea[]), unnest($17::bytea[]), unnest($18::bytea[])"

// S5 (ledger.md). Looks at the state before it has the lock, but then the first sequence is taken.
// Without a row of its own, so that each SELECT is made once.
#define DISCREET_IS_LAST                             \
  "(SELECT pg_catalog.pg_try_" DISCREET_LOCK         \
  ") AND (SELECT hash FROM discreet_ledger.records " \
  "ORDER BY sequence DESC LIMIT 1) = "

// A question may be longer than an entry of a btree may be, so its indexes keep hashes.
const std::pair<const char*, std::string> kStatements[] = {
    {"records_from", "SELECT " DISCREET_COLUMNS
                     " FROM discreet_ledger.records WHERE sequence >= $1 ORDER BY sequence LIMIT " +
                         std::to_string(kChunk)},
    {"record", "SELECT " DISCREET_COLUMNS " FROM discreet_ledger.records WHERE sequence = $1"},
    {"find_request", "SELECT " DISCREET_COLUMNS
                     " FROM discreet_ledger.records WHERE kind IN (4, 5) AND units = $1 AND "
                     "analyst = $2 AND request_id = $3 ORDER BY sequence DESC LIMIT 1"},
    {"find_answer", "SELECT " DISCREET_COLUMNS
                    " FROM discreet_ledger.records WHERE kind = 6 AND kind IN (5, 6) AND units = "
                    "$1 AND question = $2 AND snapshot = $3 ORDER BY sequence LIMIT 1"},
    {"has_paid",
     "SELECT sequence FROM discreet_ledger.records WHERE kind IN (5, 6) AND units = $1 AND "
     "question = $2 AND snapshot = $3 AND analyst = $4 LIMIT 1"},
    {"answer_bytes", "SELECT bytes FROM discreet_ledger.answers WHERE charge = $1"},
    {"append", DISCREET_APPEND},
    {"put_answer", "INSERT INTO discreet_ledger.answers (charge, bytes) VALUES ($1, $2)"},
    // S5: all or none, because the condition says nothing about a single row. A hash is that of one
    // sequence, so the last record's is enough.
    {"append_if", DISCREET_APPEND " WHERE " DISCREET_IS_LAST "$19::bytea"},
    // The same for one record, by a plan that takes half as long to set up: here the condition is
    // looked at once because there is one row to look at.
    {"append_one_if",
     "INSERT INTO discreet_ledger.records (" DISCREET_COLUMNS
     ") SELECT $1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bytea, $6::bytea, $7::bytea, "
     "$8::bytea, $9::bytea, $10::bytea, $11::bytea, $12::bytea, $13::bytea, $14::bigint, "
     "$15::bytea, $16::bytea, $17::bytea, $18::bytea FROM (SELECT hash FROM "
     "discreet_ledger.records ORDER BY sequence DESC LIMIT 1) AS last WHERE last.hash = "
     "$19::bytea AND pg_catalog.pg_try_" DISCREET_LOCK},
    {"put_answer_if",
     "INSERT INTO discreet_ledger.answers (charge, bytes) SELECT $1::bigint, $2::bytea WHERE "
     "EXISTS "
     "(SELECT 1 FROM discreet_ledger.records WHERE sequence = $3::bigint AND hash = $4::bytea)"},
    {"commit", "COMMIT"},
};

std::int64_t as_number(Sequence sequence) { return static_cast<std::int64_t>(sequence); }

/// Hands a function of a record to `visit` for each of DISCREET_COLUMNS, in order: it gives a
/// number or bytes, those of the record where they are there.
template <class Visit>
void each_column(const Visit& visit) {
  using View = std::string_view;
  visit([](const Record& r) { return as_number(r.sequence); });
  visit([](const Record& r) { return r.time_ms; });
  visit([](const Record& r) { return static_cast<std::int64_t>(r.kind); });
  visit([](const Record& r) { return static_cast<std::int64_t>(r.writer); });
  visit([](const Record& r) -> View { return r.units; });
  visit([](const Record& r) -> View { return r.analyst; });
  visit([](const Record& r) -> View { return r.blocks; });
  visit([](const Record& r) { return discreet::to_string(r.price.amount.units()); });
  visit([](const Record& r) { return discreet::to_string(r.price.delta.units()); });
  visit([](const Record& r) -> View { return r.request_id; });
  visit([](const Record& r) -> View { return r.question; });
  visit([](const Record& r) -> View { return r.snapshot; });
  visit([](const Record& r) { return short_bytes(r.plan); });
  visit([](const Record& r) { return as_number(r.about); });
  visit([](const Record& r) { return short_bytes(r.content); });
  visit([](const Record& r) -> View { return r.detail; });
  visit([](const Record& r) -> View { return r.signature; });
  visit([](const Record& r) { return bytes_of(r.hash); });
}

PgValues columns_of(const Record& record) {
  PgValues values;
  each_column([&](auto column) { values.add(column(record)); });
  return values;
}

/// The same of many, an array for each column.
PgValues columns_of(const std::vector<Record>& records) {
  PgValues values;
  each_column([&](auto column) { values.add_all(records, column); });
  return values;
}

bool is_about(const Record& record, const QuestionKey& key) {
  return record.units == key.units && record.question == key.question &&
         record.snapshot == key.snapshot;
}

/// What is written waits here until the commit, which then takes one journey to the server; within
/// the transaction it is read from here.
struct Pending {
  std::vector<Record> records;
  std::map<Sequence, std::string> answers;

  void clear() {
    records.clear();
    answers.clear();
  }
  PgSession::Batch batch() const {
    PgSession::Batch all;
    if (!records.empty()) all.emplace_back("append", columns_of(records));
    for (const auto& [charge, bytes] : answers) {
      all.emplace_back("put_answer", PgValues().add(as_number(charge)).add(bytes));
    }
    all.emplace_back("commit", PgValues());
    return all;
  }
  /// S5, as one transaction: `last` is the last record's. Requires: there are records.
  PgSession::Batch batch_behind(const Hash& last) const {
    PgSession::Batch all;
    const Record& newest = records.back();
    const bool is_one = records.size() == 1;
    all.emplace_back(is_one ? "append_one_if" : "append_if",
                     (is_one ? columns_of(newest) : columns_of(records)).add(bytes_of(last)));
    for (const auto& [charge, bytes] : answers) {
      all.emplace_back("put_answer_if", PgValues()
                                            .add(as_number(charge))
                                            .add(bytes)
                                            .add(as_number(newest.sequence))
                                            .add(bytes_of(newest.hash)));
    }
    return all;
  }
};

Error not_optimistic() {
  return {Code::kUnsupported, "an optimistic transaction does not read this"};
}

class PostgresStore : public Store {
 public:
  explicit PostgresStore(const PostgresOptions& options) : options_(options) {}

  Result<void> open() {
    DISCREET_TRY(connect());
    if (options_.mode == StoreMode::kCreate) DISCREET_TRY(create());
    auto version = session_->run("SELECT max(version) FROM discreet_ledger.format");
    if (!version && version.error().code == Code::kNotFound) {
      return Error{Code::kNotFound,
                   "the database holds no ledger; create one with `discreet ledger init --ledger "
                   "postgres://...`, or name another with --ledger"};
    }
    if (!version) return version.error();
    const std::string found(version->at(0).bytes(0));
    if (found != std::to_string(kSchemaVersion)) {
      return Error{Code::kUnsupported, "the ledger's tables have version " + in_quotes(found) +
                                           " of the format, but this program knows " +
                                           std::to_string(kSchemaVersion) +
                                           "; use a newer program"};
    }
    return prepare();
  }

  Result<void> begin_write() override {
    return begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", kLock);
  }
  Result<void> begin_read() override {
    return begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "SELECT 1");
  }

  Result<void> commit() override {
    const auto done = session_->run_together(pending_.batch());
    if (done && done->back().tag() == "COMMIT") {
      remember();
      return {};
    }
    return fail(done);
  }

  bool begin_optimistic(const Hash& last) override {
    // A session that was lost is made anew by begin_write().
    if (failed_ || !session_ || !session_->is_open() || !session_->is_silent()) return false;
    pending_.clear();
    assumed_ = last;
    return true;
  }

  Result<bool> commit_if_valid(const std::function<void()>& meanwhile) override {
    const auto done = session_->commit_together(pending_.batch_behind(*assumed_), meanwhile);
    if (!done) return fail(done);
    const std::string all = "INSERT 0 " + std::to_string(pending_.records.size());
    const bool is_valid = *done && (*done)->front().tag() == all;
    if (is_valid) remember();
    rollback();
    return is_valid;
  }

  void rollback() override {
    pending_.clear();
    assumed_.reset();
    if (!session_ || session_->is_idle()) return;
    if (!session_->run("ROLLBACK")) session_.reset();  // made anew at the next begin
  }

  Result<void> append(Record record) override {
    pending_.records.push_back(std::move(record));
    return {};
  }

  Result<void> put_answer(const Record& answer, const std::string& bytes) override {
    if (pending_.answers.emplace(answer.about, bytes).second) return {};
    return Error{Code::kConflict, "the charge has an answer already"};
  }

  Result<void> records_from(Sequence first, const Visit& visit) override {
    if (assumed_) return not_optimistic();
    Record record;
    for (Sequence next = first;;) {
      DISCREET_ASSIGN(PgRows rows, session_->run("records_from", PgValues().add(as_number(next))));
      for (int i = 0; i < rows.size(); ++i) {
        DISCREET_TRY(read_record(rows.at(i), record));
        DISCREET_TRY(visit(record));
      }
      if (static_cast<std::size_t>(rows.size()) < kChunk) break;
      next = record.sequence + 1;
    }
    for (const Record& waiting : pending_.records) {
      if (waiting.sequence >= first) DISCREET_TRY(visit(waiting));
    }
    return {};
  }

  Result<std::optional<Record>> record(Sequence sequence) override {
    for (const Record& waiting : pending_.records) {
      if (waiting.sequence == sequence) return std::optional<Record>(waiting);
    }
    if (assumed_) {
      // A record that we committed stays as it is, and the last one vouches for it (chain.md).
      const auto ours = std::ranges::lower_bound(recent_, sequence, {}, &Record::sequence);
      if (ours == recent_.end() || ours->sequence != sequence) return not_optimistic();
      return std::optional<Record>(*ours);
    }
    return one("record", PgValues().add(as_number(sequence)));
  }

  Result<std::optional<Record>> find_request(const std::string& units, const std::string& analyst,
                                             const std::string& request_id) override {
    for (const Record& waiting : pending_.records | std::views::reverse) {
      const bool pays = waiting.kind == Kind::kCharge || waiting.kind == Kind::kShare;
      if (pays && waiting.units == units && waiting.analyst == analyst &&
          waiting.request_id == request_id) {
        return std::optional<Record>(waiting);
      }
    }
    if (assumed_) return not_optimistic();
    return one("find_request", PgValues().add(units).add(analyst).add(request_id));
  }

  Result<std::optional<Record>> find_answer(const QuestionKey& key) override {
    if (!assumed_) {
      DISCREET_ASSIGN(
          auto oldest,
          one("find_answer", PgValues().add(key.units).add(key.question).add(key.snapshot)));
      if (oldest) return oldest;
    }
    for (const Record& waiting : pending_.records) {
      if (waiting.kind == Kind::kAnswer && is_about(waiting, key)) {
        return std::optional<Record>(waiting);
      }
    }
    if (assumed_) return not_optimistic();
    return std::optional<Record>();
  }

  Result<bool> has_paid(const QuestionKey& key, const std::string& analyst) override {
    for (const Record& waiting : pending_.records) {
      const bool counts = waiting.kind == Kind::kShare || waiting.kind == Kind::kAnswer;
      if (counts && is_about(waiting, key) && waiting.analyst == analyst) return true;
    }
    if (assumed_) return not_optimistic();
    DISCREET_ASSIGN(
        const PgRows rows,
        session_->run("has_paid",
                      PgValues().add(key.units).add(key.question).add(key.snapshot).add(analyst)));
    return rows.size() > 0;
  }

  Result<std::optional<std::string>> answer_bytes(Sequence charge) override {
    if (const auto waiting = pending_.answers.find(charge); waiting != pending_.answers.end()) {
      return std::optional<std::string>(waiting->second);
    }
    if (assumed_) return not_optimistic();
    DISCREET_ASSIGN(PgRows rows, session_->run("answer_bytes", PgValues().add(as_number(charge))));
    if (rows.size() == 0) return std::optional<std::string>();
    return std::optional<std::string>(rows.at(0).bytes(0));
  }

 private:
  /// Whether it was committed is now unknown (S4).
  template <class Done>
  Error fail(const Done& done) {
    failed_ = true;
    pending_.clear();
    assumed_.reset();
    session_.reset();
    if (!done) return done.error();
    return {Code::kStorage,
            "the ledger's database gave the transaction up before it was committed"};
  }

  /// What was committed, for record() of an optimistic transaction.
  void remember() {
    for (Record& record : pending_.records) {
      if (record.kind != Kind::kCharge) continue;
      while (!recent_.empty() && recent_.back().sequence >= record.sequence) recent_.pop_back();
      recent_.push_back(std::move(record));
      if (recent_.size() > kRecent) recent_.pop_front();
    }
    pending_.clear();
  }

  Result<std::optional<Record>> one(const char* statement, const PgValues& values) {
    DISCREET_ASSIGN(PgRows rows, session_->run(statement, values));
    if (rows.size() == 0) return std::optional<Record>();
    Record record;
    DISCREET_TRY(read_record(rows.at(0), record));
    return std::optional<Record>(std::move(record));
  }

  Result<void> connect() {
    DISCREET_ASSIGN(PgSession session, PgSession::open(options_.url));
    session_ = std::make_unique<PgSession>(std::move(session));
    DISCREET_TRY(session_->run(
        "SET search_path = pg_catalog; SET lock_timeout = " + std::to_string(options_.busy_ms) +
        "; SET statement_timeout = 0; SET default_transaction_isolation = 'read committed'; SET "
        "default_transaction_read_only = off; SET idle_in_transaction_session_timeout = " +
        std::to_string(options_.sleep_ms) +
        // Every lookup has an index, and a plan that was made for a small table stays.
        "; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off"));
    for (const char* setting : {"fsync", "full_page_writes"}) {
      DISCREET_ASSIGN(PgRows value, session_->run(std::string("SHOW ") + setting));
      if (value.at(0).bytes(0) == "on") continue;
      return Error{Code::kStorage, std::string("the ledger's database has ") + setting +
                                       " off, so that it may forget charges; set it on"};
    }
    DISCREET_ASSIGN(PgRows durable, session_->run("SHOW synchronous_commit"));
    if (durable.at(0).bytes(0) != "remote_apply") {
      DISCREET_TRY(session_->run("SET synchronous_commit = on"));
    }
    if (options_.mode == StoreMode::kRead) return {};
    DISCREET_ASSIGN(PgRows replica, session_->run("SELECT pg_catalog.pg_is_in_recovery()"));
    if (replica.at(0).bytes(0) == "f") return {};
    return Error{Code::kStorage,
                 "the ledger's database is a replica and only reads; name the primary"};
  }

  Result<void> create() {
    const auto made =
        session_->run(std::string("BEGIN; ") + kLock + ";" + kTables +
                      "INSERT INTO discreet_ledger.format VALUES (" +
                      std::to_string(kSchemaVersion) + ") ON CONFLICT DO NOTHING; COMMIT");
    if (!made) return made.error();
    DISCREET_ASSIGN(const PgRows begun,
                    session_->run("SELECT 1 FROM discreet_ledger.records LIMIT 1"));
    if (begun.size() == 0) return {};
    return Error{Code::kConflict,
                 "the database holds a ledger already; a ledger is never replaced"};
  }

  Result<void> prepare() {
    for (const auto& [name, sql] : kStatements) {
      const bool writes = sql.starts_with("INSERT");
      if (writes && options_.mode == StoreMode::kRead) continue;
      DISCREET_TRY(session_->prepare(name, sql));
    }
    return {};
  }

  Result<void> begin(const std::string& sql, const char* then) {
    if (failed_) {
      return Error{Code::kStorage, "the ledger's database failed; open the ledger again"};
    }
    pending_.clear();
    assumed_.reset();
    for (const bool is_first : {true, false}) {
      if (!session_ || !session_->is_open()) {
        session_.reset();
        DISCREET_TRY(connect());
        DISCREET_TRY(prepare());
      }
      auto begun = session_->run(sql + "; " + then);
      if (begun) return {};
      if (session_->is_open() || !is_first) {
        rollback();
        return begun.error();
      }
    }
    return {};
  }

  PostgresOptions options_;
  std::unique_ptr<PgSession> session_;
  Pending pending_;
  std::optional<Hash> assumed_;  // the last record's, in an optimistic transaction
  std::deque<Record> recent_;    // charges that this store committed, by sequence
  bool failed_ = false;
};

}  // namespace

Result<std::unique_ptr<Store>> open_postgres_store(const PostgresOptions& options) {
  auto store = std::make_unique<PostgresStore>(options);
  DISCREET_TRY(store->open());
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace discreet::ledger
