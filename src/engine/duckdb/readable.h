// SPDX-License-Identifier: Apache-2.0
// Whether the columns that a question reads of files can be read at all. DuckDB fails on a
// text of Parquet that is no UTF-8, and on a timestamp that it cannot hold, when it comes to that
// row: which filters and joins decide. A question that fails would tell that somebody's row was
// looked at, and a few questions all about it. So such columns are read whole before, without a
// filter: whether a question fails is then a function of the files and of which columns it names
// (E1).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "engine/duckdb/connection.h"
#include "engine/lowering/dialect.h"
#include "plan/checker.h"

namespace discreet::engine::duckdb {

class ReadableColumns {
 public:
  /// Reads what was not read before, or whose file has changed since.
  /// Fails with: kEngine, naming the table; kInterrupted.
  Result<void> check(Connection& connection, const plan::Checked& checked,
                     const lowering::Schemas& schemas, const OwnerLog& log);

 private:
  struct Stamp {
    std::filesystem::file_time_type written;
    std::uintmax_t size = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  std::map<std::pair<std::string, std::string>, Stamp> read_;  // table and column
};

}  // namespace discreet::engine::duckdb
