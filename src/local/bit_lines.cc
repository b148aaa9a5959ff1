// SPDX-License-Identifier: Apache-2.0
#include "local/bit_lines.h"

#include <array>
#include <optional>

namespace discreet::local {
namespace {

struct Word {
  std::string_view text;
  Vocabulary vocabulary;
  bool bit;
};

constexpr std::array<Word, 6> kWords = {{
    {"0", Vocabulary::kDigits, false},
    {"1", Vocabulary::kDigits, true},
    {"no", Vocabulary::kNoYes, false},
    {"yes", Vocabulary::kNoYes, true},
    {"false", Vocabulary::kFalseTrue, false},
    {"true", Vocabulary::kFalseTrue, true},
}};

// A line longer than this holds no word; it is refused before the rest of it has been read.
constexpr std::size_t kLineMax = 64;

bool same_word(std::string_view a, std::string_view lower_case) {
  if (a.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const char c = a[i] >= 'A' && a[i] <= 'Z' ? static_cast<char>(a[i] - 'A' + 'a') : a[i];
    if (c != lower_case[i]) return false;
  }
  return true;
}

std::optional<Word> find_word(std::string_view text) {
  for (const Word& word : kWords) {
    if (same_word(text, word.text)) return word;
  }
  return std::nullopt;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

Error at_line(std::uint64_t line, const std::string& what) {
  return invalid_input("line " + std::to_string(line) + " " + what);
}

}  // namespace

std::string_view spelling(Vocabulary vocabulary, bool bit) {
  return kWords[static_cast<std::size_t>(vocabulary) * 2 + (bit ? 1 : 0)].text;
}

Result<void> BitLines::take_line(std::string_view line) {
  const std::string_view text = trimmed(line);
  if (text.empty()) {
    ++blank_lines_;
    return {};
  }
  if (blank_lines_ > 0) {
    return at_line(bits_.size() + 1, "is empty; write one bit a line (0/1, yes/no or true/false)");
  }
  const std::optional<Word> word = find_word(text);
  if (!word) {
    return at_line(line_number(),
                   "is " + in_quotes(text) + "; write one bit a line (0/1, yes/no or true/false)");
  }
  if (bits_.empty()) vocabulary_ = word->vocabulary;
  if (word->vocabulary != vocabulary_) {
    return at_line(line_number(), "is " + in_quotes(text) + " but line 1 uses " +
                                      std::string(spelling(vocabulary_, false)) + "/" +
                                      std::string(spelling(vocabulary_, true)) +
                                      "; use one spelling throughout");
  }
  bits_.push_back(word->bit ? 1 : 0);
  return {};
}

/// Takes whole lines of the plainest form, "0\n" or "1\n", off the front; says how many characters.
std::size_t BitLines::take_digit_lines(std::string_view text) {
  std::size_t lines = 0;
  while (2 * lines + 1 < text.size() && (text[2 * lines] | 1) == '1' &&
         text[2 * lines + 1] == '\n') {
    ++lines;
  }
  const std::size_t first = bits_.size();
  bits_.resize(first + lines);
  for (std::size_t i = 0; i < lines; ++i) {
    bits_[first + i] = static_cast<std::uint8_t>(text[2 * i] & 1);
  }
  return 2 * lines;
}

Result<void> BitLines::feed(std::string_view piece) {
  while (!piece.empty()) {
    if (unfinished_.empty() && blank_lines_ == 0 && !bits_.empty() &&
        vocabulary_ == Vocabulary::kDigits) {
      piece.remove_prefix(take_digit_lines(piece));
    }
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (unfinished_.size() + part.size() > kLineMax) {
      return at_line(line_number(),
                     "is too long; write one bit a line (0/1, yes/no or true/false)");
    }
    unfinished_ += part;
    if (end == std::string_view::npos) return {};
    DISCREET_TRY(take_line(unfinished_));
    unfinished_.clear();
    piece.remove_prefix(end + 1);
  }
  return {};
}

Result<void> BitLines::finish() {
  if (!unfinished_.empty()) DISCREET_TRY(take_line(unfinished_));
  unfinished_.clear();
  if (bits_.empty()) {
    return invalid_input("there is no input; write one bit a line (0/1, yes/no or true/false)");
  }
  return {};
}

}  // namespace discreet::local
