// SPDX-License-Identifier: Apache-2.0
// The schema of the SQLite store, as steps from each version to the next.
#pragma once

#include "ledger/sqlite.h"
#include "ledger/sqlite_store.h"

namespace discreet::ledger {

/// Opens the file of a store, of this version when it is to be written, ready for transactions.
Result<Connection> open_with_schema(const SqliteOptions& options);

}  // namespace discreet::ledger
