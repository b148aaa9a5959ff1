// SPDX-License-Identifier: Apache-2.0
// Whether the columns that a question reads of files can be read at all. DuckDB fails on a page of
// Parquet or a block of its own files that is damaged, on a text of Parquet that is not UTF-8, and
// on a timestamp that it cannot hold, when it comes to that row: which filters and joins decide. A
// question that fails would tell that somebody's row was looked at, and a few questions all about
// it. So columns are read whole before, without a filter, once: whether a question fails is then a
// function of the files and of which columns it names (E1). Lines of text are read by our own
// reader, which has a row for every line (engine/text).
#pragma once

#include <set>
#include <string>
#include <utility>

#include "engine/duckdb/connection.h"
#include "engine/lowering/dialect.h"
#include "plan/checker.h"

namespace discreet::engine::duckdb {

/// The tables that a question reads, by their names in the policy.
std::set<std::string> tables_read_by(const plan::Checked& checked);

class ReadableColumns {
 public:
  /// Reads what was not read before; files stay as they are (opened_files.h).
  /// Fails with: kEngine, naming the table; kInterrupted.
  Result<void> check(Connection& connection, const plan::Checked& checked,
                     const lowering::Schemas& schemas, const OwnerLog& log);

 private:
  std::set<std::pair<std::string, std::string>> read_;  // table and column
};

}  // namespace discreet::engine::duckdb
