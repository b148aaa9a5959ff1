// SPDX-License-Identifier: Apache-2.0
// A text file that stays open, and its lines, which are its rows: the longest runs of bytes other
// than LF and CR. So LF, CR and CRLF all end a line, an empty line is none, and the lines of a file
// are those of its parts, wherever it is cut between two lines: whatever stands in a line, no other
// one is longer, shorter or gone because of it (E2). A line of more than kLineMax bytes is left
// out, by its length alone.
//
// Work: each byte is looked at a fixed number of times.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/file_identity.h"

namespace discreet::engine::text {

inline constexpr std::size_t kLineMax = std::size_t{64} << 10;

class TextFile {
 public:
  /// Fails with: kNotFound; kInvalidInput for what is not a file; kStorage.
  static Result<std::unique_ptr<TextFile>> open(const std::string& path);
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return identity_.size; }
  /// Its bytes up to the first line end, or as many as a line may have and one more.
  const std::string& header() const { return header_; }

  /// Whether its path still leads to it, and it is as it was: of the same size, written at the same
  /// time, with the same header.
  bool is_same() const;

  /// Bytes [from, from + count). False: they could not be read.
  bool read(std::uint64_t from, std::size_t count, char* to) const;

 private:
  TextFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string read_header() const;

  std::string path_;
  int descriptor_;
  FileIdentity identity_;
  std::string header_;
};

/// The lines that begin in one part of a file. Every line begins in exactly one of the parts into
/// which a file is cut, anywhere.
class LineReader {
 public:
  explicit LineReader(const TextFile& file) : file_(file) {}

  /// Turns to the lines whose first byte is one of [begin, end). A line that began before is not
  /// among them. False: the file could not be read. Requires: begin <= end <= the file's size.
  bool go_to(std::uint64_t begin, std::uint64_t end);
  /// The next one, until the next call; empty: there is none left.
  std::string_view next();

 private:
  const char* line_end(const char* from);

  const TextFile& file_;
  std::vector<char> buffer_;
  const char* at_ = nullptr;
  const char* limit_ = nullptr;  // lines begin before it
  const char* end_ = nullptr;
  const char* next_lf_ = nullptr;  // at or behind at_, or end_
  const char* next_cr_ = nullptr;
};

}  // namespace discreet::engine::text
