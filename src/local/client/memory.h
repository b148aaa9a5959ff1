// SPDX-License-Identifier: Apache-2.0
// A person's memory: the budget for life, what was spent of it, and every report ever made, so that
// asking again gives the same bytes and costs nothing. One file, for its owner's eyes only.
//
// M1  A report leaves only after the file that holds it and its price is on disk.
// M2  Spent never falls, the budget never changes: there is no function for either.
// M3  Two programs at once: a lock file; the second waits, then sees what the first wrote.
// M4  A file that is not what was written is refused, never mended and never replaced.
// M5  One file has one memory: its path is resolved once, links and all, so that every name of it
//     meets the same lock; a file with a second hard link is refused.
// M6  A forked child inherits the lock, but not the memory: it is refused and opens its own.
//
// A file that was copied or deleted cannot be told from a new one without knowing who people are:
// CAVEATS.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/files.h"
#include "base/process_mark.h"
#include "base/result.h"
#include "local/client/ledger.h"

namespace discreet::local {

class Memory {
 public:
  /// Opens the file, or makes it with this budget.
  /// Fails with: kInvalidInput when it must be made and no budget was given, or `name` cannot be a
  /// file's; kNotFound when its directory does not exist; kConflict when a
  /// budget was given that is not the file's; kRefused when the file has a second hard link;
  /// kCorrupt, kStorage.
  static Result<Memory> open(const std::filesystem::path& name,
                             std::optional<std::uint64_t> budget);

  const Ledger& ledger() const { return ledger_; }
  std::uint64_t left() const { return ledger_.budget - ledger_.spent; }

  /// Writes `next` in place of what there is, durably; after a failure the old contents count.
  /// Requires: the same budget, at least as much spent, at most the budget.
  /// Fails with: as check_process(); kStorage.
  Result<void> replace(Ledger next);

  /// Fails with: kRefused in any process but the one that opened it (M6).
  Result<void> check_process() const;

 private:
  Memory(std::filesystem::path path, OpenFile lock, Ledger ledger);
  static Result<void> write(const std::filesystem::path& path, const Ledger& ledger);

  std::filesystem::path path_;
  OpenFile lock_;
  Ledger ledger_;
  ProcessMark process_;
};

}  // namespace discreet::local
