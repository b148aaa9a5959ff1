// SPDX-License-Identifier: Apache-2.0
// The files of a policy as they were when it was opened. Schemas, headers and which columns can be
// read were looked at then; another file under the same name, or other bytes in it, could be read
// as something that they are not. So every question looks before and after it reads, and fails, in
// the same words for all data, if any of them has changed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/file_identity.h"
#include "engine/text/text_file.h"

namespace discreet::engine::duckdb {

class OpenedFiles {
 public:
  /// Remembers the file as it is now. To be called before it is looked at.
  /// Fails with: kNotFound; kInvalidInput for what is not a file.
  Result<void> add(const std::string& path);
  /// One that is read by us.
  void add(std::shared_ptr<const text::TextFile> file) { texts_.push_back(std::move(file)); }

  /// Fails with: kEngine, if one of them is not as it was; `log` is told which.
  Result<void> check(const OwnerLog& log) const;

 private:
  std::map<std::string, FileIdentity> files_;
  std::vector<std::shared_ptr<const text::TextFile>> texts_;
};

}  // namespace discreet::engine::duckdb
