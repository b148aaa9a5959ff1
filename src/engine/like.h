// SPDX-License-Identifier: Apache-2.0
// LIKE in time that no text can blow up: DuckDB's own tries all ways to share a text among several
// %, so that one person's long text could make a question last for ever (S9).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace discreet::engine {

/// A pattern: % any characters, _ one character of UTF-8, \ takes the next one as it is.
///
/// What stands between two % has a fixed number of characters, so that the first place where it
/// fits is the best one: nothing is ever tried again.
/// Cost: at most the length of the text times that of the pattern; no recursion.
class LikePattern {
 public:
  explicit LikePattern(std::string_view pattern);
  /// Whether the whole text matches. Total; texts that are no UTF-8 match something.
  bool matches(std::string_view text) const;

 private:
  /// Bytes, then so many characters of any kind.
  struct Piece {
    std::string bytes;
    std::size_t any = 0;
  };
  /// What stands between two %.
  struct Run {
    std::vector<Piece> pieces;
    std::size_t characters = 0;
  };
  static std::optional<std::size_t> end_at(const Run& run, std::string_view text, std::size_t at);
  static std::optional<std::size_t> first_end(const Run& run, std::string_view text,
                                              std::size_t from);
  static bool ends(const Run& run, std::string_view text, std::size_t from);

  std::vector<Run> runs_;
  bool open_start_ = false;  // begins with %
  bool open_end_ = false;    // ends with %
};

/// At most so many characters of UTF-8.
std::string_view first_characters(std::string_view text, std::size_t count);

}  // namespace discreet::engine
