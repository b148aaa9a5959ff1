// SPDX-License-Identifier: Apache-2.0
// The clipped sum: each unit's vector, whatever a function makes of its rows, is held inside a ball
// in exact integers and added up. It opens nothing itself: ClippedSums calls it.
//
// Law (clipped_sums.md §1). For every function f of one row, and data that differ by one unit added
// or removed, the sums differ by a vector of norm <= limit; by one unit replaced, <= 2 limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "mechanism/unit_rows.h"
#include "numeric/int128.h"

namespace discreet::mechanism {

/// Writes a vector for one row. Not trusted with its size: any integers will do. Trusted not to
/// remember: what it writes must depend on this row and on released values alone (CAVEATS).
using RowFunction =
    std::function<void(std::span<const std::int64_t> row, std::span<std::int64_t> out)>;

/// The same for vectors that are mostly 0: (entry, value) pairs, appended to `out`. Pairs of one
/// entry add up; entries beyond the width are left out.
using SparseEntries = std::vector<std::pair<std::size_t, std::int64_t>>;
using SparseRowFunction =
    std::function<void(std::span<const std::int64_t> row, SparseEntries& out)>;

enum class ClippingNorm { kL1, kL2 };

/// The largest limit: the sum of 2^38 units stays below 2^62.
inline constexpr std::int64_t kClippingLimitMax = std::int64_t{1} << 24;
/// What a row, and a unit, can bring to one entry before the ball: no sum below overflows.
inline constexpr std::int64_t kRowEntryMax = std::int64_t{1} << 30;
inline constexpr std::int64_t kUnitEntryMax = std::int64_t{1} << 38;

/// The largest r with r * r <= x. Requires: x >= 0.
Int128 floor_root(Int128 x);

/// Scales `entries` towards 0 until their norm is at most `limit`; leaves them alone if it is.
/// Requires: 1 <= limit <= kClippingLimitMax; entries within +-kUnitEntryMax.
void clip(std::span<std::int64_t> entries, ClippingNorm norm, std::int64_t limit);

struct SumShape {
  std::size_t width = 0;  ///< how long the vectors are
  ClippingNorm norm = ClippingNorm::kL2;
  std::int64_t limit = 0;
};

/// The sum over all units u with joins[u] != 0 (all of them when `joins` is empty) of
/// clip(sum of f over the rows of u).
std::vector<std::int64_t> clipped_sum(const UnitRows& rows, std::span<const std::uint8_t> joins,
                                      const SumShape& shape, const RowFunction& f);
std::vector<std::int64_t> clipped_sum(const UnitRows& rows, std::span<const std::uint8_t> joins,
                                      const SumShape& shape, const SparseRowFunction& f);

}  // namespace discreet::mechanism
