// SPDX-License-Identifier: Apache-2.0
#include "engine/text/json_line.h"

#include <cstdint>
#include <optional>

namespace discreet::engine::text {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The value of four hexadecimal digits.
std::optional<std::uint32_t> hex4(std::string_view digits) {
  if (digits.size() < 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : digits.substr(0, 4)) {
    const char small = static_cast<char>(c | 0x20);
    if (!is_digit(c) && (small < 'a' || small > 'f')) return std::nullopt;
    value = value * 16 + static_cast<std::uint32_t>(is_digit(c) ? c - '0' : small - 'a' + 10);
  }
  return value;
}

bool is_high(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

/// What stands behind a backslash: how many bytes, and which character.
struct Escape {
  std::size_t bytes;
  std::uint32_t character;
};

std::optional<Escape> read_escape(std::string_view rest) {
  if (rest.empty()) return std::nullopt;
  switch (rest.front()) {
    case '"':
    case '\\':
    case '/':
      return Escape{1, static_cast<unsigned char>(rest.front())};
    case 'b':
      return Escape{1, '\b'};
    case 'f':
      return Escape{1, '\f'};
    case 'n':
      return Escape{1, '\n'};
    case 'r':
      return Escape{1, '\r'};
    case 't':
      return Escape{1, '\t'};
    case 'u':
      break;
    default:
      return std::nullopt;
  }
  const auto first = hex4(rest.substr(1));
  if (!first || is_low(*first)) return std::nullopt;
  if (!is_high(*first)) return Escape{5, *first};
  if (!rest.substr(5).starts_with("\\u")) return std::nullopt;
  const auto second = hex4(rest.substr(7));
  if (!second || !is_low(*second)) return std::nullopt;
  return Escape{11, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00)};
}

void append_utf8(std::uint32_t character, std::string& out) {
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((character >> shift) & 0x3FU));
  };
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xC0U | (character >> 6));
    tail(0);
  } else if (character < 0x10000) {
    out += static_cast<char>(0xE0U | (character >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (character >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// Reads from the front of a line; each function says whether what it is named for was there.
class JsonScan {
 public:
  explicit JsonScan(std::string_view line) : line_(line) {}

  /// `fields`: where the members go; null: nowhere.
  bool object(int depth, std::vector<JsonField>* fields) {
    if (!take('{')) return false;
    blanks();
    if (take('}')) return true;
    while (true) {
      JsonField field;
      if (!string(field.name)) return false;
      blanks();
      if (!take(':')) return false;
      if (!value(depth + 1, field.value)) return false;
      if (fields != nullptr) fields->push_back(field);
      if (take('}')) return true;
      if (!take(',')) return false;
      blanks();
    }
  }
  void blanks() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
  }
  bool at_end() const { return at_ == line_.size(); }

 private:
  char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  bool take(char c) {
    if (at_end() || line_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// With the blanks around it.
  bool value(int depth, JsonPart& part) {
    if (depth > kJsonDepthMax) return false;
    blanks();
    const std::size_t begin = at_;
    if (peek() == '"') {
      if (!string(part)) return false;
    } else {
      if (!(peek() == '{'   ? object(depth, nullptr)
            : peek() == '[' ? array(depth)
                            : literal() || number())) {
        return false;
      }
      part = {line_.substr(begin, at_ - begin)};
    }
    blanks();
    return true;
  }

  bool array(int depth) {
    if (!take('[')) return false;
    blanks();
    if (take(']')) return true;
    JsonPart ignored;
    do {
      if (!value(depth + 1, ignored)) return false;
    } while (take(','));
    return take(']');
  }

  bool string(JsonPart& part) {
    if (!take('"')) return false;
    const std::size_t begin = at_;
    bool is_escaped = false;
    while (!at_end() && line_[at_] != '"') {
      if (static_cast<unsigned char>(line_[at_]) < 0x20) return false;
      if (line_[at_] == '\\') {
        const auto escape = read_escape(line_.substr(at_ + 1));
        if (!escape) return false;
        is_escaped = true;
        at_ += escape->bytes;
      }
      ++at_;
    }
    part = {line_.substr(begin, at_ - begin), true, is_escaped};
    return take('"');
  }

  bool literal() {
    for (const std::string_view word : {"true", "false", "null"}) {
      if (!line_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return true;
    }
    return false;
  }

  bool digits() {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    return at_ > begin;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (peek() != 'e' && peek() != 'E') return true;
    ++at_;
    if (!take('-')) take('+');
    return digits();
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace

bool json_fields(std::string_view line, std::vector<JsonField>& fields) {
  fields.clear();
  if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  JsonScan scan(line);
  scan.blanks();
  if (!scan.object(0, &fields)) return false;
  scan.blanks();
  return scan.at_end();
}

std::string_view json_text(const JsonPart& part, std::string& scratch) {
  if (!part.is_escaped) return part.raw;
  scratch.clear();
  for (std::size_t at = 0; at < part.raw.size(); ++at) {
    if (part.raw[at] != '\\') {
      scratch += part.raw[at];
      continue;
    }
    const auto escape = read_escape(part.raw.substr(at + 1));
    if (!escape) return {};  // not from json_fields
    append_utf8(escape->character, scratch);
    at += escape->bytes;
  }
  return scratch;
}

}  // namespace discreet::engine::text
