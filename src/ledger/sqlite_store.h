// SPDX-License-Identifier: Apache-2.0
// A store in one SQLite file: write-ahead log, synchronous=FULL, so a commit is one sync of the
// log.
//
//   records    the history, one row for each record, columns as in ledger/record.h
//   answers    the bytes of the answer to a charge
//
// Both are found by sequence alone (ledger/index.h has the rest), so there is no further index.
//
// The header of the file holds an application id and the ledger's format (record.h). A file of an
// older format can be read; it is written only by an upgrade, which converts it, and by a repair of
// its witness or its clock, which leaves the format as it is. A newer format is refused.
//
// S4 and old logs: a sync that failed may have left frames in the page cache, marked clean, that
// are not on disk. A new process would take them for committed, and a power cut would then tear
// them out from under what it added or copied into the main file. So opening for writing first
// writes the log over itself and syncs that, then copies it into the main file and empties it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/store.h"

namespace discreet::ledger {

enum class StoreMode {
  kCreate,
  kWrite,      ///< this program's format only
  kAnyFormat,  ///< writes an older format too, as it is: for upgrades and repairs
  kRead,
};

struct SqliteOptions {
  std::filesystem::path path = {};
  StoreMode mode = StoreMode::kWrite;
  std::string vfs = {};  ///< empty: SQLite's own
  int busy_ms = 60'000;
};

/// Fails with: kConflict (kCreate: exists); kNotFound; kStorage; kCorrupt; kUnsupported (a newer
/// format; kWrite: an older one).
Result<std::unique_ptr<Store>> open_sqlite_store(const SqliteOptions& options);

/// Removes the files of a store that was just created and came to nothing: what is left of it would
/// be in the way of the next try.
void remove_store(const std::filesystem::path& path);

}  // namespace discreet::ledger
