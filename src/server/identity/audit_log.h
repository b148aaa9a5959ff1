// SPDX-License-Identifier: Apache-2.0
// Who did what at the server and when: one JSON line each, appended, on disk when append() returns.
// Every line has the hash of the one before it, so that a line that was changed or taken out shows.
// It holds names and ids, never a question's text or a value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"

namespace discreet::server::identity {

struct Event {
  std::string who;   ///< an account, or "-"
  std::string what;  ///< "login", "login-refused", "query", ...
  std::string about = {};
};

class AuditLog {
 public:
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;
  ~AuditLog();

  /// Reads and checks what is there; a line that was being written when the process stopped is cut.
  /// Fails with: kCorrupt, naming the line; kConflict when another server has it; kStorage.
  static Result<std::unique_ptr<AuditLog>> open(const std::filesystem::path& file,
                                                Clock clock = system_time_ms);
  /// Fails with: kStorage.
  Result<void> append(const Event& event);
  /// The last `most` lines, the oldest first.
  Result<std::vector<std::string>> last(std::size_t most) const;
  std::uint64_t size() const;

 private:
  explicit AuditLog(int lock) : lock_(lock) {}
  Result<void> check();

  const int lock_;  // held (flock) as long as this lives
  std::optional<OpenFile> file_;
  Clock clock_;
  mutable std::mutex mutex_;
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
  std::string hash_;  // of the last line, in hexadecimal
};

}  // namespace discreet::server::identity
