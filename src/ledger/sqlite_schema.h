// SPDX-License-Identifier: Apache-2.0
// The schema of the SQLite store, as steps from each format to the next.
#pragma once

#include "ledger/sqlite.h"
#include "ledger/sqlite_store.h"

namespace discreet::ledger {

/// Opens the file of a store, ready for transactions.
Result<Connection> open_with_schema(const SqliteOptions& options);

/// The file alone, for reading: whatever is beside it is not read, and nothing is put there.
/// Requires: nobody writes to it.
Result<Connection> open_alone(const SqliteOptions& options);

/// The file that a link leads to: that is where SQLite keeps the log.
std::filesystem::path behind_links(const std::filesystem::path& path);

/// Whether its pages fit together and it has the tables of its format. Fails with: kCorrupt.
Result<void> check_file(Connection& connection, const SqliteOptions& options);

/// As the open transaction sees it.
Result<int> format_of(Connection& connection);
/// To this program's format, within the open transaction.
Result<void> convert_schema(Connection& connection);

}  // namespace discreet::ledger
