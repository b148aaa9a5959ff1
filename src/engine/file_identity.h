// SPDX-License-Identifier: Apache-2.0
// Which file a path leads to, and as of when: what changes when a file is replaced or written. The
// time of the last change (ctime) is the system's own: a program that writes a file can set the
// other time back, and not this one.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace discreet::engine {

struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t written_s = 0;
  std::int64_t written_ns = 0;
  std::int64_t changed_s = 0;
  std::int64_t changed_ns = 0;

  /// Fails with: kNotFound; kInvalidInput for what is not a file (a folder, a pipe).
  static Result<FileIdentity> of(const std::string& path);
  static Result<FileIdentity> of_descriptor(int descriptor);

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// That this process may read it, and that it is a file. It is not opened: closing it would drop all
/// locks that the process has on it (fcntl(2)), also DuckDB's.
/// Fails with: kNotFound; kInvalidInput for what is not a file; kStorage.
Result<void> check_readable(const std::string& path);

}  // namespace discreet::engine
