// SPDX-License-Identifier: Apache-2.0
// A copy of a SQLite file that is kept before it is converted.
#pragma once

#include <filesystem>
#include <string>

#include "ledger/sqlite.h"
#include "ledger/sqlite_store.h"

namespace discreet::ledger {

struct CopyPlace {
  std::filesystem::path copy;     ///< patients.ledger.format-4
  std::filesystem::path partial;  ///< until it is whole; only this ledger has that name
  bool is_free = true;            ///< nothing is at `copy`

  static CopyPlace beside(const std::filesystem::path& file, int format,
                          const std::string& ledger_id);
};

/// Something at `copy` that is not to be replaced: kConflict.
Error name_is_taken(const CopyPlace& place);

/// Whether a copy there would be read as it is: SQLite takes a log of that name for a part of it.
/// Fails with: kConflict; kStorage when the names are too long.
Result<void> check_names(const CopyPlace& place);

/// Whether the file and its directory can be written, without trying it. Fails with: kStorage, in
/// the words of a try.
Result<void> check_can_write(const Connection& connection, const SqliteOptions& options);

/// Whether the copy is whole and ends where the file of `options` does, as anybody opens it who
/// needs it one day. Fails with: kConflict; kStorage; kCorrupt.
Result<void> check_copy(const SqliteOptions& options, const CopyPlace& place);

/// Puts what is committed in the file of `options` at `place`, as one file without a log; on disk
/// and compared with the original when it returns. It is renamed when it is whole: whenever the
/// process stops, `copy` is what it was or a whole copy, and what is left under the other name is
/// removed by the next try. What is at `copy` is replaced only if the place was not free.
/// Requires: check_names(); the caller holds the write lock of the file, so that one does this at a
/// time. Fails with: kStorage; kConflict; kCorrupt when the copy is not like the original.
Result<void> copy_file(const SqliteOptions& options, const CopyPlace& place);

}  // namespace discreet::ledger
