// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/connection.h"

#include <algorithm>
#include <thread>

#include "engine/lowering/sql.h"

namespace discreet::engine::duckdb {
namespace {

using lowering::Sql;

// Nothing is fetched or loaded; no rows go to temporary files, unless the owner names a place for
// them (limits.h); text is read the same way everywhere.
constexpr std::pair<const char*, const char*> kSettings[] = {
    {"autoinstall_known_extensions", "false"},
    {"autoload_known_extensions", "false"},
    {"allow_community_extensions", "false"},
    {"preserve_insertion_order", "false"},
};

// What a value is read, compared or printed by, whatever the environment says (TZ, LC_ALL) and
// whatever a later DuckDB takes for its default: the one place where that is decided. The zone and
// the calendar belong to ICU, which is there only after the opening. Threads change no bit (E3).
constexpr std::pair<const char*, const char*> kReading[] = {
    {"TimeZone", "'UTC'"},
    {"Calendar", "'gregorian'"},
    {"default_collation", "''"},
    {"default_order", "'ASC'"},
    {"default_null_order", "'NULLS_LAST'"},
    {"ieee_floating_point_ops", "true"},
    {"integer_division", "false"},
    {"old_implicit_casting", "false"},
    {"binary_as_string", "false"},
    // Progress is counted, for OwnerLog, and not printed.
    {"enable_progress_bar", "true"},
    {"enable_progress_bar_print", "false"},
};

void say(const OwnerLog& log, const std::string& words) {
  if (log.say) log.say("duckdb: " + words);
}

void report_progress(duckdb_connection session, const OwnerLog& log) {
  if (!log.progress) return;
  double percent = duckdb_query_progress(session).percentage;
  if (percent >= 0) log.progress(static_cast<int>(percent));
}

}  // namespace

Error engine_failed() {
  return {Code::kEngine, "the database could not answer; the owner's log has its words"};
}

Result<void> Connection::failed(const char* words, const OwnerLog& log) const {
  if (stop_) return interrupted();
  say(log, words != nullptr ? words : "no words");
  return engine_failed();
}

Result<std::unique_ptr<Connection>> Connection::open(std::size_t threads, const OwnerLog& log,
                                                     Limits limits,
                                                     const std::optional<Secret>& secret) {
  std::unique_ptr<Connection> made(new Connection);
  made->threads_ =
      threads != 0 ? threads : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  made->limits_ = std::move(limits);
  if (secret) {
    made->secret_ = *secret;
  } else {
    DISCREET_ASSIGN(made->secret_, Secret::fresh());
  }
  if (!made->limits_.duckdb_spill.empty()) {
    DISCREET_ASSIGN(made->temporary_, TemporaryFolder::make(made->limits_.duckdb_spill));
  }
  Config config;
  bool fine = duckdb_create_config(config.out()) == DuckDBSuccess;
  const auto set = [&](const char* name, const std::string& value) {
    fine = fine && duckdb_set_config(config.get(), name, value.c_str()) == DuckDBSuccess;
  };
  for (const auto& [name, value] : kSettings) set(name, value);
  set("temp_directory", made->temporary_.path());
  set("threads", std::to_string(made->threads_));
  if (!made->limits_.endless()) {
    set("memory_limit", std::to_string(made->limits_.for_duckdb()) + "B");
  }
  char* words = nullptr;
  fine = fine &&
         duckdb_open_ext(nullptr, made->database_.out(), config.get(), &words) == DuckDBSuccess;
  fine = fine && duckdb_connect(made->database_.get(), made->session_.out()) == DuckDBSuccess;
  fine = fine && register_functions(made->session_.get(), made->target_, made->secret_) &&
         register_text_rows(made->session_.get(), made->text_tables_);
  if (!fine) {
    say(log, words != nullptr ? words : "it could not be started");
    duckdb_free(words);
    return engine_failed();
  }
  for (const auto& [name, value] : kReading) {
    DISCREET_TRY(made->query(std::string("SET ") + name + " = " + value, log));
  }
  return made;
}

Result<void> Connection::lock(const std::vector<std::string>& paths, const OwnerLog& log) {
  std::vector<Sql> allowed;
  for (const std::string& path : paths) allowed.push_back(Sql::text(path));
  if (!allowed.empty()) {
    DISCREET_TRY(query("SET allowed_paths = " + Sql::list(std::move(allowed)).print(), log));
  }
  DISCREET_TRY(query("SET enable_external_access = false", log));
  return query("SET lock_configuration = true", log);
}

Result<void> Connection::query(const std::string& sql, const OwnerLog& log,
                               const std::function<void(const Chunk&)>& take) {
  Prepared prepared;
  if (duckdb_prepare(session_.get(), sql.c_str(), prepared.out()) != DuckDBSuccess) {
    return failed(duckdb_prepare_error(prepared.get()), log);
  }
  Pending pending;
  if (duckdb_pending_prepared(prepared.get(), pending.out()) != DuckDBSuccess) {
    return failed(duckdb_pending_error(pending.get()), log);
  }
  duckdb_pending_state state = DUCKDB_PENDING_RESULT_NOT_READY;
  // To its end also when it was interrupted, which DuckDB then notices soon: only then have all its
  // threads left our functions.
  while (!duckdb_pending_execution_is_finished(state)) {
    state = duckdb_pending_execute_task(pending.get());
    if (state == DUCKDB_PENDING_NO_TASKS_AVAILABLE) std::this_thread::yield();
    report_progress(session_.get(), log);
  }
  if (state == DUCKDB_PENDING_ERROR || stop_) {
    return failed(duckdb_pending_error(pending.get()), log);
  }
  QueryResult result;
  if (duckdb_execute_pending(pending.get(), result.out()) != DuckDBSuccess) {
    return failed(duckdb_result_error(result.out()), log);
  }
  if (!take) return {};
  for (Chunk chunk = result.fetch(); chunk; chunk = result.fetch()) take(chunk);
  return {};
}

Result<std::vector<LogicalType>> Connection::types_of(const std::string& sql, const OwnerLog& log) {
  Prepared prepared;
  if (duckdb_prepare(session_.get(), sql.c_str(), prepared.out()) != DuckDBSuccess) {
    return failed(duckdb_prepare_error(prepared.get()), log).error();
  }
  std::vector<LogicalType> types;
  for (idx_t i = 0; i < duckdb_prepared_statement_column_count(prepared.get()); ++i) {
    types.emplace_back(duckdb_prepared_statement_column_logical_type(prepared.get(), i));
  }
  return types;
}

void Connection::interrupt() {
  stop_ = true;
  duckdb_interrupt(session_.get());
}

}  // namespace discreet::engine::duckdb
