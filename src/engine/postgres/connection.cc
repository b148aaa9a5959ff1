// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/connection.h"

#include <algorithm>

#include "engine/lowering/sql.h"
#include "ledger/postgres_line.h"

namespace discreet::engine::postgres {
namespace {

constexpr int kOldest = 130000;  // the server's version: trim_scale came with 13

/// A setting, what it is set to, and how the server then shows it.
struct Setting {
  std::string name;
  std::string value;  // in SQL; nothing for what BEGIN or the database says
  std::string shown;
};

constexpr const char* kTimeLimit = "10min";  // unless the URL, the role or the server gives another
constexpr const char* kHashJoins = "enable_hashjoin";

// No name is found but in PostgreSQL's own catalog, not even one of a temporary table or type, which
// would come first if it were not named. Texts have one form. Rows that a policy of the server would
// hide make a question fail, rather than be left out silently.
std::vector<Setting> settings(const std::string& time_limit) {
  return {
      {"transaction_isolation", "", "repeatable read"},
      {"transaction_read_only", "", "on"},
      {"server_encoding", "", "UTF8"},
      {"quote_all_identifiers", "off", "off"},  // first: it changes how a path is shown
      {"search_path", "pg_catalog, pg_temp", "pg_catalog, pg_temp"},
      {"row_security", "off", "off"},
      {"client_encoding", "'UTF8'", "UTF8"},
      {"standard_conforming_strings", "on", "on"},
      {"timezone", "'UTC'", "UTC"},
      {"datestyle", "'ISO, YMD'", "ISO, YMD"},
      {"extra_float_digits", "1", "1"},
      {"bytea_output", "'hex'", "hex"},
      {"transform_null_equals", "off", "off"},
      {"client_min_messages", "error", "error"},
      {"statement_timeout", lowering::quote_text(time_limit), time_limit},
      {"jit", "off", "off"},  // a statement is run once: compiling it takes longer than it saves
      {"gin_fuzzy_search_limit", "0", "0"},  // another number leaves out rows, by chance
      // One person's rows could make these slow (private_tables.h): hash tables, and nested loops
      // that were chosen because few rows were expected.
      {"enable_hashagg", "off", "off"},
      {kHashJoins, "off", "off"},
      {"enable_memoize", "off", "off"},
      {"enable_nestloop", "off", "off"},
      {"enable_mergejoin", "on", "on"},  // what remains
      {"enable_sort", "on", "on"},
  };
}

/// In one message. Neither SET nor SHOW takes a snapshot: that is for what comes first after.
std::string opening(const std::vector<Setting>& settings) {
  std::string sql = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
  for (const Setting& setting : settings) {
    if (!setting.value.empty()) sql += "; SET LOCAL " + setting.name + " = " + setting.value;
  }
  for (const Setting& setting : settings) sql += "; SHOW " + setting.name;
  return sql;
}

void say(const OwnerLog& log, const std::string& words) {
  if (log.say) log.say("postgres: " + words);
}

/// PostgreSQL cancels a statement at its statement_timeout, or when we ask for it (stop_).
void note_time_limit(const PGresult* response, const OwnerLog& log) {
  const char* const state = PQresultErrorField(response, PG_DIAG_SQLSTATE);
  const bool is_cancelled = state != nullptr && std::string_view(state) == "57014";
  if (is_cancelled && log.out_of_time) log.out_of_time();
}

/// Rows as they come: a batch is handed over when it is full, of rows or of bytes.
class Batch {
 public:
  Batch(std::size_t most, const std::function<void(std::span<const CopyRow>)>& take)
      : most_(most), take_(take) {}
  void add(CopyMemory memory, CopyRow row) {
    rows_.push_back(row);
    memory_.push_back(std::move(memory));
    bytes_ += row.size();
    if (rows_.size() == most_ || bytes_ >= kBytes) flush();
  }
  void flush() {
    if (!rows_.empty()) take_(rows_);
    rows_.clear();
    memory_.clear();
    bytes_ = 0;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{16} << 20;

  std::size_t most_;
  std::size_t bytes_ = 0;
  const std::function<void(std::span<const CopyRow>)>& take_;
  std::vector<CopyRow> rows_;
  std::vector<CopyMemory> memory_;
};

/// Before the first row: a signature, flags, the length of an extension. After the last: -1.
constexpr std::size_t kHeader = 19;
constexpr std::size_t kTrailer = 2;

}  // namespace

Error engine_failed() {
  return {Code::kEngine,
          "the database did not answer in full: it stopped, took longer than its time limit, or "
          "refused; what was charged stays charged, nothing was released, and the owner's log has "
          "its words"};
}

Error Connection::failed(const OwnerLog& log) const {
  if (stop_) return interrupted();
  say(log, PQerrorMessage(session_.get()));
  return engine_failed();
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& url, const OwnerLog& log) {
  std::unique_ptr<Connection> made(new Connection);
  made->url_ = url;
  DISCREET_TRY(made->connect(log));
  return made;
}

Result<void> Connection::connect(const OwnerLog& log) {
  {
    std::lock_guard lock(cancel_mutex_);
    canceller_.reset();
  }
  const ledger::PgLine line(url_);
  session_.reset(line.connect());
  if (PQstatus(session_.get()) != CONNECTION_OK) {
    say(log, PQerrorMessage(session_.get()));
    if (PQconnectionNeedsPassword(session_.get()) != 0) {
      return Error{Code::kEngine,
                   "the database wants a password; give it in PGPASSWORD or in ~/.pgpass"};
    }
    if (PQconnectionUsedPassword(session_.get()) != 0) {
      return Error{Code::kEngine,
                   "the database refused the user or the password; correct the user in the "
                   "policy's engine, and PGPASSWORD or ~/.pgpass"};
    }
    return Error{Code::kEngine,
                 "the database that the policy names cannot be reached; correct its engine "
                 "(postgres://user@host:port/database) or start it; the owner's log has its words" +
                     line.advice()};
  }
  PQsetNoticeProcessor(session_.get(), [](void*, const char*) {}, nullptr);
  {
    std::lock_guard lock(cancel_mutex_);
    canceller_.reset(PQgetCancel(session_.get()));
  }
  if (PQserverVersion(session_.get()) < kOldest) {
    return Error{Code::kEngine, "the database is older than PostgreSQL 13; use a newer one"};
  }
  const char* const encoding = PQparameterStatus(session_.get(), "server_encoding");
  if (encoding == nullptr || std::string_view(encoding) != "UTF8") {
    return Error{Code::kEngine,
                 "the database's encoding is not UTF8, so that texts could not be compared byte by "
                 "byte; use a database of encoding UTF8"};
  }
  DISCREET_ASSIGN(const auto limit, send("SHOW statement_timeout", log));
  time_limit_ = limit.empty() ? "0" : limit[0][0].value_or("0");
  if (time_limit_ == "0") time_limit_ = kTimeLimit;
  return {};
}

Result<void> Connection::begin(const OwnerLog& log) {
  hash_joins_ = false;
  if (PQstatus(session_.get()) != CONNECTION_OK) DISCREET_TRY(connect(log));
  Result<std::vector<TextRow>> shown = send(opening(settings(time_limit_)), log);
  if (!shown && !stop_ && PQstatus(session_.get()) != CONNECTION_OK) {
    // The server was started anew since the last question.
    DISCREET_TRY(connect(log));
    shown = send(opening(settings(time_limit_)), log);
  }
  if (!shown) return shown.error();
  const std::vector<Setting> wanted = settings(time_limit_);
  bool fine = shown->size() == wanted.size();
  for (std::size_t i = 0; fine && i < wanted.size(); ++i) {
    fine = (*shown)[i][0] == wanted[i].shown;
    if (!fine) say(log, "the setting " + wanted[i].name + " is not " + wanted[i].shown);
  }
  if (!fine) return engine_failed();
  return {};
}

void Connection::end() {
  if (beside_) beside_->end();
  if (PQstatus(session_.get()) == CONNECTION_OK) Response(PQexec(session_.get(), "ROLLBACK"));
}

Result<Connection*> Connection::beside() {
  const OwnerLog quiet;  // whoever asks goes on without it
  // Asked first: what is refused ends a transaction, and no subtransaction can give a snapshot.
  DISCREET_ASSIGN(const auto may, query("SELECT has_function_privilege("
                                        "'pg_catalog.pg_export_snapshot()', 'EXECUTE')",
                                        quiet));
  if (may.at(0).at(0) != "t") return engine_failed();
  DISCREET_ASSIGN(const auto snapshot, query("SELECT pg_export_snapshot()", quiet));
  if (!beside_) {
    DISCREET_ASSIGN(std::unique_ptr<Connection> made, open(url_, quiet));
    std::lock_guard lock(cancel_mutex_);
    made->stop_ = stop_.load();
    beside_ = std::move(made);
  }
  beside_->private_tables_ = private_tables_;
  DISCREET_TRY(beside_->begin(quiet));
  DISCREET_TRY(beside_->query(
      "SET TRANSACTION SNAPSHOT " + lowering::quote_text(snapshot.at(0).at(0).value()), quiet));
  DISCREET_TRY(beside_->query("SET LOCAL lock_timeout = '1s'", quiet));
  return beside_.get();
}

Result<std::vector<TextRow>> Connection::send(const std::string& sql, const OwnerLog& log) {
  std::vector<TextRow> rows;
  bool fine = PQsendQuery(session_.get(), sql.c_str()) == 1;
  while (const Response response{PQgetResult(session_.get())}) {
    const ExecStatusType status = PQresultStatus(response.get());
    fine = fine && (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK);
    if (!fine && !stop_) note_time_limit(response.get(), log);
    for (int i = 0; fine && i < PQntuples(response.get()); ++i) {
      TextRow& row = rows.emplace_back();
      for (int c = 0; c < PQnfields(response.get()); ++c) {
        row.emplace_back();
        if (PQgetisnull(response.get(), i, c) != 0) continue;
        row.back() = std::string(PQgetvalue(response.get(), i, c),
                                 static_cast<std::size_t>(PQgetlength(response.get(), i, c)));
      }
    }
  }
  if (!fine || stop_) return failed(log);
  return rows;
}

bool Connection::in_transaction(const OwnerLog& log) const {
  if (PQtransactionStatus(session_.get()) == PQTRANS_INTRANS) return true;
  if (!stop_) say(log, "a statement outside of a transaction");
  return false;
}

Result<std::vector<TextRow>> Connection::query(const std::string& sql, const OwnerLog& log) {
  if (!in_transaction(log)) return failed(log);
  return send(sql, log);
}

Result<void> Connection::copy(const std::string& sql, std::size_t most, const OwnerLog& log,
                              const std::function<void(std::span<const CopyRow>)>& take) {
  if (!in_transaction(log)) return failed(log);
  const std::string statement = "COPY (" + sql + ") TO STDOUT (FORMAT binary)";
  const Response begun(PQexec(session_.get(), statement.c_str()));
  if (PQresultStatus(begun.get()) != PGRES_COPY_OUT) {
    if (!stop_) note_time_limit(begun.get(), log);
    return failed(log);
  }
  Batch batch(most, take);
  if (!receive([&](CopyMemory memory, CopyRow row) { batch.add(std::move(memory), row); })) {
    const Error error = failed(log);
    drop();
    return error;
  }
  const Response ended(PQgetResult(session_.get()));
  const bool fine = PQresultStatus(ended.get()) == PGRES_COMMAND_OK && !stop_;
  while (Response more{PQgetResult(session_.get())}) {
  }
  if (!fine) {
    // The words are the first result's: what follows would say less.
    if (!stop_) {
      note_time_limit(ended.get(), log);
      say(log, PQresultErrorMessage(ended.get()));
    }
    return failed(log);
  }
  batch.flush();
  return {};
}

Result<void> Connection::copy(const lowering::Select& statement, std::size_t most,
                              const OwnerLog& log,
                              const std::function<void(std::span<const CopyRow>)>& take) {
  const bool hash_joins = private_tables_.allow_hash_joins(statement);
  if (hash_joins != hash_joins_) {
    const std::string set = std::string("SET LOCAL ") + kHashJoins;
    DISCREET_TRY(query(set + (hash_joins ? " = on" : " = off"), log));
    hash_joins_ = hash_joins;
  }
  return copy(statement.print(), most, log, take);
}

bool Connection::receive(const std::function<void(CopyMemory, CopyRow)>& take) {
  for (bool first = true; !stop_; first = false) {
    char* data = nullptr;
    const int size = PQgetCopyData(session_.get(), &data, 0);
    if (size < 0) return size == -1;
    CopyMemory memory(data);
    CopyRow row(data, static_cast<std::size_t>(size));
    if (first) row.remove_prefix(std::min(kHeader, row.size()));
    if (row.size() > kTrailer) take(std::move(memory), row);
  }
  return false;
}

// A session that still sends rows answers nothing else until it has sent all of them, and where
// memory is short it would be asked for the next one for ever.
void Connection::drop() {
  std::lock_guard lock(cancel_mutex_);
  canceller_.reset();
  session_.reset();
}

void Connection::interrupt() {
  stop_ = true;
  std::lock_guard lock(cancel_mutex_);
  char words[256];
  if (canceller_) PQcancel(canceller_.get(), words, sizeof words);
  if (beside_) beside_->interrupt();
}

void Connection::resume() {
  stop_ = false;
  if (beside_) beside_->resume();
}

}  // namespace discreet::engine::postgres
