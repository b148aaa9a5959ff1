// SPDX-License-Identifier: Apache-2.0
// The files of a policy as they were when it was opened. Schemas, headers and which columns can be
// read were looked at then; another file under the same name, or other bytes in it, could be read
// as something that they are not. So every question looks before and after it reads, and fails, in
// the same words for all data, if any of them has changed. A file that is swapped for another and
// back in between is not noticed by its name: Parquet files are held open, and read through that.
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
  OpenedFiles() = default;
  OpenedFiles(const OpenedFiles&) = delete;
  OpenedFiles& operator=(const OpenedFiles&) = delete;
  ~OpenedFiles();

  /// Remembers a file as it is now: one that DuckDB attaches, and holds open and locked by itself.
  /// To be called before it is looked at.
  /// Fails with: kNotFound; kInvalidInput for what is not a file.
  Result<void> add(const std::string& path);
  /// Holds it open too. A path that leads to this very file as long as this object lives, whatever
  /// the name leads to by then.
  /// Fails with: those of add(); kStorage.
  Result<std::string> hold(const std::string& path);
  /// One that is read by us.
  void add(std::shared_ptr<const text::TextFile> file) { texts_.push_back(std::move(file)); }

  /// Fails with: kEngine, if one of them is not as it was; `log` is told which.
  Result<void> check(const OwnerLog& log) const;

 private:
  struct File {
    FileIdentity identity;
    int descriptor = -1;  ///< -1: not held
  };
  static bool is_same(const std::string& path, const File& file);

  std::map<std::string, File> files_;
  std::vector<std::shared_ptr<const text::TextFile>> texts_;
};

}  // namespace discreet::engine::duckdb
