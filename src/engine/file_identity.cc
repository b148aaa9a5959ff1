// SPDX-License-Identifier: Apache-2.0
#include "engine/file_identity.h"

#include <sys/stat.h>

namespace discreet::engine {
namespace {

FileIdentity identity_of(const struct stat& found) {
  return {found.st_dev, found.st_ino, static_cast<std::uint64_t>(found.st_size),
          found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
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

}  // namespace discreet::engine
