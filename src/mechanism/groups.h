// SPDX-License-Identifier: Apache-2.0
// Groups: what an engine brings back, sealed. For every group that has a row: its key, and the
// integers that were measured in it. Which groups exist is as secret as the integers.
//
//   Sensitive<Groups> groups = engine.run(checked);
//   keys   = listed in the policy, or released by KeySelection from Verbs::key_counts(groups)
//   column = Verbs::column(groups, 0, keys)     sealed; 0 for a public key that has no row
//   answer = Door::release(LaplaceVector, column, receipt)
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "numeric/int128.h"
#include "privacy/sensitive.h"

namespace discreet::mechanism {

/// A sorted multiset of integers: (value, how often), by increasing value, no value twice.
using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Groups {
  /// Canonical bytes of each group's key (engine/key.h); no key twice, any order.
  std::vector<std::string> keys;
  /// units[g]: how many units have a row in group g, after bounding. Empty when nobody needs it.
  std::vector<std::int64_t> units;
  /// integers[m][g]: measurement m in group g. Sums are exact; a quantile's place is empty.
  std::vector<std::vector<Int128>> integers;
  /// runs[m][g]: for a quantile, the values in group g; else empty.
  std::vector<std::vector<Runs>> runs;

  friend void wipe(Groups& groups) {  // found by its argument in privacy/sensitive.h
    discreet::wipe(groups.keys);
    discreet::wipe(groups.units);
    discreet::wipe(groups.integers);
    discreet::wipe(groups.runs);
  }
};

/// The groups' keys and how many units have a row in each: what KeySelection decides from.
struct KeyCounts {
  std::vector<std::string> keys;    ///< no key twice, any order
  std::vector<std::int64_t> units;  ///< one for each key

  friend void wipe(KeyCounts& counts) {
    discreet::wipe(counts.keys);
    discreet::wipe(counts.units);
  }
};

/// The groups' keys, how many units have a row in each, and one measurement: what ThresholdedGroups
/// decides from.
struct KeySums {
  std::vector<std::string> keys;    ///< no key twice, any order
  std::vector<std::int64_t> units;  ///< one for each key
  std::vector<Int128> sums;         ///< likewise
  Int128 capacity = 0;              ///< the most that a unit adds to a sum; public

  friend void wipe(KeySums& groups) {
    discreet::wipe(groups.keys);
    discreet::wipe(groups.units);
    discreet::wipe(groups.sums);
  }
};

}  // namespace discreet::mechanism
