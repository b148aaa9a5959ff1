// SPDX-License-Identifier: Apache-2.0
// A copy of a SQLite file that is kept before it is converted.
#pragma once

#include <filesystem>
#include <string>

#include "ledger/sqlite_store.h"

namespace discreet::ledger {

/// Puts what is committed in the file of `options` at `copy`, in the place of what is there, as one
/// file without a log; on disk when it returns. It is made under a name that only this ledger has,
/// `copy`.ID.partial, and renamed when it is whole: whenever the process stops, `copy` is what it
/// was or a whole copy, and what is left under the other name is removed by the next try.
/// Requires: the caller holds the write lock of the file, so that one does this at a time.
/// Fails with: kStorage.
Result<void> copy_file(const SqliteOptions& options, const std::filesystem::path& copy,
                       const std::string& ledger_id);

}  // namespace discreet::ledger
