// SPDX-License-Identifier: Apache-2.0
// 128-bit integers: wide enough for an exact sum of 2^62 values of 64 bits.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace discreet {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

inline constexpr Int128 kInt128Max = static_cast<Int128>(~Uint128{0} >> 1);
inline constexpr Int128 kInt128Min = -kInt128Max - 1;

std::string to_string(Int128 value);

/// The nearest value that fits.
constexpr std::int64_t saturate_to_int64(Int128 value) {
  constexpr Int128 kMax = std::numeric_limits<std::int64_t>::max();
  constexpr Int128 kMin = std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value > kMax ? kMax : (value < kMin ? kMin : value));
}

/// a + b, or the nearest value that fits. Only ever the last step: saturating sums depend on their
/// order.
constexpr Int128 saturating_add(Int128 a, Int128 b) {
  Int128 sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? kInt128Max : kInt128Min;
}

/// floor(a / b) for b > 0.
constexpr Int128 floor_div(Int128 a, Int128 b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace discreet
