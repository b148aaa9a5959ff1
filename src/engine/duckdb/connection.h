// SPDX-License-Identifier: Apache-2.0
// A DuckDB that can read what it was told at its opening and nothing else: an empty database in
// memory, then set-up by our own statements, then lock(): no file, no network, no extension, no
// setting can be reached or changed any more, by whatever SQL (S10, S11).
//
// DuckDB's own words may hold rows of the data. They go to the owner's log; errors that are
// returned are constant texts (S21).
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/duckdb/api.h"
#include "engine/duckdb/functions.h"
#include "engine/duckdb/limits.h"
#include "engine/duckdb/opened_files.h"
#include "engine/duckdb/text_rows.h"
#include "engine/engine.h"

namespace discreet::engine::duckdb {

class Connection {
 public:
  /// `threads` 0: as many as the machine has. `secret`, of keyed.h: a fresh one, but where tests
  /// compare what two databases do.
  static Result<std::unique_ptr<Connection>> open(std::size_t threads, const OwnerLog& log,
                                                  Limits limits = {},
                                                  const std::optional<Secret>& secret = {});

  /// Only files of `paths` can be read from now on, and no setting can be changed.
  Result<void> lock(const std::vector<std::string>& paths, const OwnerLog& log);

  /// Runs one statement and hands each chunk of its result to `take`.
  /// Fails with: kEngine, kInterrupted; constant texts.
  Result<void> query(const std::string& sql, const OwnerLog& log,
                     const std::function<void(const Chunk&)>& take = {});

  /// The types of a statement's columns; nothing is run.
  /// Fails with: kEngine, kInterrupted; constant texts.
  Result<std::vector<LogicalType>> types_of(const std::string& sql, const OwnerLog& log);

  /// Makes the running query, and those until resume(), fail with kInterrupted. May be called from
  /// any thread.
  void interrupt();
  void resume() { stop_ = false; }
  const std::atomic<bool>& stopped() const { return stop_; }

  std::size_t threads() const { return threads_; }
  const Limits& limits() const { return limits_; }
  KeepTarget& target() { return target_; }
  TextTables& text_tables() { return text_tables_; }
  OpenedFiles& files() { return files_; }

 private:
  Connection() = default;
  Result<void> failed(const char* words, const OwnerLog& log) const;

  std::size_t threads_ = 1;
  std::atomic<bool> stop_{false};
  KeepTarget target_;
  Secret secret_;  // of keyed.h
  TextTables text_tables_{stop_};
  OpenedFiles files_;
  Limits limits_;
  TemporaryFolder temporary_;  // outlives the database
  OpenDatabase database_;
  Session session_;
};

/// What every failed question says.
Error engine_failed();

}  // namespace discreet::engine::duckdb
