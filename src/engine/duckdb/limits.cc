// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/limits.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace discreet::engine::duckdb {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr std::size_t kLeastMegabytes = 256;
constexpr std::size_t kMostMegabytes = std::size_t{1} << 30;
constexpr std::string_view kFolder = "discreet-duckdb-";

std::optional<std::size_t> bytes_of(std::string_view text) {
  std::size_t unit = 1;
  if (text.ends_with("GB")) {
    unit = 1024;
  } else if (!text.ends_with("MB")) {
    return {};
  }
  text.remove_suffix(2);
  std::size_t count = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (fault != std::errc{} || end != text.data() + text.size() || count > kMostMegabytes / unit ||
      count * unit < kLeastMegabytes) {
    return {};
  }
  return count * unit * kMegabyte;
}

/// The folder, held: nobody else removes it. -1: somebody else holds it.
int hold(const std::string& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  if (file >= 0) close(file);
  return -1;
}

void remove_left_over(const std::string& place) {
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator(place, fault)) {
    const std::string path = entry.path().string();
    if (!entry.path().filename().string().starts_with(kFolder)) continue;
    const int file = hold(path);
    if (file < 0) continue;
    std::filesystem::remove_all(path, fault);
    close(file);
  }
}

}  // namespace

Result<Limits> parse_limits(const std::string& engine) {
  Limits limits;
  const char* const named = std::getenv("TMPDIR");
  limits.spill = named != nullptr && *named != '\0' ? named : "/var/tmp";
  if (!engine.starts_with("duckdb?")) return limits;
  std::string_view rest = engine;
  rest.remove_prefix(std::string_view("duckdb").size());
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view one = rest.substr(0, std::min(rest.find('&'), rest.size()));
    rest.remove_prefix(one.size());
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string_view name = one.substr(0, equals);
    const std::string value(one.substr(std::min(equals + 1, one.size())));
    if (name == "memory") {
      const auto bytes = bytes_of(value);
      if (!bytes) {
        return invalid_input("the engine's memory is " + in_quotes(value) +
                             "; write whole megabytes or gigabytes, at least 256MB: memory=4GB");
      }
      limits.memory = *bytes;
    } else if (name == "spill" && value.starts_with('/')) {
      limits.spill = value;
    } else if (name == "duckdb_spill" && value.starts_with('/')) {
      limits.duckdb_spill = value;
    } else {
      return invalid_input("the engine has no option " + in_quotes(one) +
                           "; there are memory=4GB, spill=FOLDER and duckdb_spill=FOLDER, folders "
                           "from the root on");
    }
  }
  if (limits.endless()) {
    return invalid_input("the engine has options but no limit; add memory=4GB");
  }
  for (const std::string& folder : {limits.spill, limits.duckdb_spill}) {
    if (folder.empty() || access(folder.c_str(), W_OK | X_OK) == 0) continue;
    return invalid_input("the engine cannot write to its folder " + in_quotes(folder) +
                         "; make it, or name another one: spill=FOLDER, duckdb_spill=FOLDER");
  }
  return limits;
}

Result<TemporaryFolder> TemporaryFolder::make(const std::string& place) {
  remove_left_over(place);
  std::string pattern = place + "/" + std::string(kFolder) + "XXXXXX";
  TemporaryFolder made;
  if (mkdtemp(pattern.data()) == nullptr || (made.lock_ = hold(pattern)) < 0) {
    return Error{Code::kStorage, "no folder could be made in " + in_quotes(place) +
                                     "; name another one: duckdb_spill=FOLDER"};
  }
  made.path_ = pattern;
  return made;
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
}

}  // namespace discreet::engine::duckdb
