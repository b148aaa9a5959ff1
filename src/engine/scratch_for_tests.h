// SPDX-License-Identifier: Apache-2.0
// What tests and fuzzers of the engines need around them.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "engine/engine.h"

namespace discreet::engine {

/// A folder that is gone with this.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "discreet-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path_); }

  std::string path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// What the engine says, gathered.
struct GatheredLog {
  std::string said;
  OwnerLog log() {
    return {.say = [this](const std::string& words) { said += words + "\n"; }, .progress = {}};
  }
};

}  // namespace discreet::engine
