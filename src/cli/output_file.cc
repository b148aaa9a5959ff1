// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "cli/asking.h"

namespace discreet::cli {
namespace {

constexpr const char* kNothingCharged = "; nothing was charged";

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

/// The name of an open file, links followed.
std::filesystem::path name_of(int fd) {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), failed);
}

}  // namespace

bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code failed;
  return std::filesystem::equivalent(one, other, failed);
}

Result<void> check_place(const std::string& option, const Text& file) {
  if (!file) return {};
  if (file->empty()) return invalid_input(option + " must name a file" + kNothingCharged);
  std::error_code failed;
  const bool there = std::filesystem::exists(*file, failed);
  // A pipe or a terminal is left alone: opening it could wait for a reader.
  if (there && !std::filesystem::is_regular_file(*file, failed) &&
      !std::filesystem::is_directory(*file, failed)) {
    return {};
  }
  const int fd = ::open(file->c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd < 0) return bad_place(option, *file, errno);
  // A link to a file that is not there yet stays a link.
  const std::filesystem::path made = there ? std::filesystem::path() : name_of(fd);
  ::close(fd);
  if (!made.empty()) std::filesystem::remove(made, failed);
  return {};
}

Result<void> check_folder(const std::string& option, const Text& folder) {
  if (!folder) return {};
  if (folder->empty()) return invalid_input(option + " must name a folder" + kNothingCharged);
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(*folder, failed);
  std::filesystem::path at;
  std::vector<std::filesystem::path> made;  // and taken away again
  int error = 0;
  for (const std::filesystem::path& part : whole) {
    at /= part;
    if (::mkdir(at.c_str(), 0777) == 0) {
      made.push_back(at);
    } else if (errno != EEXIST && !std::filesystem::is_directory(at, failed)) {
      error = errno;
      break;
    }
  }
  const bool is_folder = std::filesystem::is_directory(whole, failed);
  if (error == 0 && is_folder && ::access(whole.c_str(), W_OK | X_OK) != 0) error = errno;
  for (auto each = made.rbegin(); each != made.rend(); ++each) ::rmdir(each->c_str());
  if (error != 0) return bad_place(option, *folder, error);
  if (is_folder) return {};
  return invalid_input(option + " " + path_in_quotes(*folder) + " is not a folder; name another" +
                       kNothingCharged);
}

Result<void> check_is_not_input(const std::string& option, const Text& file,
                                const WorldArguments& world, const policy::Policy& policy) {
  if (!file) return {};
  const auto refuse = [&](const std::string& what) {
    return invalid_input(option + " " + path_in_quotes(*file) + " is " + what +
                         "; name another file" + kNothingCharged);
  };
  if (is_same_file(world.policy_path(), *file)) return refuse("the policy");
  if (is_same_file(world.where.path(), *file)) return refuse("the ledger");
  for (const auto& [name, table] : policy.tables) {
    if (is_same_file(std::filesystem::path(policy.directory) / table.source, *file)) {
      return refuse("the source of table " + in_quotes(name));
    }
  }
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
