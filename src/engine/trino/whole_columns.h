// SPDX-License-Identifier: Apache-2.0
// Columns that were read to their end, without a filter, before a question reads them with one.
//
// A file may hold what its connector cannot convert to the column's type: INT64 in the file,
// `integer` in the table. Then a statement fails in the page that has the value, and only if a row
// of that page passes its filter: whether it fails would tell on whoever passes. So every column
// of a question is read whole, of all rows, before it and for the files as they are after it. If
// that fails, everybody's questions about the table fail, in the same words, whatever they filter.
//
// What was read is known until the table's files are others: their paths, times and sizes are
// asked for before and after each question, which reads none of their columns.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/trino/client.h"
#include "engine/trino/inspection.h"

namespace discreet::engine::trino {

/// Tables of a cluster, and columns of theirs.
using Reads = std::map<TableName, std::set<std::string>>;

/// The names alone.
std::vector<TableName> tables_of(const Reads& reads);

class WholeColumns {
 public:
  /// As what each table is stored.
  explicit WholeColumns(std::map<TableName, Stored> stored) : stored_(std::move(stored)) {}

  /// Looks at the files that these tables have now, and reads of these columns those that were not
  /// read of them yet.
  /// Fails with: kEngine: a column cannot be read to its end, or the cluster did not answer;
  /// kUnsupported as inspect(), or the table is stored otherwise than when it was opened;
  /// kInterrupted. Whether it fails depends on tables and columns, not on a filter.
  Result<void> pass(Client& client, const Reads& reads, const OwnerLog& log);

  /// That these are stored as they were when they were opened. Fails with: kEngine.
  Result<void> check_same(const std::map<TableName, Stored>& now) const;

 private:
  struct Known {
    std::string files;              ///< which they were
    std::set<std::string> columns;  ///< that could be read to their end
  };
  /// Tables that need to be read.
  Reads of_files(const Reads& reads) const;
  Result<void> read(Client& client, const TableName& name, const std::set<std::string>& columns,
                    const OwnerLog& log);

  std::map<TableName, Stored> stored_;
  std::map<TableName, Known> known_;
};

/// As what each of these tables is stored, and that nothing is run on its rows.
/// Fails with: as inspect(); kEngine.
Result<std::map<TableName, Stored>> look_at_storage(Client& client, const Reads& reads,
                                                    const OwnerLog& log);

}  // namespace discreet::engine::trino
