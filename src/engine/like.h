// SPDX-License-Identifier: Apache-2.0
// LIKE in time that no text can blow up: DuckDB's own tries all ways to share a text among several
// %, so that one person's long text could make a question last for ever (S9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace discreet::engine {

/// A pattern: % any characters, _ one character of UTF-8, \ takes the next one as it is.
///
/// What stands between two % has a fixed number of characters, so that the first place where it
/// fits is the best one: nothing is ever tried again. Where it fits is found by memmem, or, if an _
/// stands between its bytes, for all places at once: as a machine whose states are the bits of
/// words, which looks at each byte of the text once.
/// Cost: at most the length of the text times that of the pattern over 64; no recursion.
class LikePattern {
 public:
  explicit LikePattern(std::string_view pattern);
  /// Whether the whole text matches. Total; texts that are no UTF-8 match something.
  bool matches(std::string_view text) const {
    std::size_t steps = 0;
    return matches(text, steps);
  }
  /// Adds to `steps` how many words its machines have computed.
  bool matches(std::string_view text, std::size_t& steps) const;

 private:
  /// Bytes, then so many characters of any kind.
  struct Piece {
    std::string bytes;
    std::size_t any = 0;
  };
  /// Shift-And: a bit for each byte and each _ of a run, set after a byte of the text if the run up
  /// to there ends with it.
  struct Machine {
    std::size_t states = 0;
    std::optional<char> first = {};   ///< the byte with which a run begins, if it is one
    std::vector<std::uint64_t> next;  ///< [byte][word]: states that this byte leads to
    std::vector<std::uint64_t> any;   ///< states of an _, which the rest of a character leaves
    std::size_t words() const { return any.size(); }
  };
  /// What stands between two %.
  struct Run {
    std::vector<Piece> pieces;
    std::size_t characters = 0;
    std::optional<Machine> machine = {};  ///< of a run to be searched that has several pieces
  };
  /// Behind the last run that is looked for in the text; one after it stands at the text's end.
  std::size_t searched() const { return runs_.size() - (open_end_ || runs_.empty() ? 0 : 1); }
  static Machine machine_of(const Run& run);
  static std::optional<std::size_t> end_at(const Run& run, std::string_view text, std::size_t at);
  static std::optional<std::size_t> first_end(const Run& run, std::string_view text,
                                              std::size_t from, std::size_t& steps);
  static std::optional<std::size_t> first_end(const Machine& machine, std::string_view text,
                                              std::size_t from, std::size_t& steps);
  static bool ends(const Run& run, std::string_view text, std::size_t from);

  std::vector<Run> runs_;
  bool open_start_ = false;  // begins with %
  bool open_end_ = false;    // ends with %
};

/// At most so many characters of UTF-8.
std::string_view first_characters(std::string_view text, std::size_t count);

}  // namespace discreet::engine
