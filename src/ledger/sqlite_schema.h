// SPDX-License-Identifier: Apache-2.0
// The schema of the SQLite store, as steps from each format to the next.
#pragma once

#include "ledger/sqlite.h"
#include "ledger/sqlite_store.h"

namespace discreet::ledger {

/// Opens the file of a store, ready for transactions.
Result<Connection> open_with_schema(const SqliteOptions& options);

/// As the open transaction sees it.
Result<int> format_of(Connection& connection);
/// To this program's format, within the open transaction.
Result<void> convert_schema(Connection& connection);

}  // namespace discreet::ledger
