// SPDX-License-Identifier: Apache-2.0
// Codes: rows as places along public axes, sealed; what tables are counted from. Verbs::codes makes
// them from an engine's rows, Verbs::table counts.
//
// Stability. A row adds to exactly one cell of a table, by 1 or by its weight, at most `largest` in
// size, or to none; which one is a function of that row. So a unit with m rows moves a table by at
// most m largest in L1 when it is added or removed, and by 2 m largest when it is replaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "privacy/sensitive.h"

namespace discreet::mechanism {

/// How an integer of a row becomes a place: so many neighbouring values share one; or, if there are
/// cuts, those between two of them (a cut belongs to the place above it). What lies beyond the
/// places, or is missing, belongs to the last one (`rest`), or its row counts nowhere.
struct Axis {
  std::size_t column = 0;
  std::int64_t width = 1;
  std::int64_t places = 2;
  bool rest = false;
  std::vector<std::int64_t> cuts = {};  ///< increasing; places - 1 of them, less one for a rest

  /// Places that are put together: groups[place] in place of it. Empty: none are.
  std::vector<std::uint32_t> groups = {};

  /// The place, or -1.
  std::int64_t place(std::int64_t value) const;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// How an integer of a row becomes a weight: (value + offset) / width to the nearest, held within
/// +-largest; missing ones are 0.
struct Weight {
  std::size_t column = 0;
  std::int64_t width = 1;
  std::int64_t offset = 0;
  std::int64_t largest = 1;  ///< at most 2^30

  std::int64_t weigh(std::int64_t value) const;
  friend bool operator==(const Weight&, const Weight&) = default;
};

/// What stands for a missing value in UnitRows.
inline constexpr std::int64_t kMissing = std::numeric_limits<std::int64_t>::min();

struct Codes {
  std::size_t rows = 0;
  std::vector<std::vector<std::uint32_t>> places;  ///< [axis][row]
  std::vector<std::vector<std::int64_t>> weights;  ///< [weight][row]
  std::vector<std::int64_t> sizes;                 ///< of the axes; public

  friend void wipe(Codes& codes) {  // found by its argument in privacy/sensitive.h
    discreet::wipe(codes.places);
    discreet::wipe(codes.weights);
  }
};

/// Which table.
struct TableOf {
  std::vector<std::size_t> axes = {};      ///< the last fastest; none: one cell
  std::optional<std::size_t> weight = {};  ///< none: rows are counted
  friend bool operator==(const TableOf&, const TableOf&) = default;
};

/// Of a stream of days: a unit counts on the first `days` of them on which it has rows when they
/// are counted, with at most `rows` on each (counted_days.h).
struct DayRule {
  std::int64_t day = 0;    ///< whose count is wanted
  std::int64_t first = 0;  ///< earlier days do not belong to the stream
  std::int64_t days = 1;
  std::int64_t rows = 1;
};

}  // namespace discreet::mechanism
