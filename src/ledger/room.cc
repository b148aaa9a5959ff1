// SPDX-License-Identifier: Apache-2.0
#include "ledger/room.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/files.h"
#include "ledger/sqlite_schema.h"

namespace discreet::ledger {

Result<std::uint64_t> room_at(const std::filesystem::path& file) {
  struct statvfs facts{};
  if (statvfs(file.c_str(), &facts) != 0) {
    return Error{Code::kStorage,
                 path_in_quotes(file) + ": cannot look at its disk: " + std::strerror(errno)};
  }
  return std::uint64_t{facts.f_bavail} * facts.f_frsize;
}

std::optional<std::uint64_t> growth_left(const std::filesystem::path& file) {
  struct rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const std::string name = behind_links(file).string();
  std::uint64_t used = 0;
  for (const char* const tail : {"", "-wal"}) {
    struct stat facts{};
    if (stat((name + tail).c_str(), &facts) == 0) used += static_cast<std::uint64_t>(facts.st_size);
  }
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

Result<void> judge_room(int error) {
  if (error == ENOSPC) {
    return Error{Code::kStorage, "the disk of the ledger is full; make room, and ask again"};
  }
  if (error == EDQUOT) {
    return Error{Code::kStorage,
                 "the disk quota of the user who runs this program is used up where the ledger is; "
                 "make room or raise it, and ask again"};
  }
  if (error == EFBIG) {
    return Error{Code::kStorage,
                 "this process may not write files as large as the ledger needs; raise its limit "
                 "of file sizes (`ulimit -f`, LimitFSIZE of a systemd service), and ask again"};
  }
  return {};
}

Result<HeldRoom> HeldRoom::at(const std::filesystem::path& file, std::uint64_t bytes) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(file, error);
  HeldRoom held;
  if (error) return held;
  held.fd_ = ::open(real.parent_path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  int failed = held.fd_ < 0 ? errno : 0;
  if (held.fd_ >= 0) {
    do {
      failed = fallocate(held.fd_, 0, 0, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
    } while (failed == EINTR);
  }
  DISCREET_TRY(judge_room(failed));
  return held;
}

void HeldRoom::give_back() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace discreet::ledger
