// SPDX-License-Identifier: Apache-2.0
// libpq as little as the store needs of it: one session, statements that are prepared once, values
// as bytes, errors as Results. What the server says may be shown: a ledger holds no data.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace discreet::ledger {

/// The values of a statement, in the server's binary form.
class PgValues {
 public:
  PgValues() = default;
  /// With room for so many values and so many bytes of them.
  PgValues(std::size_t values, std::size_t bytes) {
    lengths_.reserve(values);
    bytes_.reserve(bytes);
  }

  PgValues& add(std::int64_t value);
  PgValues& add(std::string_view bytes);

  int size() const { return static_cast<int>(lengths_.size()); }
  std::vector<const char*> pointers() const;
  const std::vector<int>& lengths() const { return lengths_; }

 private:
  /// Of a value: what was put since the last.
  PgValues& end();

  std::string bytes_;  // of all values, one behind the other
  std::size_t ended_ = 0;
  std::vector<int> lengths_;
};

/// A result that is here as a whole.
class PgRows {
 public:
  explicit PgRows(PGresult* result) : result_(result) {}
  int size() const { return PQntuples(result_.get()); }
  PgRows& at(int row) {
    row_ = row;
    return *this;
  }
  std::int64_t number(int column) const;
  std::string_view bytes(int column) const;
  /// Whether it is no rows, but the end of statements that were sent together.
  bool is_sync() const { return PQresultStatus(result_.get()) == PGRES_PIPELINE_SYNC; }
  /// What the server did: "COMMIT", "ROLLBACK", "INSERT 0 1".
  std::string_view tag() const { return PQcmdStatus(result_.get()); }

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
  int row_ = 0;
};

class PgSession {
 public:
  /// `url`: postgres://user@host:port/database, as libpq reads it, on a line as PgLine has it.
  /// Fails with: kStorage.
  static Result<PgSession> open(const std::string& url);

  /// One statement or several, as text; the last result.
  Result<PgRows> run(const std::string& sql);
  Result<void> prepare(const char* name, const std::string& sql);
  Result<PgRows> run(const char* prepared, const PgValues& values);
  /// Sends prepared statements all at once and waits once; the result of each. When one fails the
  /// following are not carried out.
  using Batch = std::vector<std::pair<const char*, PgValues>>;
  Result<std::vector<PgRows>> run_together(const Batch& batch);
  /// The same as one transaction, which the server commits behind the last of them. Nothing: it
  /// refused one of them, so that for certain none is done. `meanwhile` is called while it works.
  /// Requires: no transaction is open.
  Result<std::optional<std::vector<PgRows>>> commit_together(
      const Batch& batch, const std::function<void()>& meanwhile = {});

  bool is_open() const { return PQstatus(session_.get()) == CONNECTION_OK; }
  bool is_idle() const { return PQtransactionStatus(session_.get()) == PQTRANS_IDLE; }
  /// Whether the server has said nothing unasked: its last words before it goes away come so.
  bool is_silent() const;

 private:
  struct Finish {
    void operator()(PGconn* session) const { PQfinish(session); }
  };
  explicit PgSession(PGconn* session) : session_(session) {}
  Result<PgRows> checked(PGresult* result) const;
  struct Together {
    std::vector<PgRows> rows;
    std::optional<Error> failed;  ///< of the first that failed
    bool is_synced = false;       ///< the server has said that it is through
  };
  bool send(const char* prepared, const PgValues& values);
  void receive(Together& out);
  Together send_together(const Batch& batch, const std::function<void()>& meanwhile = {});
  Error failure(const PGresult* result) const;
  Error gone() const;

  std::unique_ptr<PGconn, Finish> session_;
};

}  // namespace discreet::ledger
