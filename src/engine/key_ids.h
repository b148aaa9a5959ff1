// SPDX-License-Identifier: Apache-2.0
// A thread's numbers for the keys it has seen. Columns are read one after the other: the first
// gives a number, each further one pairs it with its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/interning.h"

namespace discreet::engine {

enum class KeyKind {
  kBoolean,
  kNumber,
  kText,     ///< as it is: keys that are listed
  kCutText,  ///< its first 256 characters: keys that must be found
};

class KeyIds {
 public:
  static constexpr std::uint32_t kNull = 0;

  KeyIds(const std::vector<KeyKind>& kinds, const Secret& secret);

  std::size_t columns() const { return columns_.size(); }
  KeyKind kind(std::size_t column) const { return columns_[column].kind; }

  /// The number of a value in its column.
  static std::uint32_t of_boolean(bool value) { return value ? 2 : 1; }
  std::uint32_t of_number(std::size_t column, std::int64_t steps) {
    return 1 + columns_[column].numbers.id(static_cast<std::uint64_t>(steps));
  }
  std::uint32_t of_text(std::size_t column, std::string_view text);

  /// The number of the key so far, extended by a value's number in `column`. Before: 0.
  std::uint32_t extend(std::size_t column, std::uint32_t before, std::uint32_t value) {
    if (column == 0) return value;
    return columns_[column].pairs.id(std::uint64_t{before} << 32 | value);
  }

  /// One more than the largest number of a key.
  std::size_t size() const;
  /// The canonical bytes (engine/key.h).
  std::string bytes(std::uint32_t key) const;

 private:
  struct Column {
    KeyKind kind;
    WordIds numbers;
    TextIds texts;
    WordIds pairs;
  };
  void append(std::string& out, std::size_t column, std::uint32_t value) const;

  std::vector<Column> columns_;
};

}  // namespace discreet::engine
