// SPDX-License-Identifier: Apache-2.0
// Reads bits, one a line, from text that arrives in pieces: 0/1, no/yes or false/true, in any case.
//
//   BitLines lines;
//   while (...) DISCREET_TRY(lines.feed(piece));
//   DISCREET_TRY(lines.finish());
//   lines.bits();
//
// Line ends may be LF or CRLF; the last one may be missing, and empty lines may follow it. All
// lines use one vocabulary (local/README.md, invariant 3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace discreet::local {

enum class Vocabulary { kDigits, kNoYes, kFalseTrue };

/// How the vocabulary writes a bit: "no", "true".
std::string_view spelling(Vocabulary vocabulary, bool bit);

class BitLines {
 public:
  /// Takes the next piece; a piece may end anywhere.
  /// Fails with: kInvalidInput, naming the line. The reader is then of no further use.
  Result<void> feed(std::string_view piece);

  /// Says that no more pieces come.
  /// Fails with: kInvalidInput when the last line is off, or when there were none at all.
  Result<void> finish();

  /// One byte, 0 or 1, for each line.
  const std::vector<std::uint8_t>& bits() const { return bits_; }
  /// Requires: at least one line.
  Vocabulary vocabulary() const { return vocabulary_; }

 private:
  Result<void> take_line(std::string_view line);
  std::size_t take_digit_lines(std::string_view text);
  std::uint64_t line_number() const { return bits_.size() + blank_lines_ + 1; }

  std::vector<std::uint8_t> bits_;
  std::string unfinished_;  // the beginning of a line that was cut by the end of a piece
  Vocabulary vocabulary_ = Vocabulary::kDigits;
  std::uint64_t blank_lines_ = 0;  // at the end, so far
};

}  // namespace discreet::local
