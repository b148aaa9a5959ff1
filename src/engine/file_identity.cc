// SPDX-License-Identifier: Apache-2.0
#include "engine/file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace discreet::engine {
namespace {

FileIdentity identity_of(const struct stat& found) {
  return {found.st_dev,         found.st_ino,          static_cast<std::uint64_t>(found.st_size),
          found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_ctim.tv_sec,
          found.st_ctim.tv_nsec};
}

}  // namespace

Result<FileIdentity> FileIdentity::of(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) {
    return Error{Code::kNotFound, "there is no file " + in_quotes(path)};
  }
  if (!S_ISREG(found.st_mode)) return invalid_input(in_quotes(path) + " is not a file");
  return identity_of(found);
}

Result<FileIdentity> FileIdentity::of_descriptor(int descriptor) {
  struct stat found{};
  if (::fstat(descriptor, &found) != 0) return Error{Code::kStorage, "a file cannot be looked at"};
  return identity_of(found);
}

Result<void> check_readable(const std::string& path) {
  DISCREET_TRY(FileIdentity::of(path));
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0) return {};
  return Error{Code::kStorage, "the file " + in_quotes(path) + " may not be read"};
}

}  // namespace discreet::engine
