// SPDX-License-Identifier: Apache-2.0
#include "ledger/sqlite.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/files.h"

namespace discreet::ledger {
namespace {

/// What to do, by the primary status.
std::string_view way_out(int status) {
  switch (status & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "the file is damaged or is no ledger; restore the newest copy of it";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another process holds it; try again when that has ended";
    case SQLITE_FULL:
      return "the disk is full; make room, then open the ledger again";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "it must be a file that can be written, in a directory that can be written";
    case SQLITE_CANTOPEN:
      return "its directory must exist and be writable";
    default:
      return "check the disk, then open the ledger again";
  }
}

}  // namespace

Rows::~Rows() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);  // a large answer must not stay referred to
}

Rows& Rows::bind(std::int64_t value) {
  sqlite3_bind_int64(statement_, ++bound_, value);
  return *this;
}

Rows& Rows::bind_text(std::string_view text) {
  sqlite3_bind_text64(statement_, ++bound_, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Rows& Rows::bind_blob(std::string_view bytes) {
  // A null pointer would make it NULL.
  sqlite3_bind_blob64(statement_, ++bound_, bytes.empty() ? "" : bytes.data(), bytes.size(),
                      SQLITE_STATIC);
  return *this;
}

Result<bool> Rows::step() {
  const int status = sqlite3_step(statement_);
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return connection_.explain(status);
}

Result<void> Rows::run() {
  DISCREET_ASSIGN(const bool has_row, step());
  DISCREET_CHECK(!has_row);
  return {};
}

std::int64_t Rows::number(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Rows::bytes(int column) const {
  const void* const data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return data == nullptr
             ? std::string_view()
             : std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

Result<Connection> Connection::open(const std::filesystem::path& path, int flags,
                                    const std::string& vfs, int busy_ms) {
  sqlite3* handle = nullptr;
  // Only one thread at a time uses a store, so SQLite's own mutexes are not needed.
  const int status =
      sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                      vfs.empty() ? nullptr : vfs.c_str());
  Connection connection(path, handle);
  if (status != SQLITE_OK) return connection.explain(status);
  sqlite3_busy_timeout(handle, busy_ms);
  // The file may come from a stranger: nothing in its schema may run.
  for (const int off : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                        SQLITE_DBCONFIG_TRUSTED_SCHEMA}) {
    sqlite3_db_config(handle, off, 0, nullptr);
  }
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return connection;
}

Result<Statement> Connection::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (status != SQLITE_OK) return explain(status);
  return Statement(statement);
}

Result<void> Connection::run(const std::string& sql) {
  const int status = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return explain(status);
  return {};
}

Result<std::int64_t> Connection::number(std::string_view sql) {
  DISCREET_ASSIGN(const Statement statement, prepare(sql));
  Rows found = rows(statement);
  DISCREET_ASSIGN(const bool has_row, found.step());
  return has_row ? found.number(0) : 0;
}

Result<std::string> Connection::text(std::string_view sql) {
  DISCREET_ASSIGN(const Statement statement, prepare(sql));
  Rows found = rows(statement);
  DISCREET_ASSIGN(const bool has_row, found.step());
  return has_row ? std::string(found.bytes(0)) : std::string();
}

Result<void> Connection::rewrite_log() {
  sqlite3_file* log = nullptr;
  int status = sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (status != SQLITE_OK) return explain(status);
  if (log == nullptr || log->pMethods == nullptr) return {};
  sqlite3_int64 size = 0;
  status = log->pMethods->xFileSize(log, &size);
  std::vector<char> piece(1 << 16);
  for (sqlite3_int64 at = 0; at < size && status == SQLITE_OK;) {
    const int length = static_cast<int>(std::min<sqlite3_int64>(size - at, 1 << 16));
    status = log->pMethods->xRead(log, piece.data(), length, at);
    if (status == SQLITE_OK) status = log->pMethods->xWrite(log, piece.data(), length, at);
    at += length;
  }
  if (size > 0 && status == SQLITE_OK) {
    status = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
  }
  if (status != SQLITE_OK) return explain(status);
  return {};
}

Error Connection::explain(int status) const {
  const int primary = status & 0xff;
  const bool is_corrupt = primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
  // What the files themselves report is not in the connection's memory.
  const bool is_known = handle_ != nullptr && sqlite3_extended_errcode(handle_.get()) == status;
  const std::string words = is_known ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(status);
  return {is_corrupt ? Code::kCorrupt : Code::kStorage,
          "the ledger " + path_in_quotes(path_) + ": " + words + " (" + std::to_string(status) +
              "): " + std::string(way_out(status))};
}

}  // namespace discreet::ledger
