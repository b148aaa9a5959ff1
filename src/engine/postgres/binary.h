// SPDX-License-Identifier: Apache-2.0
// Values as PostgreSQL sends them in binary: big-endian integers, IEEE bits, numerics as digits of
// base 10,000. Reading is total: every byte string is a value on the grid or NULL, and what
// PostgreSQL itself would not send (a length that does not fit, a digit above 9,999) is NULL. The
// value depends on the field's own bytes alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "engine/quantize.h"
#include "numeric/int128.h"
#include "policy/policy.h"

namespace discreet::engine::postgres {

template <class T>
T big_endian(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (sizeof(T) == 2)
    return static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
  if constexpr (sizeof(T) == 4)
    return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
}

/// A field of exactly the size of T, or nothing.
template <class T>
std::optional<T> fixed(std::optional<std::string_view> field) {
  if (!field || field->size() != sizeof(T)) return std::nullopt;
  return big_endian<T>(field->data());
}

/// A truth value: one byte, false if it is zero; or nothing.
inline std::optional<bool> truth(std::optional<std::string_view> field) {
  if (!field || field->size() != 1) return std::nullopt;
  return field->front() != 0;
}

/// Walks over the fields of a row: a count of two bytes, then each with its length before it.
class FieldReader {
 public:
  explicit FieldReader(std::string_view row) : rest_(row.substr(std::min(row.size(), kCount))) {}
  /// The next field's bytes, or nothing for NULL. A row that ends too soon has NULLs from there on.
  std::optional<std::string_view> next();

 private:
  static constexpr std::size_t kCount = 2;
  std::string_view rest_;
};

class Numeric;

/// A numeric that is a whole number below 2^126 in size, or nothing.
std::optional<Int128> numeric_integer(std::optional<std::string_view> field);

/// How a stored column of a type that is fetched as it is (dialect.h) is brought onto its grid:
/// the rule of quantize.h, for numerics of any length too.
///
/// Work: each byte is looked at a fixed number of times, and computing on a digit of a numeric is
/// on integers of a size that depends on the grid alone.
class StoredForm {
 public:
  StoredForm(unsigned int type, const policy::Grid& grid);
  /// A numeric's NaN is NULL, infinities are the ends.
  std::optional<std::int64_t> steps(std::string_view bytes) const;

 private:
  template <class T>
  std::optional<std::int64_t> whole(std::string_view bytes, std::int64_t later) const;
  std::optional<std::int64_t> numeric(const Numeric& number) const;
  std::int64_t long_numeric(const Numeric& number) const;

  unsigned int type_;
  Quantizer quantizer_;
  // For long numerics, with a step of p/q:
  Integer most_;     // steps in size
  int reach_ = 0;    // 10000^reach_ is beyond them,
  int behind_ = 0;   // and 10000^-behind_ is at most a step
  Integer twice_q_;  // 2q
  Integer half_;     // p 10000^behind_
};

}  // namespace discreet::engine::postgres
