// SPDX-License-Identifier: Apache-2.0
// x + Z as the last exact step of every additive mechanism: the value and the answer are held
// inside a public range, so that the sum of two finite words is a function of the exact sum.
//
// Law: let m be the limit, c = clamp to [-m, m], and w > 2m a bound beyond which a sampler hands
// out +-w instead of larger noise. For every x and every exact Z:
//   add_noise(x, z) = c(c(x) + Z)   whether z = Z or z = Z cut off at +-w.
// Proof: if |Z| < w then z = Z. Else |c(x) + Z| >= w - m > m with the sign of Z, and so is
// |c(x) + z|: both sides are +m or both are -m.
// So the mechanism is post-processing of c(x) + Z, and c moves no two values apart: privacy is
// that of x + Z, even in the tails that no machine word holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "numeric/int128.h"

namespace discreet::mechanism {

/// Sums that verbs.h makes are below 2^126 in size, so the clamp changes none of them.
inline constexpr Int128 kAnswerMax = (Int128{1} << 126) - 1;
inline constexpr std::int64_t kEntryMax = (std::int64_t{1} << 62) - 1;

/// A released entry that stands for all numbers from there on: its value is a bound, no estimate.
constexpr bool is_at_limit(std::int64_t entry) { return entry == kEntryMax || entry == -kEntryMax; }

constexpr Int128 add_noise(Int128 x, Int128 z) {
  return std::clamp(saturating_add(std::clamp(x, -kAnswerMax, kAnswerMax), z), -kAnswerMax,
                    kAnswerMax);
}

/// The same for an entry of an array.
constexpr std::int64_t add_noise_to_entry(std::int64_t x, std::int64_t z) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(std::clamp(x, -kEntryMax, kEntryMax), z, &sum)) {
    return z > 0 ? kEntryMax : -kEntryMax;
  }
  return std::clamp(sum, -kEntryMax, kEntryMax);
}

// w > 2m, for the widest words that samplers fill.
static_assert(kInt128Max > 2 * kAnswerMax);
static_assert(std::numeric_limits<std::int64_t>::max() > 2 * kEntryMax);

}  // namespace discreet::mechanism
