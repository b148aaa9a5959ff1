// SPDX-License-Identifier: Apache-2.0
#include "ledger/try_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <thread>

#include "ledger/sqlite_schema.h"
#include "ledger/store_place.h"

namespace discreet::ledger {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kStep{20};

struct flock byte_of(Sequence charge, short kind) {
  struct flock lock{};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(charge);
  lock.l_len = 1;
  return lock;
}

/// -1: there is none. A new one belongs to whom the ledger does, as SQLite's files beside it.
int open_file(const std::filesystem::path& ledger, bool makes) {
  if (is_postgres(ledger)) return -1;
  const std::string name = behind_links(ledger).string() + ".tries";
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  int fd = ::open(name.c_str(), kFlags);
  if (fd >= 0 || errno != ENOENT || !makes) return fd;
  struct stat facts{};
  if (::stat(ledger.c_str(), &facts) != 0) return -1;
  fd = ::open(name.c_str(), kFlags | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return errno == EEXIST ? ::open(name.c_str(), kFlags) : -1;
  // Should one of these fail, somebody else does not wait.
  (void)::fchmod(fd, facts.st_mode & 0666);
  if (geteuid() == 0 && ::fchown(fd, facts.st_uid, facts.st_gid) != 0) return fd;
  return fd;
}

bool is_held(int fd, Sequence charge) {
  struct flock lock = byte_of(charge, F_WRLCK);
  return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool has_byte(Sequence charge) {
  return charge < static_cast<Sequence>(std::numeric_limits<off_t>::max());
}

}  // namespace

TryLock::TryLock(int fd, Sequence charge) : fd_(fd), charge_(charge) {}

TryLock::TryLock(TryLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), charge_(other.charge_), process_(other.process_) {}

void TryLock::let_go() {
  if (fd_ < 0) return;
  // A forked child has it too, and closing alone would leave it to the child; and the child must
  // not let go of its parent's.
  struct flock lock = byte_of(charge_, F_UNLCK);
  if (process_.is_here()) (void)fcntl(fd_, F_OFD_SETLK, &lock);
  ::close(std::exchange(fd_, -1));
}

std::optional<TryLock> TryLock::take(const std::filesystem::path& ledger, Sequence charge) {
  if (!has_byte(charge)) return TryLock();
  const int fd = open_file(ledger, true);
  if (fd < 0) return TryLock();
  struct flock lock = byte_of(charge, F_WRLCK);
  if (fcntl(fd, F_OFD_SETLK, &lock) == 0) return TryLock(fd, charge);
  const bool is_held = errno == EAGAIN || errno == EACCES;
  ::close(fd);
  if (is_held) return std::nullopt;
  return TryLock();
}

bool TryLock::is_held(const std::filesystem::path& ledger, Sequence charge) {
  return !wait_for(ledger, charge, milliseconds(0));
}

bool TryLock::wait_for(const std::filesystem::path& ledger, Sequence charge, milliseconds time) {
  const int fd = has_byte(charge) ? open_file(ledger, false) : -1;
  if (fd < 0) return true;
  const auto end = steady_clock::now() + time;
  bool is_free = false;
  while (!(is_free = !ledger::is_held(fd, charge)) && steady_clock::now() < end) {
    std::this_thread::sleep_for(kStep);
  }
  ::close(fd);
  return is_free;
}

}  // namespace discreet::ledger
