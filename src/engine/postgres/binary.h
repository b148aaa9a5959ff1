// SPDX-License-Identifier: Apache-2.0
// Values as PostgreSQL sends them in binary: big-endian integers, IEEE bits, numerics as digits of
// base 10,000. Reading is total: whatever a field holds, it is a value on the grid or NULL.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/check.h"
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

/// Walks over the fields of a row.
class FieldReader {
 public:
  explicit FieldReader(std::string_view row) : at_(row.data() + 2), end_(row.data() + row.size()) {}
  /// The next field's bytes, or nothing for NULL.
  std::optional<std::string_view> next() {
    DISCREET_CHECK(end_ - at_ >= 4);
    const auto size = big_endian<std::int32_t>(at_);
    at_ += 4;
    if (size < 0) return std::nullopt;
    DISCREET_CHECK(end_ - at_ >= size);
    const std::string_view bytes(at_, static_cast<std::size_t>(size));
    at_ += size;
    return bytes;
  }

 private:
  const char* at_;
  const char* end_;
};

/// A numeric onto a grid: NaN is NULL, infinities are the ends.
std::optional<std::int64_t> numeric_steps(std::string_view bytes, const Quantizer& quantizer);
/// A numeric that is a whole number below 2^126.
Int128 numeric_integer(std::string_view bytes);

/// A stored column of a type that is fetched as it is (dialect.h), onto its grid.
std::optional<std::int64_t> stored_steps(unsigned int type, std::string_view bytes,
                                         const Quantizer& quantizer);

}  // namespace discreet::engine::postgres
