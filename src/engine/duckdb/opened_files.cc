// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/opened_files.h"

namespace discreet::engine::duckdb {
namespace {

Error changed(const std::string& path, const OwnerLog& log) {
  if (log.say) log.say("the file " + in_quotes(path) + " is not as it was when it was opened");
  return {Code::kEngine,
          "a file of the policy's sources has changed since the policy was opened; give the policy "
          "another snapshot label and open it again (on a server: reload)"};
}

}  // namespace

Result<void> OpenedFiles::add(const std::string& path) {
  DISCREET_ASSIGN(const FileIdentity identity, FileIdentity::of(path));
  files_.try_emplace(path, identity);
  return {};
}

Result<void> OpenedFiles::check(const OwnerLog& log) const {
  for (const auto& [path, identity] : files_) {
    const Result<FileIdentity> now = FileIdentity::of(path);
    if (!now || *now != identity) return changed(path, log);
  }
  for (const auto& file : texts_) {
    if (!file->is_same()) return changed(file->path(), log);
  }
  return {};
}

}  // namespace discreet::engine::duckdb
