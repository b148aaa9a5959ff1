// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/types.h"

#include <charconv>
#include <utility>

namespace discreet::engine::trino {
namespace {

constexpr std::pair<const char*, Kind> kPlain[] = {
    {"boolean", Kind::kBoolean}, {"tinyint", Kind::kWhole}, {"smallint", Kind::kWhole},
    {"integer", Kind::kWhole},   {"bigint", Kind::kWhole},  {"decimal", Kind::kDecimal},
    {"real", Kind::kReal},       {"double", Kind::kDouble}, {"varchar", Kind::kVarchar},
    {"char", Kind::kChar},       {"date", Kind::kDate},     {"timestamp", Kind::kTimestamp},
    {"uuid", Kind::kUuid},       {"array", Kind::kNested},  {"map", Kind::kNested},
    {"row", Kind::kNested},
};

/// The next number of "(12, 2)".
int number_in(const std::string& words, std::size_t& at) {
  at = words.find_first_of("0123456789", at);
  if (at == words.npos) return 0;
  int value = 0;
  const auto [end, fault] = std::from_chars(words.data() + at, words.data() + words.size(), value);
  at = static_cast<std::size_t>(end - words.data());
  return fault == std::errc{} ? value : 0;
}

}  // namespace

Type parse_type(const std::string& words) {
  Type type;
  const std::size_t end = std::min(words.find_first_of("( "), words.size());
  for (const auto& [word, kind] : kPlain) {
    if (words.compare(0, end, word) == 0) type.kind = kind;
  }
  if (type.kind == Kind::kDecimal) {
    std::size_t at = end;
    type.precision = number_in(words, at);
    type.scale = at == words.npos ? 0 : number_in(words, at);
  }
  if (type.kind == Kind::kTimestamp) {
    std::size_t at = end;
    type.precision = words.find('(') == words.npos ? 3 : number_in(words, at);
    if (words.ends_with("with time zone")) type.kind = Kind::kTimestampTz;
  }
  return type;
}

unsigned int code_of(const Type& type) {
  return static_cast<unsigned int>(type.kind) | static_cast<unsigned int>(type.precision) << 8 |
         static_cast<unsigned int>(type.scale) << 16;
}

Type type_of(unsigned int code) {
  return {static_cast<Kind>(code & 255), static_cast<int>(code >> 8 & 255),
          static_cast<int>(code >> 16 & 255)};
}

bool can_read(const Type& from, policy::Type to) {
  const Kind kind = from.kind;
  const bool text = kind == Kind::kVarchar || kind == Kind::kChar;
  switch (to) {
    case policy::Type::kText:
      return text || kind == Kind::kWhole || kind == Kind::kUuid || kind == Kind::kBoolean ||
             kind == Kind::kDate;
    case policy::Type::kInteger:
    case policy::Type::kDecimal:
      return text || kind == Kind::kWhole || kind == Kind::kDecimal || kind == Kind::kReal ||
             kind == Kind::kDouble || kind == Kind::kBoolean;
    case policy::Type::kBoolean:
      return kind == Kind::kBoolean || kind == Kind::kWhole;
    case policy::Type::kDate:
    case policy::Type::kTimestamp:
      return kind == Kind::kDate || kind == Kind::kTimestamp || kind == Kind::kTimestampTz;
  }
  return false;
}

bool can_identify(const Type& type) {
  return type.kind != Kind::kOther && type.kind != Kind::kNested;
}

}  // namespace discreet::engine::trino
