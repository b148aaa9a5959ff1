// SPDX-License-Identifier: Apache-2.0
// SQLite as little as the store needs of it: a connection, statements that are prepared once, and
// errors as Results.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace discreet::ledger {

class Connection;

/// A prepared statement in use: bind, step, read columns; it is reset when this goes out of scope.
class Rows {
 public:
  Rows(Connection& connection, sqlite3_stmt* statement)
      : connection_(connection), statement_(statement) {}
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  ~Rows();

  Rows& bind(std::int64_t value);
  /// The bytes must outlive the Rows.
  Rows& bind_text(std::string_view text);
  Rows& bind_blob(std::string_view bytes);

  /// Whether there is a row. Fails with: kStorage, kCorrupt.
  Result<bool> step();
  /// For statements that give no rows.
  Result<void> run();

  std::int64_t number(int column) const;
  /// Valid until the next step.
  std::string_view bytes(int column) const;

 private:
  Connection& connection_;
  sqlite3_stmt* statement_;
  int bound_ = 0;
};

class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  sqlite3_stmt* get() const { return statement_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Connection {
 public:
  /// `flags` are sqlite3_open_v2's. Fails with: kStorage.
  static Result<Connection> open(const std::filesystem::path& path, int flags,
                                 const std::string& vfs, int busy_ms);
  Connection(Connection&&) noexcept = default;

  /// For locks of other connections, from here on.
  void wait_at_most(int busy_ms) { sqlite3_busy_timeout(handle_.get(), busy_ms); }
  Result<Statement> prepare(std::string_view sql);
  Rows rows(const Statement& statement) { return Rows(*this, statement.get()); }
  /// One or more statements that give no rows.
  Result<void> run(const std::string& sql);
  /// The first column of the first row, as a number; 0 when there is no row.
  Result<std::int64_t> number(std::string_view sql);
  Result<std::string> text(std::string_view sql);

  /// Writes the write-ahead log over itself, byte for byte, and syncs it. Requires: a write
  /// transaction, so that nobody else writes to it.
  Result<void> rewrite_log();

  /// Whether no transaction is open.
  bool is_idle() const { return sqlite3_get_autocommit(handle_.get()) != 0; }
  /// SQLite's own word for what went wrong, with what can be done about it.
  Error explain(int status) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  Connection(std::filesystem::path path, sqlite3* handle)
      : path_(std::move(path)), handle_(handle) {}

  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace discreet::ledger
