// SPDX-License-Identifier: Apache-2.0
// Where a ledger is kept, as people write it: a file (SQLite), or postgres://user@host/database.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "ledger/sqlite_store.h"

namespace discreet::ledger {

/// Whether a place is a database of PostgreSQL's, and not a file.
bool is_postgres(const std::filesystem::path& place);

/// As it may be shown: without a password.
std::string shown(const std::filesystem::path& place);

/// As open_sqlite_store() and open_postgres_store(); `path` is the place.
Result<std::unique_ptr<Store>> open_store(const SqliteOptions& options);

/// Removes what is left of a store that was just created and came to nothing, where it would be in
/// the way: tables without records are not.
void remove_new_store(const std::filesystem::path& place);

}  // namespace discreet::ledger
