// SPDX-License-Identifier: Apache-2.0
// Text files inside DuckDB: the table function text_rows('visits') gives the rows of the text table
// that was added under that name (engine/text/text_table.h), to several threads, part by part. It
// can read these files and no others.
#pragma once

#include <atomic>
#include <map>
#include <string>

#include "engine/duckdb/api.h"
#include "engine/text/text_table.h"

namespace discreet::engine::duckdb {

class TextTables {
 public:
  explicit TextTables(const std::atomic<bool>& stop) : stop_(stop) {}
  void add(const std::string& name, text::TextTable table) {
    tables_.insert_or_assign(name, std::move(table));
  }
  /// None: nothing of that name was added.
  const text::TextTable* find(const std::string& name) const {
    const auto found = tables_.find(name);
    return found == tables_.end() ? nullptr : &found->second;
  }
  bool stopped() const { return stop_; }

 private:
  const std::atomic<bool>& stop_;
  std::map<std::string, text::TextTable> tables_;
};

/// `tables` must outlive the connection's database. False: DuckDB refused.
bool register_text_rows(duckdb_connection connection, TextTables& tables);

}  // namespace discreet::engine::duckdb
