// SPDX-License-Identifier: Apache-2.0
#include "sql/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace discreet::sql {
namespace {

constexpr std::size_t kShownBefore = 60;  // characters of the line shown before the caret
constexpr std::size_t kShownAfter = 40;
constexpr std::size_t kMessageMax = 200;  // bytes

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// How many bytes the character at `at` has; 0 when it is not UTF-8 (overlong forms, surrogates and
// values past U+10FFFF are not).
std::size_t character_bytes(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + size > text.size()) return 0;
  std::uint32_t code = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if (!continues(text[at + i])) return 0;
    code = code << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
  return size;
}

// The characters of one line, with control characters as blanks.
std::vector<std::string> characters(std::string_view line) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t size = character_bytes(line, at);
    if (size == 0) break;  // a character cut in two
    const auto lead = static_cast<unsigned char>(line[at]);
    out.push_back(lead < 0x20 || lead == 0x7F ? " " : std::string(line.substr(at, size)));
    at += size;
  }
  return out;
}

}  // namespace

Result<Text> Text::read(std::string_view sql) {
  if (sql.size() > kBytesMax) {
    return invalid_input("the question has " + std::to_string(sql.size()) +
                         " bytes; at most 65,536 are read");
  }
  Text text{std::string(sql)};
  for (std::size_t at = 0; at < sql.size();) {
    const std::size_t size = character_bytes(sql, at);
    if (size == 0) {
      return invalid_input("byte " + std::to_string(at + 1) +
                           " of the question is not UTF-8; save the text as UTF-8");
    }
    if (sql[at] == '\0') {
      return invalid_input("byte " + std::to_string(at + 1) + " of the question is NUL; remove it");
    }
    at += size;
  }
  return text;
}

Error Text::error(Code code, Place place, const std::string& message) const {
  if (!place || *place > bytes_.size()) return {code, message};
  const std::string_view before = std::string_view(bytes_).substr(0, *place);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t first = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t last = std::min(bytes_.find('\n', first), bytes_.size());
  const auto shown = characters(std::string_view(bytes_).substr(first, last - first));
  const std::size_t column = characters(before.substr(first)).size();

  const std::size_t from = column > kShownBefore ? column - kShownBefore : 0;
  const std::size_t to = std::min(shown.size(), column + kShownAfter);
  std::string out = "line " + std::to_string(line) + ", column " + std::to_string(column + 1) +
                    ": " + message + "\n  ";
  if (from > 0) out += "...";
  for (std::size_t i = from; i < to; ++i) out += shown[i];
  if (to < shown.size()) out += "...";
  out += "\n  " + std::string(column - from + (from > 0 ? 3 : 0), ' ') + "^";
  return {code, out};
}

Error Text::parser_error(int character, std::string_view message) const {
  // The parser quotes the text, which may be long and of many lines.
  std::string shown;
  for (const std::string& c : characters(message.substr(0, kMessageMax))) shown += c;
  if (message.size() > kMessageMax) shown += "...";
  if (character <= 0) return {Code::kInvalidInput, shown};
  std::size_t at = 0;
  for (int i = 1; i < character && at < bytes_.size(); ++i) {
    at += std::max<std::size_t>(1, character_bytes(bytes_, at));
  }
  return error(Code::kInvalidInput, at, shown);
}

}  // namespace discreet::sql
