// SPDX-License-Identifier: Apache-2.0
// Which charges living processes work on, so that another process that asks the same waits in place
// of beginning a try of its own (under_way.h: the same among threads). A lock on one byte of a file
// beside the ledger, NAME.tries, the byte whose number is the charge's record; the kernel lets go
// of it when the process ends, however it ends (but a child that was forked meanwhile keeps it if
// its parent is killed). Nothing of privacy rests on it: tries are counted
// in the history (L11). Where there is no such lock (a ledger in PostgreSQL, a file system without
// them, a file that may not be opened) nobody waits.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/process_mark.h"
#include "ledger/record.h"

namespace discreet::ledger {

class TryLock {
 public:
  /// Nothing: another one holds it.
  static std::optional<TryLock> take(const std::filesystem::path& ledger, Sequence charge);
  static bool is_held(const std::filesystem::path& ledger, Sequence charge);
  /// Whether nobody holds it at last. False after so much time.
  static bool wait_for(const std::filesystem::path& ledger, Sequence charge,
                       std::chrono::milliseconds time);

  /// One that holds nothing.
  TryLock() = default;
  TryLock(TryLock&& other) noexcept;
  TryLock& operator=(TryLock&&) = delete;
  ~TryLock() { let_go(); }
  void let_go();

 private:
  TryLock(int fd, Sequence charge);

  int fd_ = -1;
  Sequence charge_ = 0;
  ProcessMark process_;
};

}  // namespace discreet::ledger
