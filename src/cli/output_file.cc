// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "cli/world_files.h"

namespace discreet::cli {
namespace {

/// What the caller can mend is bad input; the rest is the disk's.
Error bad_place(const std::string& option, const std::string& path, int error) {
  const std::string name = option + " " + path_in_quotes(path);
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return invalid_input(name + " is in a folder that does not exist; make it, or name another" +
                           kNothingCharged);
    case EISDIR:
      return invalid_input(name + " is a folder; name a file" + kNothingCharged);
    case EACCES:
    case EPERM:
    case EROFS:
    case ENAMETOOLONG:
    case ELOOP:
    case ETXTBSY:
      return invalid_input(name + " cannot be written: " + std::strerror(error) +
                           "; name another place" + kNothingCharged);
    default:
      return Error{Code::kStorage, name + ": " + std::strerror(error) + kNothingCharged};
  }
}

/// Whether a file can be made in a folder, as an error number; 0: yes. It gets a name that nobody
/// else uses: under the file's own name another process could have written something by the time
/// that it is removed.
int try_folder(const std::filesystem::path& folder) {
  std::string name = (folder / ".discreet-XXXXXX").string();
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0) return errno;
  ::close(fd);
  ::unlink(name.c_str());
  return 0;
}

/// The same of a file that is there, and stays as it is.
int try_file(const std::string& file) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno;
  ::close(fd);
  return 0;
}

/// The same of a folder that is not there, in the nearest one that is.
int try_missing_folder(std::filesystem::path folder) {
  struct stat facts{};
  while (::stat(folder.c_str(), &facts) != 0) {
    if (errno != ENOENT) return errno;
    if (::lstat(folder.c_str(), &facts) == 0) return ENOENT;  // a link that leads nowhere
    folder = folder.parent_path();
  }
  return S_ISDIR(facts.st_mode) ? try_folder(folder) : ENOTDIR;
}

}  // namespace

bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code failed;
  return std::filesystem::equivalent(one, other, failed);
}

Result<void> check_place(const std::string& option, const Text& file) {
  if (!file) return {};
  if (file->empty()) return invalid_input(option + " must name a file" + kNothingCharged);
  struct stat facts{};
  int error = ::stat(file->c_str(), &facts) == 0 ? 0 : errno;
  if (error == ENOENT) {
    error = try_folder(resolved(*file).parent_path());
  } else if (error == 0 && S_ISDIR(facts.st_mode)) {
    error = EISDIR;
  } else if (error == 0 && S_ISREG(facts.st_mode)) {
    error = try_file(*file);  // a pipe or a terminal is left alone: it could wait for a reader
  }
  if (error != 0) return bad_place(option, *file, error);
  return {};
}

Result<void> check_folder(const std::string& option, const Text& folder) {
  if (!folder) return {};
  if (folder->empty()) return invalid_input(option + " must name a folder" + kNothingCharged);
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(*folder, failed);
  struct stat facts{};
  int error = ::stat(whole.c_str(), &facts) == 0 ? 0 : errno;
  if (error == 0 && !S_ISDIR(facts.st_mode)) {
    return invalid_input(option + " " + path_in_quotes(*folder) + " is not a folder; name another" +
                         kNothingCharged);
  }
  if (error == ENOENT) {
    error = try_missing_folder(whole);
  } else if (error == 0 && ::access(whole.c_str(), W_OK | X_OK) != 0) {
    error = errno;
  }
  if (error != 0) return bad_place(option, *folder, error);
  return {};
}

Result<void> bought(Result<void> written) {
  if (written || written.error().code != Code::kStorage) return written;
  return Error{Code::kStorage,
               written.error().message +
                   "; what was bought is stored in the ledger: run the same command again with "
                   "another place, it is free"};
}

Result<void> write_file(const std::string& path, const std::string& bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    return Error{Code::kStorage, "the file " + path_in_quotes(path) + ": " + std::strerror(errno)};
  }
  const Result<void> written = write_all(fd, bytes);
  if (close(fd) != 0 || !written) {
    return Error{Code::kStorage, "the file " + path_in_quotes(path) + " could not be written"};
  }
  return {};
}

}  // namespace discreet::cli
