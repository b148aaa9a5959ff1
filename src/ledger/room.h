// SPDX-License-Identifier: Apache-2.0
// Room on the disk of a ledger: how much is free, how much a file may grow, and some room that is
// held until it is needed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/result.h"

namespace discreet::ledger {

/// Bytes that are free for us on the file system of a file. Fails with: kStorage.
Result<std::uint64_t> room_at(const std::filesystem::path& file);

/// By how many bytes a ledger may grow under this process's limit of file sizes (RLIMIT_FSIZE:
/// `ulimit -f`, LimitFSIZE of systemd): that of its file and its log together. Nothing: there is no
/// limit, or it cannot be told.
std::optional<std::uint64_t> growth_left(const std::filesystem::path& file);

/// What to make of a failure to reserve room: `error` is the operating system's. Whatever says that
/// there is none, disk, quota or limit, is kStorage and names it. That a file system cannot reserve
/// room is not a failure.
Result<void> judge_room(int error);

/// Bytes of a disk that nobody else can have: a file without a name, so that they are free again
/// when it is closed, also by a kill.
class HeldRoom {
 public:
  /// On the file system of `file`; nothing, where a file system cannot.
  /// Fails with: kStorage when there is too little: on the disk, in the user's quota, or under the
  /// process's limit.
  static Result<HeldRoom> at(const std::filesystem::path& file, std::uint64_t bytes);

  HeldRoom() = default;
  HeldRoom(HeldRoom&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  HeldRoom& operator=(HeldRoom&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~HeldRoom() { give_back(); }
  void give_back();

 private:
  int fd_ = -1;
};

}  // namespace discreet::ledger
