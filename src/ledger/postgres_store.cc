// SPDX-License-Identifier: Apache-2.0
#include "ledger/postgres_store.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/files.h"
#include "ledger/postgres.h"
#include "ledger/postgres_schema.h"
#include "ledger/store_place.h"

namespace discreet::ledger {
namespace {

constexpr std::size_t kRecent = 256;  // payments of ours that are remembered for their answers

/// What is written waits here until the commit, which then takes one journey to the server; within
/// the transaction it is read from here.
struct Pending {
  std::vector<Record> records;
  std::map<Sequence, std::string> answers;

  void clear() {
    records.clear();
    answers.clear();
  }
  std::optional<Record> record(Sequence sequence) const {
    if (records.empty() || sequence < records.front().sequence) return std::nullopt;
    const Sequence at = sequence - records.front().sequence;
    return at < records.size() ? std::optional<Record>(records[at]) : std::nullopt;
  }
  PgSession::Batch batch() const {
    PgSession::Batch all;
    if (!records.empty()) all.emplace_back("append", row_of(records));
    for (const auto& [charge, bytes] : answers) {
      all.emplace_back("put_answer", PgValues().add(as_number(charge)).add(bytes));
    }
    all.emplace_back("commit", PgValues());
    return all;
  }
  /// S5, as one transaction: `last` is the last record's hash. Requires: there are records.
  PgSession::Batch batch_behind(const Hash& last, std::optional<Sequence> looked) const {
    PgSession::Batch all;
    PgValues row = row_of(records);
    if (looked) {
      row.add(bytes_of(last)).add(as_number(*looked));
      row.add(as_number(records.front().sequence - *looked - 1));
    }
    all.emplace_back(looked ? "append_if" : "append_next", std::move(row));
    for (const auto& [charge, bytes] : answers) {
      all.emplace_back("put_answer_if", PgValues()
                                            .add(as_number(charge))
                                            .add(bytes)
                                            .add(as_number(records.front().sequence))
                                            .add(bytes_of(records.back().hash)));
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
    const bool creates = options_.mode == StoreMode::kCreate;
    auto version = session_->run(kPostgresFormat);
    if (creates && !version && version.error().code == Code::kNotFound) {
      DISCREET_TRY(create());
      version = session_->run(kPostgresFormat);
    }
    if (!version && version.error().code == Code::kNotFound) {
      return Error{Code::kNotFound,
                   "the database holds no ledger; create one with `discreet ledger init --ledger "
                   "postgres://...`, or name another with --ledger"};
    }
    if (!version) return version.error();
    DISCREET_TRY(check_format(std::string(version->at(0).bytes(0))));
    // Only now: beside tables of another version there would be a second ledger.
    if (creates) DISCREET_TRY(check_empty());
    return prepare();
  }

  Result<void> begin_write() override {
    return begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", kPostgresLock);
  }
  Result<void> begin_read() override {
    return begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL lock_timeout = " +
                     std::to_string(std::min(options_.busy_ms, kReadBusyMs)),
                 "SELECT 1");
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

  Result<bool> commit_if_valid(std::optional<Sequence> looked,
                               const std::function<void()>& meanwhile) override {
    const auto done =
        session_->commit_together(pending_.batch_behind(*assumed_, looked), meanwhile);
    if (!done) return fail(done);
    const bool is_valid = *done && (*done)->front().tag() == "INSERT 0 1";
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
    const auto visit_from_first = [&](const Record& record) -> Result<void> {
      if (record.sequence < first) return {};  // before it in its row
      return visit(record);
    };
    for (;;) {
      DISCREET_ASSIGN(PgRows rows, session_->run("rows_from", PgValues().add(as_number(first))));
      for (int i = 0; i < rows.size(); ++i) DISCREET_TRY(read_row(rows.at(i), visit_from_first));
      if (rows.size() < kPostgresChunk) break;
      first = last_of(rows) + 1;
    }
    for (const Record& waiting : pending_.records) DISCREET_TRY(visit_from_first(waiting));
    return {};
  }

  Result<std::optional<Record>> record(Sequence sequence) override {
    if (auto waiting = pending_.record(sequence)) return waiting;
    if (assumed_) {
      // A record that we committed stays as it is, and the last one vouches for it (chain.md).
      const auto ours = std::ranges::lower_bound(recent_, sequence, {}, &Record::sequence);
      if (ours == recent_.end() || ours->sequence != sequence) return not_optimistic();
      return std::optional<Record>(*ours);
    }
    DISCREET_ASSIGN(const PgRows row, session_->run("row", PgValues().add(as_number(sequence))));
    std::optional<Record> found;
    if (row.size() == 0) return found;
    DISCREET_TRY(read_row(row, [&](const Record& record) -> Result<void> {
      if (record.sequence == sequence) found = record;
      return {};
    }));
    return found;
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

  Result<int> format() override {
    if (assumed_) return not_optimistic();
    DISCREET_ASSIGN(PgRows rows, session_->run(kPostgresFormat));
    return number_in(std::string(rows.at(0).bytes(0)));
  }

  /// Nothing beyond what reading shows: pages are the business of the server and its checksums.
  Result<void> check_sound() override { return {}; }

  Result<std::string> place_of_copy(const std::string& /*ledger_id*/) override {
    DISCREET_ASSIGN(const int number, format());
    const std::string schema = postgres_copy_name(number);
    DISCREET_ASSIGN(const PgRows found, session_->run("SELECT 1 FROM pg_catalog.pg_namespace WHERE "
                                                      "nspname = '" +
                                                      schema + "'"));
    if (found.size() == 0) {
      DISCREET_TRY(check_rights());
      return schema;
    }
    return Error{Code::kConflict, "the upgrade keeps a copy in the schema " + schema +
                                      ", but the database has one of that name; rename it"};
  }

  /// In the same transaction, so an upgrade that was interrupted left none.
  Result<std::string> keep_copy(const std::string& ledger_id) override {
    DISCREET_ASSIGN(std::string schema, place_of_copy(ledger_id));
    DISCREET_TRY(session_->run(postgres_copy(schema)));
    return schema;
  }

  Result<void> convert() override {
    DISCREET_TRY(session_->run("UPDATE discreet_ledger.format SET version = " +
                               std::to_string(kLedgerFormat)));
    return {};
  }

 private:
  /// One that is too large for an int is newer than all that are known.
  static int number_in(const std::string& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc::result_out_of_range) return number;
    return text.starts_with('-') ? 0 : std::numeric_limits<int>::max();
  }

  /// Those of an upgrade, which the servers need not have.
  Result<void> check_rights() {
    DISCREET_ASSIGN(PgRows rows,
                    session_->run("SELECT pg_catalog.has_database_privilege(pg_catalog."
                                  "current_database(), 'CREATE') AND pg_catalog."
                                  "has_table_privilege('discreet_ledger.format', 'UPDATE')"));
    if (rows.at(0).bytes(0) == "t") return {};
    return Error{Code::kStorage,
                 "the upgrade creates a schema for the copy and changes the ledger's tables, which "
                 "this user may not do; run it as the owner of the tables, who may create schemas "
                 "in the database"};
  }

  Result<void> check_format(const std::string& found) const {
    const std::string name = "the ledger " + path_in_quotes(shown(options_.url));
    const int number = number_in(found);
    if (number > kLedgerFormat) return newer_format(name, found);
    if (number < kPostgresFirstFormat) {
      return Error{Code::kUnsupported, name + " has tables of format " + in_quotes(found) +
                                           ", which no release of discreet has written; use the "
                                           "program that made them"};
    }
    const bool is_as_it_is =
        options_.mode == StoreMode::kRead || options_.mode == StoreMode::kAnyFormat;
    if (number != kLedgerFormat && !is_as_it_is) return older_format(name, found);
    return {};
  }

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
        session_->run(std::string("BEGIN; ") + kPostgresLock + ";" + kPostgresTables +
                      "INSERT INTO discreet_ledger.format VALUES (" +
                      std::to_string(kLedgerFormat) + ") ON CONFLICT DO NOTHING; COMMIT");
    if (!made) return made.error();
    return {};
  }

  Result<void> check_empty() {
    DISCREET_ASSIGN(const PgRows begun,
                    session_->run("SELECT 1 FROM discreet_ledger.batches LIMIT 1"));
    if (begun.size() == 0) return {};
    return Error{Code::kConflict,
                 "the database holds a ledger already; a ledger is never replaced"};
  }

  Result<void> prepare() {
    for (const auto& [name, sql] : postgres_statements()) {
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
