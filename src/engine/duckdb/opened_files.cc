// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/opened_files.h"

#include <fcntl.h>
#include <unistd.h>

namespace discreet::engine::duckdb {
namespace {

Error changed(const std::string& path, const OwnerLog& log) {
  if (log.say) log.say("the file " + in_quotes(path) + " is not as it was when it was opened");
  return {Code::kEngine,
          "a file of the policy's sources has changed since the policy was opened; give the policy "
          "another snapshot label and open it again (on a server: reload)"};
}

}  // namespace

OpenedFiles::~OpenedFiles() {
  for (const auto& [path, file] : files_) {
    if (file.descriptor >= 0) ::close(file.descriptor);
  }
}

Result<void> OpenedFiles::add(const std::string& path) {
  DISCREET_ASSIGN(const FileIdentity identity, FileIdentity::of(path));
  files_.try_emplace(path, File{identity});
  return {};
}

Result<std::string> OpenedFiles::hold(const std::string& path) {
  DISCREET_TRY(add(path));
  int& descriptor = files_.at(path).descriptor;
  if (descriptor < 0) {
    descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  }
  if (descriptor < 0) {
    return Error{Code::kStorage, "the file " + in_quotes(path) + " cannot be opened"};
  }
  return "/proc/self/fd/" + std::to_string(descriptor);
}

bool OpenedFiles::is_same(const std::string& path, const File& file) {
  const Result<FileIdentity> named = FileIdentity::of(path);
  if (!named || *named != file.identity) return false;
  if (file.descriptor < 0) return true;
  const Result<FileIdentity> held = FileIdentity::of_descriptor(file.descriptor);
  return held && *held == file.identity;
}

Result<void> OpenedFiles::check(const OwnerLog& log) const {
  for (const auto& [path, file] : files_) {
    if (!is_same(path, file)) return changed(path, log);
  }
  for (const auto& file : texts_) {
    if (!file->is_same()) return changed(file->path(), log);
  }
  return {};
}

}  // namespace discreet::engine::duckdb
