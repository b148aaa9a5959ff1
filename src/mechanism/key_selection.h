// SPDX-License-Identifier: Apache-2.0
// KeySelection: which of the keys that occur may be shown? Partition selection on every key, for a
// unit that may have several.
//
//   DISCREET_ASSIGN(auto selection, KeySelection::make({.epsilon = e, .delta = d,
//                                                       .keys_per_unit = 3}));
//   DISCREET_ASSIGN(auto keys, Door::release(selection, Verbs::key_counts(groups),
//                                            std::move(receipt)));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "mechanism/groups.h"
#include "mechanism/partition_selection.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

class Door;

/// Mechanism    each key is kept, independently, with probability p(units that have it), p being
///              partition selection's at (epsilon/k, delta/k).
/// Domain       any finite set of keys, each with a count; a key that is not in it has count 0 and
///              p(0) = 0, so the input is a count for every key there could be. k is public.
/// Neighbours   counts that differ in at most k keys, by at most one in each.
/// Measure      (epsilon, delta)-DP, and delta-approximate zCDP.
/// Theorem      (epsilon, delta)-DP; delta-approximately (epsilon^2/(2k))-zCDP.
/// Proof        key_selection.md §2, §3
/// Privacy map  k keys -> (epsilon, delta, epsilon^2/(2k)), exact rationals.
/// Accuracy     always_from(): a key with so many units is certainly kept; one without never.
/// Output       the kept keys in byte order. No index and no order of the input leaves: a rank
///              among all keys would tell how many hidden ones there are.
/// Randomness   OS entropy only; exact coins, a word for each key.
/// Fails with   nothing on data.
/// Side channel time grows with the number of keys, hidden ones too: see CAVEATS.
/// Source       [Desfontaines-Voss-Gipson-Mandayam 2022], composed.
/// Trust        proved.
/// Checked by   key_selection_test (all tapes, neighbours, planted faults), audit exact
///              key-selection.
class KeySelection {
 public:
  using Input = KeyCounts;
  using Output = std::vector<std::string>;  ///< in byte order

  struct Options {
    Epsilon epsilon;             ///< of the whole release
    Delta delta;                 ///< of the whole release
    std::int64_t keys_per_unit;  ///< in how many keys a unit may be counted
  };

  /// Fails with: kInvalidInput unless keys_per_unit >= 1 and delta is large enough for partition
  /// selection.
  static Result<KeySelection> make(Options options);

  NoiseSpec noise() const;
  Cost cost() const;
  /// None: the answer is keys, not numbers.
  std::optional<Accuracy> accuracy(const Confidence&) const { return std::nullopt; }

  /// The least number of units from which a key is certainly kept.
  const Integer& always_from() const { return each_.always_from(); }
  /// What decides about each key.
  const PartitionSelection& each() const { return each_; }

  /// The counts, in byte order of their keys.
  static std::vector<Int128> coordinates(const Input& counts);
  /// The keys, each with its length before it.
  static std::string describe(const Output& keys);

 private:
  friend class Door;
  KeySelection(Options options, PartitionSelection each);

  template <random::BitSource B>
  Output draw(const Input& counts, B& bits) const;

  /// Copies of the keys at these places, in byte order.
  static Output ordered(const std::vector<std::string>& keys,
                        const std::vector<std::size_t>& places);

  Options options_;
  PartitionSelection each_;
};

}  // namespace discreet::mechanism
