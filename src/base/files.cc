// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace discreet {
namespace {

Error failure(const std::filesystem::path& path, std::string_view what, int reason) {
  Code code = Code::kStorage;
  if (reason == ENOENT || reason == ENOTDIR) code = Code::kNotFound;
  if (reason == EEXIST) code = Code::kConflict;
  return {code, path_in_quotes(path) + ": " + std::string(what) + ": " + std::strerror(reason)};
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

}  // namespace

std::string path_in_quotes(const std::filesystem::path& path) {
  std::string text = path.string();
  std::ranges::replace_if(
      text, [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; }, '?');
  return "'" + text + "'";
}

Result<OpenFile> OpenFile::open(const std::filesystem::path& path, int flags, unsigned mode) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return failure(path, "cannot open it", errno);
  return OpenFile(path, fd);
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

OpenFile::~OpenFile() {
  if (fd_ >= 0) ::close(fd_);  // what had to be on disk was synced; a late error changes nothing
}

Error OpenFile::failed(std::string_view what) const {
  Error error = failure(path_, what, errno);
  error.code = Code::kStorage;
  return error;
}

Result<std::uint64_t> OpenFile::size() const {
  struct stat facts{};
  if (fstat(fd_, &facts) != 0) return failed("cannot look at it");
  return static_cast<std::uint64_t>(facts.st_size);
}

Result<unsigned> OpenFile::permissions() const {
  struct stat facts{};
  if (fstat(fd_, &facts) != 0) return failed("cannot look at it");
  if (!S_ISREG(facts.st_mode)) {
    return Error{Code::kStorage, path_in_quotes(path_) + ": not a regular file"};
  }
  return facts.st_mode & 07777U;
}

Result<std::string> OpenFile::read_at(std::uint64_t offset, std::size_t size) const {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(fd_, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("cannot read it");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

Result<void> OpenFile::write_at(std::uint64_t offset, std::string_view bytes) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put =
        pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed("cannot write it");
    done += static_cast<std::size_t>(put);
  }
  return {};
}

Result<void> OpenFile::resize(std::uint64_t size) const {
  if (ftruncate(fd_, static_cast<off_t>(size)) != 0) return failed("cannot change its size");
  return {};
}

Result<void> OpenFile::sync() const {
  // No retry, not even after EINTR: the kernel may report a lost write only once. Size changes that
  // are needed to read the data back are covered by fdatasync.
  if (fdatasync(fd_) != 0) return failed("cannot sync it to disk");
  return {};
}

Result<void> OpenFile::lock(const Most& most) const { return take_lock(LOCK_EX, most); }

Result<void> OpenFile::lock_shared(const Most& most) const { return take_lock(LOCK_SH, most); }

Result<void> OpenFile::take_lock(int kind, const Most& most) const {
  using std::chrono::steady_clock;
  // The kernel has no such wait with an end, so it is asked again and again.
  constexpr std::chrono::microseconds kPauseMax{5'000};
  std::chrono::microseconds pause{50};
  const auto end = steady_clock::now() + most.value_or(std::chrono::milliseconds(0));
  while (flock(fd_, most ? kind | LOCK_NB : kind) != 0) {
    if (errno == EINTR) continue;
    if (!most || errno != EWOULDBLOCK) return failed("cannot lock it");
    if (steady_clock::now() >= end) {
      return Error{Code::kStorage, path_in_quotes(path_) + ": another process holds its lock"};
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kPauseMax);
  }
  return {};
}

Result<void> sync_directory_of(const std::filesystem::path& file) {
  const std::filesystem::path directory = directory_of(file);
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failure(directory, "cannot open the directory", errno);
  const int status = fsync(fd);
  const int reason = errno;
  ::close(fd);
  if (status != 0) return failure(directory, "cannot sync the directory to disk", reason);
  return {};
}

Result<std::uint64_t> device_of(const std::filesystem::path& file) {
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0) return failure(file, "cannot be looked at", errno);
  return std::uint64_t{facts.st_dev};
}

Result<void> make_directories(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> missing;
  std::filesystem::path step = directory.lexically_normal();
  if (!step.has_filename()) step = step.parent_path();
  for (std::error_code ignored; !step.empty() && !std::filesystem::exists(step, ignored);) {
    missing.push_back(step);
    step = step.parent_path();
  }
  for (auto next = missing.rbegin(); next != missing.rend(); ++next) {
    if (mkdir(next->c_str(), 0700) != 0 && errno != EEXIST) {
      return failure(*next, "cannot create the directory", errno);
    }
    DISCREET_TRY(sync_directory_of(*next));
  }
  return {};
}

}  // namespace discreet
