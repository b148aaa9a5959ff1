// SPDX-License-Identifier: Apache-2.0
// An append-only log of byte strings in a folder: what append() accepted is there after any crash,
// and what it did not is not. It knows nothing of reports.
//
//   folder   lock  00000001.log  00000002.log  ...
//   segment  "DLC1"  number (4 bytes)  about (8)  salt (8)  check (8)    then frames
//   frame    salt (8)  sequence (8)  length (4)  zero (4)  check (8)     then `length` bytes
//
// Numbers are little endian. A check is the first 8 bytes of SHA-256 over everything before it,
// salt first, and what follows it. The salt is drawn for each segment and never leaves the folder,
// so that nobody can put bytes into a frame that look like another frame.
//
// R1  append() returns only when its frame is on disk (fdatasync), in one piece.
//     open() syncs what it read before it returns: a frame that it showed is on disk too.
// R2  A frame that was being written when the process or the machine stopped is cut off by open():
//     it can only be the last. A bad frame with a sound one behind it, or in an older segment, is
//     damage, and so is a segment that is missing below another: then nothing is opened.
// R3  After a failed append the log ends where it ended before, or says that it does not know; then
//     read_again() cuts off what lies behind the last frame that is surely on disk.
// R4  One process at a time has a folder open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"

namespace discreet::server::collect {

struct LogOptions {
  std::filesystem::path folder = {};
  std::uint64_t about = 0;  ///< what it is a log of; must always be the same
  std::uint64_t segment_bytes = std::uint64_t{64} << 20;  ///< a new segment begins after so many
};

inline constexpr std::size_t kFrameMax = std::size_t{1} << 30;

class ReportLog {
 public:
  using Visit = std::function<Result<void>(std::string_view frame)>;

  /// Makes the folder, or reads it: `visit` sees every frame in order.
  /// Fails with: kConflict (another process has it open; it is about something else), kCorrupt,
  /// kStorage, kNoEntropy, and as `visit` does.
  static Result<std::unique_ptr<ReportLog>> open(const LogOptions& options, const Visit& visit);
  ~ReportLog();
  ReportLog(const ReportLog&) = delete;
  ReportLog& operator=(const ReportLog&) = delete;

  /// At most kFrameMax bytes. Fails with: kStorage; see is_sound(). One thread at a time.
  Result<void> append(std::string_view frame);
  /// False when a failed append could not be undone: read_again().
  bool is_sound() const { return is_sound_; }

  /// As open(), under the same lock, but up to the last frame that append() said is on disk: one
  /// behind it may be in the system's memory and never reach the disk, and whoever sent it was told
  /// that it failed. Fails with: as open(); then it may be tried again, and nothing else.
  Result<void> read_again(const Visit& visit);

  /// Bytes of unfinished frames that the last reading cut off.
  std::uint64_t torn_bytes() const { return torn_bytes_; }
  std::uint64_t frames() const { return sequence_; }

 private:
  struct End {  // a place in the log: so many bytes of one segment
    std::uint32_t number = 0;
    std::uint64_t size = 0;
    std::string salt;
  };
  ReportLog(LogOptions options, int lock_fd) : options_(std::move(options)), lock_fd_(lock_fd) {}
  std::filesystem::path path_of(std::uint32_t number) const;
  Result<std::uint32_t> last_segment() const;
  Result<void> read_all(const Visit& visit);
  Result<void> read_segment(std::uint32_t number, bool is_last, const Visit& visit);
  Result<void> cut(std::uint32_t number, std::string_view bytes, std::size_t at, bool is_last);
  /// `again`: its making was interrupted, so the file is there and holds nothing.
  Result<void> begin_segment(std::uint32_t number, bool again);
  std::string frame_head(std::string_view frame) const;
  Error damaged(std::uint32_t number, std::size_t at) const;

  const LogOptions options_;
  const int lock_fd_;
  std::uint32_t number_ = 0;  // of the segment that is written to
  std::string salt_;
  std::unique_ptr<OpenFile> file_;
  std::uint64_t size_ = 0;  // of that segment, on disk
  std::uint64_t sequence_ = 0;
  std::optional<End> end_;  // while it is read again
  std::uint64_t torn_bytes_ = 0;
  bool is_sound_ = true;
};

}  // namespace discreet::server::collect
