// SPDX-License-Identifier: Apache-2.0
#include "engine/key_ids.h"

#include "engine/key.h"

namespace discreet::engine {

KeyIds::KeyIds(const std::vector<KeyKind>& kinds, const Secret& secret) {
  for (KeyKind kind : kinds) {
    columns_.push_back({kind, WordIds(secret), TextIds(secret), WordIds(secret)});
  }
}

std::uint32_t KeyIds::of_text(std::size_t column, std::string_view text) {
  Column& in = columns_[column];
  return 1 + in.texts.id(in.kind == KeyKind::kCutText ? cut_key_text(text) : text);
}

std::size_t KeyIds::size() const {
  if (columns_.empty()) return 1;
  if (columns_.size() > 1) return columns_.back().pairs.size();
  const Column& only = columns_.front();
  return only.kind == KeyKind::kBoolean  ? 3
         : only.kind == KeyKind::kNumber ? 1 + only.numbers.size()
                                         : 1 + only.texts.size();
}

std::string KeyIds::bytes(std::uint32_t key) const {
  std::vector<std::uint32_t> values(columns_.size());
  for (std::size_t column = columns_.size(); column-- > 1;) {
    std::uint64_t pair = columns_[column].pairs.word(key);
    values[column] = static_cast<std::uint32_t>(pair);
    key = static_cast<std::uint32_t>(pair >> 32);
  }
  if (!values.empty()) values[0] = key;
  std::string out;
  for (std::size_t column = 0; column < values.size(); ++column)
    append(out, column, values[column]);
  return out;
}

void KeyIds::append(std::string& out, std::size_t column, std::uint32_t value) const {
  const Column& from = columns_[column];
  if (value == kNull) return append_null(out);
  switch (from.kind) {
    case KeyKind::kBoolean:
      return append_boolean(out, value == 2);
    case KeyKind::kNumber:
      return append_number(out, static_cast<std::int64_t>(from.numbers.word(value - 1)));
    case KeyKind::kText:
    case KeyKind::kCutText:
      return append_text(out, from.texts.text(value - 1));
  }
}

}  // namespace discreet::engine
