// SPDX-License-Identifier: Apache-2.0
#include "ledger/room.h"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/files.h"

namespace discreet::ledger {

Result<std::uint64_t> room_at(const std::filesystem::path& file) {
  struct statvfs facts{};
  if (statvfs(file.c_str(), &facts) != 0) {
    return Error{Code::kStorage,
                 path_in_quotes(file) + ": cannot look at its disk: " + std::strerror(errno)};
  }
  return std::uint64_t{facts.f_bavail} * facts.f_frsize;
}

Result<HeldRoom> HeldRoom::at(const std::filesystem::path& file, std::uint64_t bytes) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(file, error);
  HeldRoom held;
  if (error) return held;
  held.fd_ = ::open(real.parent_path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (held.fd_ < 0) return held;
  if (fallocate(held.fd_, 0, 0, static_cast<off_t>(bytes)) != 0 && errno == ENOSPC) {
    return Error{Code::kStorage,
                 "the disk of the ledger is full; nothing was drawn. Make room, and ask again"};
  }
  return held;
}

void HeldRoom::give_back() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace discreet::ledger
