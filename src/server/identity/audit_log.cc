// SPDX-License-Identifier: Apache-2.0
#include "server/identity/audit_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/json.h"
#include "ledger/seal.h"

namespace discreet::server::identity {
namespace {

std::string hash_of(std::string_view line) { return ledger::to_hex(ledger::sha256(line)); }

}  // namespace

Result<std::unique_ptr<AuditLog>> AuditLog::open(const std::filesystem::path& file, Clock clock) {
  DISCREET_TRY(make_directories(file.parent_path()));
  // Two writers would overwrite each other's lines.
  const int lock = ::open((file.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (lock >= 0) ::close(lock);
    return Error{Code::kConflict,
                 "another server uses this state folder; stop it, or name another with --state"};
  }
  std::unique_ptr<AuditLog> log(new AuditLog(lock));
  DISCREET_ASSIGN(OpenFile opened, OpenFile::open(file, O_RDWR | O_CREAT));
  DISCREET_TRY(sync_directory_of(file));
  log->file_.emplace(std::move(opened));
  log->clock_ = std::move(clock);
  DISCREET_TRY(log->check());
  return log;
}

AuditLog::~AuditLog() { ::close(lock_); }

Result<void> AuditLog::check() {
  DISCREET_ASSIGN(const std::uint64_t size, file_->size());
  DISCREET_ASSIGN(const std::string text, file_->read_at(0, static_cast<std::size_t>(size)));
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos) break;
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const Json json = Json::parse(line).value_or(nullptr);
    if (json["after"] != hash_ || json["n"] != lines_) {
      return Error{Code::kCorrupt, "line " + std::to_string(lines_ + 1) +
                                       " of the audit log was changed, or one before it is gone; "
                                       "keep the file for whoever must know, and move it away"};
    }
    hash_ = hash_of(line);
    ++lines_;
    at = end + 1;
  }
  bytes_ = at;
  if (at == text.size()) return {};
  DISCREET_TRY(file_->resize(at));
  return file_->sync();
}

Result<void> AuditLog::append(const Event& event) {
  const std::lock_guard lock(mutex_);
  Json json;
  json["n"] = lines_;
  json["time"] = to_utc(clock_());
  json["who"] = event.who;
  json["what"] = event.what;
  if (!event.about.empty()) json["about"] = event.about;
  json["after"] = hash_;
  const std::string line = json_line(json);
  DISCREET_TRY(file_->write_at(bytes_, line + "\n"));
  DISCREET_TRY(file_->sync());
  bytes_ += line.size() + 1;
  hash_ = hash_of(line);
  ++lines_;
  return {};
}

Result<std::vector<std::string>> AuditLog::last(std::size_t most) const {
  constexpr std::uint64_t kLineMax = 512;
  const std::lock_guard lock(mutex_);
  const std::uint64_t from = bytes_ > most * kLineMax ? bytes_ - most * kLineMax : 0;
  DISCREET_ASSIGN(const std::string text,
                  file_->read_at(from, static_cast<std::size_t>(bytes_ - from)));
  std::vector<std::string> lines;
  std::size_t at = from == 0 ? 0 : text.find('\n') + 1;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (lines.size() > most)
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
  return lines;
}

std::uint64_t AuditLog::size() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

}  // namespace discreet::server::identity
