// SPDX-License-Identifier: Apache-2.0
// Verbs on sealed values: clamp, sum, count. Sealed in, sealed out, and total: no value can make
// them fail, overflow or depend on the order of rows.
//
// Stability, for one row added or removed / replaced (proof: verbs.md)
//   clamp_and_sum   max(|low|, |high|)  /  high - low
//   count           1                   /  0
// A person with k rows moves k times as much.
// On groups: column, runs, key_counts and key_sums copy entries; what moved a group moves its
// entry, nothing else. cells counts a group's rows: a row moves one entry by 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mechanism/codes.h"
#include "mechanism/groups.h"
#include "mechanism/unit_rows.h"
#include "numeric/rational.h"
#include "privacy/cost.h"
#include "privacy/sensitive.h"

namespace discreet::mechanism {

/// Declared bounds of a column: public, low <= high.
class Bounds {
 public:
  struct Ends {
    std::int64_t low;
    std::int64_t high;
  };
  /// Fails with: kInvalidInput when low > high.
  static Result<Bounds> make(const Ends& ends);

  std::int64_t low() const { return ends_.low; }
  std::int64_t high() const { return ends_.high; }
  /// How far one row moves a sum.
  Int128 stability(Neighbours neighbours) const;
  /// max(|low|, |high|)
  Int128 magnitude() const { return stability(Neighbours::kAddRemove); }

 private:
  explicit Bounds(const Ends& ends) : ends_(ends) {}
  Ends ends_;
};

struct SumBound {
  Integer rows_max;   ///< a public bound on the number of rows
  Integer magnitude;  ///< a bound on each row's size
};

/// That a sum of so many rows of this size stays below 2^126, where 128-bit sums are exact and no
/// clamp changes them.
/// Fails with: kInvalidInput otherwise, naming what to lower.
Result<void> check_sum_bound(const SumBound& bound);

class Verbs {
 public:
  /// The sum of the clamped values, exactly: 2^62 rows of 64 bits stay below 2^126.
  static Sensitive<Int128> clamp_and_sum(const Sensitive<std::vector<std::int64_t>>& rows,
                                         const Bounds& bounds);

  /// The number of rows.
  static Sensitive<Int128> count(const Sensitive<std::vector<std::int64_t>>& rows);

  // Of groups, for public keys: listed ones, or released by KeySelection or ThresholdedGroups. A
  // measurement that the groups do not hold is our bug (a CHECK).

  /// integers[measurement] of each key's group, clamped to +-(2^62 - 1); 0 where there is no group.
  /// Time O(groups + keys).
  static Sensitive<std::vector<std::int64_t>> column(const Sensitive<Groups>& groups,
                                                     std::size_t measurement,
                                                     const std::vector<std::string>& keys);

  /// The same for one key.
  static Sensitive<Int128> number(const Sensitive<Groups>& groups, std::size_t measurement,
                                  const std::string& key);

  /// runs[measurement] of each key's group; empty where there is no group.
  static Sensitive<std::vector<Runs>> runs(const Sensitive<Groups>& groups, std::size_t measurement,
                                           const std::vector<std::string>& keys);

  /// For each key how many of the rows of runs[measurement] lie below its first cut, from each cut
  /// on up to the next, and from the last on: one more than it has cuts. Requires: one list of cuts
  /// for each key, rising.
  static Sensitive<std::vector<std::int64_t>> cells(
      const Sensitive<Groups>& groups, std::size_t measurement,
      const std::vector<std::string>& keys, const std::vector<std::vector<std::int64_t>>& cuts);

  /// All groups' keys with their units, for KeySelection.
  static Sensitive<KeyCounts> key_counts(const Sensitive<Groups>& groups);

  // Of rows (codes.cc).

  /// The rows that have a place on every axis.
  static Sensitive<Codes> codes(const Sensitive<UnitRows>& rows, const std::vector<Axis>& axes,
                                const std::vector<Weight>& weights);

  /// A dense table. Time O(rows + cells).
  static Sensitive<std::vector<std::int64_t>> table(const Sensitive<Codes>& codes,
                                                    const TableOf& which);

  /// How many rows a day has, at most `rows` of each unit. Requires: one column, of days. A unit
  /// moves each day on which it has rows by at most `rows`; on how many days it counts is the
  /// caller's to bound, as CountedDays does.
  static Sensitive<Int128> day_count(const Sensitive<UnitRows>& rows, const DayRule& rule);

  /// All groups' keys with their units and integers[measurement], for ThresholdedGroups.
  static Sensitive<KeySums> key_sums(const Sensitive<Groups>& groups, std::size_t measurement,
                                     Int128 capacity);
};

}  // namespace discreet::mechanism
