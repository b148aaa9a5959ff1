// SPDX-License-Identifier: Apache-2.0
// Files whose every result is checked and that are on disk when a call says so. Errors are kStorage
// and name the file and the operating system's reason.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace discreet {

/// A path in quotes, with control characters replaced and never shortened (in_quotes() does that):
/// a message that names a file is there to be acted on. For the owner's eyes.
std::string path_in_quotes(const std::filesystem::path& path);

/// An open file; closes itself.
class OpenFile {
 public:
  /// `flags` and `mode` are those of open(2). Fails with: kNotFound when the file or its directory
  /// does not exist; kConflict when it must be new and is not; kStorage.
  static Result<OpenFile> open(const std::filesystem::path& path, int flags, unsigned mode = 0600);

  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();

  Result<std::uint64_t> size() const;
  /// The permission bits; fails unless it is a regular file.
  Result<unsigned> permissions() const;
  /// Up to `size` bytes; fewer only at the end of the file.
  Result<std::string> read_at(std::uint64_t offset, std::size_t size) const;
  Result<void> write_at(std::uint64_t offset, std::string_view bytes) const;
  Result<void> resize(std::uint64_t size) const;
  /// Contents and size are on disk when it returns. After a failure the file's state on disk is
  /// unknown, and a second try that succeeds proves nothing.
  Result<void> sync() const;
  using Most = std::optional<std::chrono::milliseconds>;
  /// Waits until no other open file holds the lock; held until this one is closed (flock). With a
  /// time it waits no longer than that: kStorage then.
  Result<void> lock(const Most& most = {}) const;
  /// The same beside other readers.
  Result<void> lock_shared(const Most& most = {}) const;

 private:
  OpenFile(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  Result<void> take_lock(int kind, const Most& most) const;
  Error failed(std::string_view what) const;

  std::filesystem::path path_;
  int fd_;
};

/// Makes the names in the directory that holds `file` durable: a new file's name is not on disk
/// before.
Result<void> sync_directory_of(const std::filesystem::path& file);

/// The device that a file is on, as a number to compare (stat's st_dev). Links are followed.
/// Fails with: kNotFound; kStorage.
Result<std::uint64_t> device_of(const std::filesystem::path& file);

/// Creates what is missing of the path to a directory, for the owner's eyes only, durably.
Result<void> make_directories(const std::filesystem::path& directory);

}  // namespace discreet
