// SPDX-License-Identifier: Apache-2.0
#include "server/collect/report_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "engine/keyed_hash.h"
#include "ledger/seal.h"

namespace discreet::server::collect {
namespace {

constexpr std::string_view kMagic = "DLC1";
constexpr std::size_t kSegmentHead = 32;
constexpr std::size_t kFrameHead = 32;

template <class T>
std::string little(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));  // little endian: keyed_hash.h asserts it
  return out;
}

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

std::string check_of(std::string_view salt, std::string_view head, std::string_view rest) {
  std::string all;
  all.reserve(salt.size() + head.size() + rest.size());
  all.append(salt).append(head).append(rest);
  const Hash hash = ledger::sha256(all);
  return {reinterpret_cast<const char*>(hash.data()), 8};
}

/// The frame that begins at `at`, if a sound one does.
std::optional<std::string_view> frame_at(std::string_view bytes, std::size_t at,
                                         std::string_view salt, std::uint64_t* sequence) {
  if (bytes.size() - at < kFrameHead) return std::nullopt;
  const std::string_view head = bytes.substr(at, kFrameHead);
  if (head.substr(0, 8) != salt) return std::nullopt;
  const auto length = number_at<std::uint32_t>(head, 16);
  if (length > bytes.size() - at - kFrameHead) return std::nullopt;
  const std::string_view frame = bytes.substr(at + kFrameHead, length);
  if (check_of(salt, head.substr(8, 16), frame) != head.substr(24, 8)) return std::nullopt;
  *sequence = number_at<std::uint64_t>(head, 8);
  return frame;
}

bool is_segment_head(std::string_view bytes) {
  return bytes.size() >= kSegmentHead && bytes.substr(0, 4) == kMagic &&
         bytes.substr(24, 8) == check_of(bytes.substr(16, 8), bytes.substr(0, 16), "");
}

/// Takes the folder for this process, or fails at once: a second collector must not wait unseen.
Result<int> lock_folder(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "lock";
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) {
    return Error{Code::kStorage, in_quotes(file.string()) + ": " + std::strerror(errno)};
  }
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  ::close(fd);
  return Error{Code::kConflict, "another collector has the folder " + in_quotes(folder.string()) +
                                    " open; stop it, or choose another --store"};
}

}  // namespace

Result<std::unique_ptr<ReportLog>> ReportLog::open(const LogOptions& options, const Visit& visit) {
  DISCREET_TRY(make_directories(options.folder));
  DISCREET_ASSIGN(const int lock_fd, lock_folder(options.folder));
  std::unique_ptr<ReportLog> log(new ReportLog(options, lock_fd));
  DISCREET_TRY(log->read_all(visit));
  return log;
}

Result<void> ReportLog::read_again(const Visit& visit) {
  if (!end_) {  // stays the same until a reading succeeds
    end_ = End{number_, size_, salt_};
    torn_bytes_ = 0;
  }
  is_sound_ = false;
  file_ = nullptr;
  sequence_ = 0;
  DISCREET_TRY(read_all(visit));
  end_.reset();
  is_sound_ = true;
  return {};
}

ReportLog::~ReportLog() { ::close(lock_fd_); }

std::filesystem::path ReportLog::path_of(std::uint32_t number) const {
  char name[32];
  std::snprintf(name, sizeof(name), "%08u.log", number);
  return options_.folder / name;
}

Error ReportLog::damaged(std::uint32_t number, std::size_t at) const {
  return {Code::kCorrupt, in_quotes(path_of(number).string()) + " is damaged at byte " +
                              std::to_string(at) +
                              ", and not at its end; restore the folder from a copy, or move it "
                              "away and begin a new one"};
}

/// The highest number; every one below it must be there.
Result<std::uint32_t> ReportLog::last_segment() const {
  std::uint32_t present = 0;
  while (std::filesystem::exists(path_of(present + 1))) ++present;
  std::error_code bad;
  for (std::filesystem::directory_iterator entry(options_.folder, bad), end; !bad && entry != end;
       entry.increment(bad)) {
    const std::string name = entry->path().filename().string();
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    if (digits == 0 || digits > 9 || name.substr(digits) != ".log") continue;
    const std::uint64_t number = std::stoul(name.substr(0, digits));
    if (number <= present) continue;
    return Error{Code::kCorrupt, in_quotes(path_of(present + 1).string()) + " is missing, and " +
                                     in_quotes(name) +
                                     " is there; restore the folder from a copy, or move it away "
                                     "and begin a new one"};
  }
  if (bad) return Error{Code::kStorage, in_quotes(options_.folder.string()) + ": " + bad.message()};
  return present;
}

Result<void> ReportLog::read_all(const Visit& visit) {
  DISCREET_ASSIGN(const std::uint32_t last, last_segment());
  for (std::uint32_t number = 1; number <= last; ++number) {
    DISCREET_TRY(read_segment(number, number == last, visit));
  }
  if (file_) return {};
  return begin_segment(last == 0 ? 1 : last, last != 0);
}

