// SPDX-License-Identifier: Apache-2.0
// Room on the disk of a ledger: how much is free, and some that is held until it is needed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "base/result.h"

namespace discreet::ledger {

/// Bytes that are free for us on the file system of a file. Fails with: kStorage.
Result<std::uint64_t> room_at(const std::filesystem::path& file);

/// Bytes of a disk that nobody else can have: a file without a name, so that they are free again
/// when it is closed, also by a kill.
class HeldRoom {
 public:
  /// On the file system of `file`; nothing, where a file system cannot.
  /// Fails with: kStorage when there is too little.
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
