// SPDX-License-Identifier: Apache-2.0
// Rows that memory has no room for, on disk until their units are bounded (spill.md): packed words
// as rows.h has them, encrypted under a key that is drawn for the file and never leaves this
// process, in a file that has no name. When the process ends, in whatever way, the file is gone and
// what its blocks held cannot be read.
//
// Where rows lie changes the time of an answer, never its bits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>

#include "engine/keyed_hash.h"

namespace discreet::engine {

/// Neither memory nor disk: a run has one answer for both. The words are for the owner's log.
class NoRoom : public std::bad_alloc {
 public:
  explicit NoRoom(const char* words) : words_(words) {}
  const char* what() const noexcept override { return words_; }

 private:
  const char* words_;
};

/// Throws NoRoom wherever the disk does not do what it should.
class Spill {
 public:
  explicit Spill(const std::string& folder);
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  /// Where they are now. Several threads may write, and read what was written, at once.
  std::uint64_t write(std::span<const std::uint64_t> words);
  void read(std::uint64_t place, std::span<std::uint64_t> words) const;

  int descriptor() const { return file_; }

 private:
  int file_ = -1;
  Secret key_;
  std::atomic<std::uint64_t> end_{0};
};

/// How much memory the rows of a run may take, all threads together.
class RowRoom {
 public:
  static constexpr std::size_t kEndless = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kLeast = std::size_t{8} << 20;

  /// Beyond `bytes` rows are written to `folder`; a thread has `least` of them in any case.
  explicit RowRoom(std::size_t bytes = kEndless, std::string folder = "",
                   std::size_t least = kLeast)
      : bytes_(bytes), least_(least), folder_(std::move(folder)) {}

  void take(std::size_t bytes) { used_ += bytes; }
  void give_back(std::size_t bytes) { used_ -= bytes; }
  /// Whether a thread that has `own` bytes may have no more.
  bool full_for(std::size_t own) const { return own >= least_ && used_ >= bytes_; }
  /// Whether it has too much.
  bool beyond(std::size_t own) const { return own > least_ && used_ > bytes_; }

  /// Made when it is first needed.
  Spill& spill();

 private:
  std::size_t bytes_;
  std::size_t least_;
  std::string folder_;
  std::atomic<std::size_t> used_{0};
  std::mutex mutex_;
  std::unique_ptr<Spill> spill_;
};

}  // namespace discreet::engine
