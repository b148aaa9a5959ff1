// SPDX-License-Identifier: Apache-2.0
#include "engine/text/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace discreet::engine::text {
namespace {

bool ends_line(char c) { return c == '\n' || c == '\r'; }

/// Where the next `c` is; `end` if it is not there.
const char* find(char c, const char* from, const char* end) {
  const void* found = std::memchr(from, c, static_cast<std::size_t>(end - from));
  return found == nullptr ? end : static_cast<const char*>(found);
}

}  // namespace

Result<std::unique_ptr<TextFile>> TextFile::open(const std::string& path) {
  DISCREET_ASSIGN(const FileIdentity identity, FileIdentity::of(path));
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) {
    return Error{Code::kStorage, "the file " + in_quotes(path) + " cannot be opened"};
  }
  std::unique_ptr<TextFile> file(new TextFile(path, descriptor));
  file->identity_ = identity;
  file->header_ = file->read_header();
  return file;
}

TextFile::~TextFile() { ::close(descriptor_); }

bool TextFile::is_same() const {
  const auto opened = FileIdentity::of_descriptor(descriptor_);
  const auto named = FileIdentity::of(path_);
  return opened && *opened == identity_ && named && *named == identity_ && read_header() == header_;
}

bool TextFile::read(std::uint64_t from, std::size_t count, char* to) const {
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_, to, count, static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;  // it was longer when it was opened
    const auto more = static_cast<std::size_t>(got);
    from += more;
    to += more;
    count -= more;
  }
  return true;
}

std::string TextFile::read_header() const {
  std::string header(static_cast<std::size_t>(std::min<std::uint64_t>(size(), kLineMax + 1)), '\0');
  if (!read(0, header.size(), header.data())) return "";
  header.resize(std::min(header.find_first_of("\r\n"), header.size()));
  return header;
}

bool LineReader::go_to(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t from = begin == 0 ? 0 : begin - 1;  // whether a line begins at `begin`
  const std::uint64_t to = std::min<std::uint64_t>(file_.size(), end + kLineMax + 1);
  buffer_.resize(static_cast<std::size_t>(to - from));
  if (!file_.read(from, buffer_.size(), buffer_.data())) return false;
  end_ = buffer_.data() + buffer_.size();
  at_ = buffer_.data() + (begin - from);
  limit_ = buffer_.data() + (end - from);
  next_lf_ = find('\n', at_, end_);
  next_cr_ = find('\r', at_, end_);
  if (begin > 0 && !ends_line(buffer_.front())) at_ = line_end(at_);
  return true;
}

std::string_view LineReader::next() {
  while (true) {
    while (at_ < limit_ && ends_line(*at_)) ++at_;
    if (at_ >= limit_) return {};
    const char* begin = at_;
    at_ = line_end(begin);  // what has no end in the buffer is too long, or the file's last line
    const auto size = static_cast<std::size_t>(at_ - begin);
    if (size <= kLineMax) return {begin, size};
  }
}

const char* LineReader::line_end(const char* from) {
  if (next_lf_ < from) next_lf_ = find('\n', from, end_);
  if (next_cr_ < from) next_cr_ = find('\r', from, end_);
  return std::min(next_lf_, next_cr_);
}

}  // namespace discreet::engine::text
