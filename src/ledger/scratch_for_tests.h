// SPDX-License-Identifier: Apache-2.0
// A directory that a test owns and that is gone afterwards.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/check.h"

namespace discreet::ledger {

class Scratch {
 public:
  enum class Place { kDisk, kMemory };

  /// In memory, where there is such a place: for files that no sync has to bring to a disk.
  explicit Scratch(Place place = Place::kDisk) {
    const std::filesystem::path memory = "/dev/shm";
    const bool in_memory = place == Place::kMemory && access(memory.c_str(), W_OK) == 0;
    const auto base = in_memory ? memory : std::filesystem::temp_directory_path();
    std::string name = (base / "discreet-XXXXXX").string();
    DISCREET_CHECK(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  /// It is somebody else's to remove.
  void keep() { path_.clear(); }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void spill(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// Root may do everything, so tests of what is forbidden run as somebody else.
class AsOrdinaryUser {
 public:
  AsOrdinaryUser() : is_root_(geteuid() == 0) { DISCREET_CHECK(!is_root_ || seteuid(65534) == 0); }
  AsOrdinaryUser(const AsOrdinaryUser&) = delete;
  AsOrdinaryUser& operator=(const AsOrdinaryUser&) = delete;
  ~AsOrdinaryUser() { DISCREET_CHECK(!is_root_ || seteuid(0) == 0); }

 private:
  bool is_root_;
};

}  // namespace discreet::ledger
