// SPDX-License-Identifier: Apache-2.0
// A disk that forgets. Files live in a real directory, which plays the page cache; beside it the
// disk keeps what would be there after a power cut: what was synced, and of what was not synced
// nothing, everything, some writes, or some sectors of some writes.
//
// Every write, truncation, deletion and sync is one operation, counted over all files, so that
// "stop at the k-th" tries every order that matters. Faults:
//   kCrash       from operation k on nothing works; power_cut() then decides what is left
//   kFull        writes fail from k on with part of them done, until plan() is called again
//   kWriteError  the first write at or after k fails with part of it done
//   kSyncError   the first sync at or after k fails, and of the file's unsynced pages some are not
//                on disk although they are marked clean: a later sync succeeds without them, unless
//                they were written again (what Linux does after a failed fsync)
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace discreet::ledger {

enum class Fault { kNone, kCrash, kFull, kWriteError, kSyncError };
enum class Survival { kNothing, kEverything, kSomeWrites, kSomeSectors };
enum class Operation { kWrite, kTruncate, kDelete, kSync };

struct PlannedFault {
  Fault fault = Fault::kNone;
  std::uint64_t at = 0;  ///< the number of the operation, from 1
};

/// One file as it is on disk, and what was done to it since it was last synced.
struct FileOnDisk {
  struct Change {
    std::uint64_t offset;
    std::string bytes;
    bool is_truncation;  ///< to `offset`
  };
  std::optional<std::string> durable;  ///< nothing: no such name on disk
  std::optional<std::string> before;   ///< what a not yet durable deletion or creation hides
  std::string synced;                  ///< contents that wait for the name
  std::vector<Change> pending;
  std::set<std::uint64_t> lost_pages;  ///< clean in the cache, not on disk
  bool exists = false;                 ///< in the cache
};

class FaultDisk {
 public:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint64_t kSector = 512;

  explicit FaultDisk(std::uint64_t seed) : random_(seed) {}

  /// Counts from here again.
  void plan(PlannedFault fault) {
    const std::lock_guard lock(mutex_);
    plan_ = fault;
    operations_ = 0;
    is_over_ = false;
  }
  std::uint64_t operations() const { return operations_; }
  bool is_dead() const { return is_dead_; }
  bool has_struck() const { return is_over_ || is_dead_; }
  /// A planted bug: syncs say yes and do nothing.
  void ignore_syncs() { ignores_syncs_ = true; }
  bool ignores_syncs() const { return ignores_syncs_; }

  enum class Verdict { kGood, kDead, kDies, kFails };
  /// What becomes of the next operation: dies with it, or fails alone, or nothing special.
  Verdict step(Operation operation) {
    const std::lock_guard lock(mutex_);
    if (is_dead_) return Verdict::kDead;
    ++operations_;
    if (plan_.fault == Fault::kNone || operations_ < plan_.at) return Verdict::kGood;
    switch (plan_.fault) {
      case Fault::kCrash:
        is_dead_ = true;
        return Verdict::kDies;
      case Fault::kFull:
        if (operation != Operation::kWrite) return Verdict::kGood;
        is_over_ = true;
        return Verdict::kFails;
      case Fault::kWriteError:
        if (operation != Operation::kWrite || is_over_) return Verdict::kGood;
        is_over_ = true;
        return Verdict::kFails;
      case Fault::kSyncError:
        if (operation != Operation::kSync || is_over_) return Verdict::kGood;
        is_over_ = true;
        return Verdict::kFails;
      case Fault::kNone:
        break;
    }
    return Verdict::kGood;
  }
  bool is_full() const { return plan_.fault == Fault::kFull; }

  // What the files tell (SQLite's through fault_vfs_for_tests.h).

  /// A file came into use. One that the disk never saw is taken as durable as it is.
  void opened(const std::string& path, bool is_new) {
    const std::lock_guard lock(mutex_);
    auto [place, first] = files_.try_emplace(path);
    FileOnDisk& file = place->second;
    if (first && !is_new) file.durable = file.synced = contents_of(path);
    if (is_new && !file.exists) {
      // The name may still belong to a file that was deleted, or to none.
      file.before = std::exchange(file.durable, std::nullopt);
      file.synced.clear();
      file.pending.clear();
      file.lost_pages.clear();
    }
    file.exists = true;
  }
  void wrote(const std::string& path, std::uint64_t offset, std::string bytes) {
    const std::lock_guard lock(mutex_);
    FileOnDisk& file = files_[path];
    // A page that is written again is dirty as a whole, and so goes to disk as a whole.
    const std::uint64_t first = offset / kPage;
    const std::uint64_t last = (offset + bytes.size()) / kPage;
    for (std::uint64_t page = first; page <= last; ++page) {
      if (file.lost_pages.erase(page) == 0) continue;
      const std::string all = contents_of(path);
      if (page * kPage >= all.size()) continue;
      file.pending.push_back({page * kPage, all.substr(page * kPage, kPage), false});
    }
    file.pending.push_back({offset, std::move(bytes), false});
  }
  void truncated(const std::string& path, std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    files_[path].pending.push_back({size, "", true});
  }
  void synced(const std::string& path, bool with_directory) {
    const std::lock_guard lock(mutex_);
    FileOnDisk& file = files_[path];
    for (const auto& change : file.pending) apply(change, file.synced);
    file.pending.clear();
    if (file.durable) file.durable = file.synced;
    if (with_directory) names_are_durable();
  }
  void sync_failed(const std::string& path) {
    const std::lock_guard lock(mutex_);
    FileOnDisk& file = files_[path];
    const bool all = flip();
    for (const auto& change : file.pending) {
      if (change.is_truncation || (!all && flip())) {
        apply(change, file.synced);
        continue;
      }
      for (std::uint64_t page = change.offset / kPage;
           page <= (change.offset + change.bytes.size() - 1) / kPage; ++page) {
        file.lost_pages.insert(page);
      }
    }
    file.pending.clear();
    if (file.durable) file.durable = file.synced;
  }
  void deleted(const std::string& path, bool with_directory) {
    const std::lock_guard lock(mutex_);
    FileOnDisk& file = files_[path];
    file.exists = false;
    if (file.durable) file.before = std::exchange(file.durable, std::nullopt);
    file.synced.clear();
    file.pending.clear();
    file.lost_pages.clear();
    if (with_directory) names_are_durable();
  }

  /// The power goes off and on: the directory becomes what was on disk. Requires: nothing is open.
  void power_cut(Survival survival) {
    const std::lock_guard lock(mutex_);
    for (auto& [path, file] : files_) {
      std::optional<std::string> left = file.durable;
      if (!left && file.exists && survives(survival)) left = file.synced;
      if (left) {
        for (const auto& change : file.pending) survive(change, survival, *left);
      } else if (file.before && !survives(survival)) {
        left = file.before;
      }
      std::remove(path.c_str());
      if (left) std::ofstream(path, std::ios::binary) << *left;
    }
    files_.clear();
    plan_ = {};
    is_dead_ = is_over_ = false;
    operations_ = 0;
  }

  /// The process is killed and started again: the page cache stays. Requires of restart(): nothing
  /// is open.
  void kill() { is_dead_ = true; }
  void restart() {
    plan({});
    is_dead_ = false;
  }

  bool flip() { return random_() % 2 == 0; }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

 private:
  static std::string contents_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void apply(const FileOnDisk::Change& change, std::string& image) {
    if (change.is_truncation) {
      image.resize(change.offset);
      return;
    }
    const std::uint64_t end = change.offset + change.bytes.size();
    if (image.size() < end) image.resize(end);
    std::copy(change.bytes.begin(), change.bytes.end(),
              image.begin() + static_cast<std::ptrdiff_t>(change.offset));
  }
  bool survives(Survival survival) {
    return survival == Survival::kEverything || (survival != Survival::kNothing && flip());
  }
  void survive(const FileOnDisk::Change& change, Survival survival, std::string& image) {
    if (survival != Survival::kSomeSectors || change.is_truncation) {
      if (survives(survival)) apply(change, image);
      return;
    }
    for (std::uint64_t at = 0; at < change.bytes.size();) {
      const std::uint64_t place = change.offset + at;
      const std::uint64_t size =
          std::min<std::uint64_t>(kSector - place % kSector, change.bytes.size() - at);
      if (flip()) apply({place, change.bytes.substr(at, size), false}, image);
      at += size;
    }
  }
  void names_are_durable() {
    for (auto& [path, file] : files_) {
      file.before.reset();
      if (file.exists && !file.durable) file.durable = file.synced;
    }
  }

  std::mutex mutex_;
  std::mt19937_64 random_;
  std::map<std::string, FileOnDisk> files_;
  PlannedFault plan_;
  std::uint64_t operations_ = 0;
  bool is_dead_ = false;
  bool is_over_ = false;
  bool ignores_syncs_ = false;
};

}  // namespace discreet::ledger