Result<void> ReportLog::read_segment(std::uint32_t number, bool is_last, const Visit& visit) {
  DISCREET_ASSIGN(OpenFile file, OpenFile::open(path_of(number), O_RDWR));
  DISCREET_ASSIGN(const std::uint64_t size, file.size());
  DISCREET_ASSIGN(std::string bytes, file.read_at(0, static_cast<std::size_t>(size)));
  if (!is_segment_head(bytes)) {
    // A segment whose making was interrupted has no frame yet: it is made again.
    if (!is_last || bytes.size() > kSegmentHead) return damaged(number, 0);
    torn_bytes_ += bytes.size();
    return {};
  }
  if (number_at<std::uint64_t>(bytes, 8) != options_.about) {
    return Error{Code::kConflict, "the folder " + in_quotes(options_.folder.string()) +
                                      " holds reports of another survey; choose another --store"};
  }
  if (number_at<std::uint32_t>(bytes, 4) != number) return damaged(number, 4);
  salt_ = bytes.substr(16, 8);
  if (end_ && end_->number == number && end_->salt == salt_ && bytes.size() > end_->size) {
    torn_bytes_ += bytes.size() - end_->size;
    bytes.resize(end_->size);
    DISCREET_TRY(file.resize(end_->size));
  }
  std::size_t at = kSegmentHead;
  while (at < bytes.size()) {
    std::uint64_t sequence = 0;
    const auto frame = frame_at(bytes, at, salt_, &sequence);
    if (!frame) break;
    if (sequence != sequence_) return damaged(number, at);
    DISCREET_TRY(visit(*frame));
    ++sequence_;
    at += kFrameHead + frame->size();
  }
  if (at < bytes.size()) DISCREET_TRY(cut(number, bytes, at, is_last));
  if (!is_last) return {};
  number_ = number;
  size_ = at;
  file_ = std::make_unique<OpenFile>(std::move(file));
  if (at < bytes.size()) DISCREET_TRY(file_->resize(at));
  // Whoever wrote it may have been stopped before the sync; from now on it counts as kept.
  DISCREET_TRY(file_->sync());
  return sync_directory_of(path_of(number));
}

Result<void> ReportLog::cut(std::uint32_t number, std::string_view bytes, std::size_t at,
                            bool is_last) {
  if (!is_last) return damaged(number, at);
  std::uint64_t sequence = 0;
  for (std::size_t next = bytes.find(salt_, at + 1); next != bytes.npos;
       next = bytes.find(salt_, next + 1)) {
    if (frame_at(bytes, next, salt_, &sequence)) return damaged(number, at);
  }
  torn_bytes_ += bytes.size() - at;
  return {};
}

Result<void> ReportLog::begin_segment(std::uint32_t number, bool again) {
  DISCREET_ASSIGN(const engine::Secret secret, engine::Secret::fresh());
  const std::filesystem::path path = path_of(number);
  DISCREET_ASSIGN(OpenFile file,
                  OpenFile::open(path, O_RDWR | O_CREAT | (again ? O_TRUNC : O_EXCL)));
  const std::string salt = little(secret.words[0]);
  const std::string head = std::string(kMagic) + little(number) + little(options_.about);
  DISCREET_TRY(file.write_at(0, head + salt + check_of(salt, head, "")));
  DISCREET_TRY(file.sync());
  DISCREET_TRY(sync_directory_of(path));
  number_ = number;
  salt_ = salt;
  size_ = kSegmentHead;
  file_ = std::make_unique<OpenFile>(std::move(file));
  return {};
}

std::string ReportLog::frame_head(std::string_view frame) const {
  const std::string middle =
      little(sequence_) + little(static_cast<std::uint32_t>(frame.size())) + std::string(4, '\0');
  return salt_ + middle + check_of(salt_, middle, frame);
}

Result<void> ReportLog::append(std::string_view frame) {
  if (!is_sound_) {
    return Error{Code::kStorage, "the log in " + in_quotes(options_.folder.string()) +
                                     " could not be written; free the disk and start again"};
  }
  DISCREET_CHECK(frame.size() <= kFrameMax);
  if (size_ >= options_.segment_bytes) {
    const Result<void> begun = begin_segment(number_ + 1, false);
    is_sound_ = begun.has_value();  // half a segment may be there; open() makes it again
    if (!begun) return begun;
  }
  std::string bytes = frame_head(frame);
  bytes.append(frame);
  const Result<void> written = file_->write_at(size_, bytes);
  const Result<void> synced = written ? file_->sync() : Result<void>();
  if (written && synced) {
    size_ += bytes.size();
    ++sequence_;
    return {};
  }
  // R3. After a failed sync nobody knows what is on disk, and a second one proves nothing. The
  // frame is cut off all the same: a process that opens the log next must not read it from memory.
  const Result<void> resized = file_->resize(size_);
  is_sound_ = !written && resized && file_->sync();
  return written ? synced : written;
}

}  // namespace discreet::server::collect
