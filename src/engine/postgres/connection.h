// SPDX-License-Identifier: Apache-2.0
// A connection to a PostgreSQL server that only reads: every statement runs in a transaction that
// is read only, on one snapshot, with a time limit, and finds no name but those of PostgreSQL's own
// catalog and the tables that are written with their schema. Nothing is installed in the server.
//
// All settings are a transaction's own and are read back in it. A session is nobody's: a pooler may
// give another one to each transaction, which somebody else has used before.
//
// The server's own words may hold rows of the data. They go to the owner's log; errors that are
// returned are constant texts (S21).
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/lowering/sql.h"
#include "engine/postgres/api.h"
#include "engine/postgres/private_tables.h"

namespace discreet::engine::postgres {

/// A row of a small result: texts, NULL as nothing.
using TextRow = std::vector<std::optional<std::string>>;

/// A row of a binary COPY: fields, each with its length before it.
using CopyRow = std::string_view;

class Connection {
 public:
  /// `url`: postgres://user@host:port/database, as libpq reads it, on a line as ledger::PgLine has
  /// it; a password comes from there, from PGPASSWORD or from ~/.pgpass.
  /// Fails with: kEngine: it cannot be reached, it wants another password, its encoding is not
  /// UTF8, it is older than 13.
  static Result<std::unique_ptr<Connection>> open(const std::string& url, const OwnerLog& log);

  /// BEGIN ... REPEATABLE READ, READ ONLY, and all settings. The snapshot is that of the first
  /// query() or copy() that reads. Reconnects if the server has closed the connection since.
  /// Fails with: kEngine: also where a setting is not what it was set to; kInterrupted.
  Result<void> begin(const OwnerLog& log);
  /// Nothing was written: it is rolled back. Also after a failure; cannot fail.
  void end();
  /// Another session, in a transaction on this one's snapshot, for a second statement at the same
  /// time. It is this connection's: made when first asked for, it ends, stops and resumes with it.
  /// A statement of it that has to wait for a lock fails after a second: whoever changes a table
  /// waits for this transaction, and would make it wait for itself. Fails with: kEngine,
  /// kInterrupted; then this one's transaction can be used as before.
  Result<Connection*> beside();

  /// One statement whose result is small. Here and in copy(): outside of a transaction it fails.
  Result<std::vector<TextRow>> query(const std::string& sql, const OwnerLog& log);
  /// COPY (sql) TO STDOUT, binary: hands rows over, up to `batch` at a time, as they come. Fewer
  /// where these are 16 MiB and the last of them.
  Result<void> copy(const std::string& sql, std::size_t batch, const OwnerLog& log,
                    const std::function<void(std::span<const CopyRow>)>& take);
  /// The same, joining by hash tables where that tells of nobody.
  Result<void> copy(const lowering::Select& statement, std::size_t batch, const OwnerLog& log,
                    const std::function<void(std::span<const CopyRow>)>& take);
  void set_private_tables(PrivateTables tables) { private_tables_ = std::move(tables); }

  /// Makes what runs, and what is asked until resume(), fail with kInterrupted. From any thread.
  void interrupt();
  void resume();
  const std::atomic<bool>& stopped() const { return stop_; }

 private:
  Connection() = default;
  Result<void> connect(const OwnerLog& log);
  /// Statements, and the rows of all of them.
  Result<std::vector<TextRow>> send(const std::string& sql, const OwnerLog& log);
  bool in_transaction(const OwnerLog& log) const;
  Error failed(const OwnerLog& log) const;
  /// The rows of a COPY that has begun. False where it has to be given up: somebody wants to stop,
  /// or libpq has no memory for a row or no connection.
  bool receive(const std::function<void(CopyMemory, CopyRow)>& take);
  /// Without the session: the next begin() makes another.
  void drop();

  std::string url_;
  std::string time_limit_;  // of a statement, as the server shows it
  std::atomic<bool> stop_{false};
  std::mutex cancel_mutex_;
  Connected session_;
  Canceller canceller_;
  PrivateTables private_tables_;
  bool hash_joins_ = false;             // as this transaction has them set
  std::unique_ptr<Connection> beside_;  // made and taken away under cancel_mutex_
};

/// Ends the transaction whatever happens in it.
class Transaction {
 public:
  explicit Transaction(Connection& connection) : connection_(connection) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() { connection_.end(); }

 private:
  Connection& connection_;
};

/// What every question says that failed on its way, whatever the reason: a dead server, a time
/// limit, a lost line, a changed right.
Error engine_failed();

}  // namespace discreet::engine::postgres
