// SPDX-License-Identifier: Apache-2.0
#include "mechanism/verbs.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "base/check.h"
#include "mechanism/saturation.h"

namespace discreet::mechanism {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Finds public keys by their text: open addressing over a power of two, at most half full.
class KeyTable {
 public:
  explicit KeyTable(const std::vector<std::string>& keys) : keys_(keys) {
    std::size_t size = 2;
    while (size < 2 * keys.size()) size *= 2;
    slots_.resize(size);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      Slot& slot = slot_of(keys[i]);
      if (slot.key == kNone) {
        slot = {std::hash<std::string>()(keys[i]), i};
      } else {
        repeated_.emplace_back(i, slot.key);
      }
    }
  }

  /// The first place of this key, or kNone.
  std::size_t find(const std::string& key) { return slot_of(key).key; }
  /// Places of keys that stand in the list again, each with its first place.
  const std::vector<std::pair<std::size_t, std::size_t>>& repeated() const { return repeated_; }

 private:
  struct Slot {
    std::size_t hash = 0;
    std::size_t key = kNone;
  };

  Slot& slot_of(const std::string& key) {
    const std::size_t hash = std::hash<std::string>()(key);
    for (std::size_t at = hash;; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.key == kNone || (slot.hash == hash && keys_[slot.key] == key)) return slot;
    }
  }

  const std::vector<std::string>& keys_;
  std::vector<Slot> slots_;
  std::vector<std::pair<std::size_t, std::size_t>> repeated_;
};

/// Where each key's group stands, or kNone. The public keys make the table and the groups look
/// themselves up, so that a million hidden groups take no memory.
std::vector<std::size_t> places_of(const std::vector<std::string>& keys,
                                   const std::vector<std::string>& groups) {
  KeyTable table(keys);
  std::vector<std::size_t> out(keys.size(), kNone);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::size_t key = table.find(groups[g]);
    if (key != kNone) out[key] = g;
  }
  for (const auto& [again, first] : table.repeated()) out[again] = out[first];
  return out;
}

}  // namespace

Result<Bounds> Bounds::make(const Ends& ends) {
  if (ends.low > ends.high) {
    return invalid_input("the low bound, " + std::to_string(ends.low) +
                         ", must not exceed the high bound, " + std::to_string(ends.high));
  }
  return Bounds(ends);
}

Int128 Bounds::stability(Neighbours neighbours) const {
  const Int128 low = ends_.low;
  const Int128 high = ends_.high;
  if (neighbours == Neighbours::kReplaceOne) return high - low;
  return std::max(low < 0 ? -low : low, high < 0 ? -high : high);
}

Result<void> check_sum_bound(const SumBound& bound) {
  if (bound.rows_max < 0 || bound.magnitude < 0) {
    return invalid_input("a bound on rows and a bound on their size must not be negative");
  }
  if (Rational(Integer(bound.rows_max * bound.magnitude)) >= power_of_two(126)) {
    return invalid_input(
        "the largest number of rows times the largest size of a value must stay below 2^126: "
        "lower the declared bounds or the number of rows, or use a coarser step");
  }
  return {};
}

Sensitive<Int128> Verbs::clamp_and_sum(const Sensitive<std::vector<std::int64_t>>& rows,
                                       const Bounds& bounds) {
  Int128 sum = 0;
  for (const std::int64_t row : rows.reveal(Unseal())) {
    sum += std::clamp(row, bounds.low(), bounds.high());
  }
  return Sensitive<Int128>(sum);
}

Sensitive<Int128> Verbs::count(const Sensitive<std::vector<std::int64_t>>& rows) {
  return Sensitive<Int128>(static_cast<Int128>(rows.reveal(Unseal()).size()));
}

Sensitive<std::vector<std::int64_t>> Verbs::column(const Sensitive<Groups>& groups,
                                                   std::size_t measurement,
                                                   const std::vector<std::string>& keys) {
  const Groups& open = groups.reveal(Unseal());
  DISCREET_CHECK(measurement < open.integers.size());
  const std::vector<Int128>& values = open.integers[measurement];
  DISCREET_CHECK(values.size() == open.keys.size());
  std::vector<std::int64_t> out;
  out.reserve(keys.size());
  for (const std::size_t g : places_of(keys, open.keys)) {
    const Int128 value = g == kNone ? 0 : values[g];
    out.push_back(static_cast<std::int64_t>(std::clamp<Int128>(value, -kEntryMax, kEntryMax)));
  }
  return Sensitive(std::move(out));
}

Sensitive<Int128> Verbs::number(const Sensitive<Groups>& groups, std::size_t measurement,
                                const std::string& key) {
  return Sensitive<Int128>(column(groups, measurement, {key}).reveal(Unseal()).front());
}

Sensitive<std::vector<Runs>> Verbs::runs(const Sensitive<Groups>& groups, std::size_t measurement,
                                         const std::vector<std::string>& keys) {
  const Groups& open = groups.reveal(Unseal());
  DISCREET_CHECK(measurement < open.runs.size());
  const std::vector<Runs>& values = open.runs[measurement];
  DISCREET_CHECK(values.size() == open.keys.size());
  std::vector<Runs> out;
  out.reserve(keys.size());
  for (const std::size_t g : places_of(keys, open.keys)) {
    out.push_back(g == kNone ? Runs() : values[g]);
  }
  return Sensitive(std::move(out));
}

Sensitive<std::vector<std::int64_t>> Verbs::cells(
    const Sensitive<Groups>& groups, std::size_t measurement, const std::vector<std::string>& keys,
    const std::vector<std::vector<std::int64_t>>& cuts) {
  const Groups& open = groups.reveal(Unseal());
  DISCREET_CHECK(measurement < open.runs.size() && cuts.size() == keys.size());
  const std::vector<Runs>& values = open.runs[measurement];
  DISCREET_CHECK(values.size() == open.keys.size());
  const std::vector<std::size_t> places = places_of(keys, open.keys);
  std::vector<std::int64_t> out;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const std::size_t first = out.size();
    out.resize(first + cuts[k].size() + 1);
    if (places[k] == kNone) continue;
    for (const auto& [value, count] : values[places[k]]) {
      const auto cell = std::upper_bound(cuts[k].begin(), cuts[k].end(), value) - cuts[k].begin();
      std::int64_t& entry = out[first + static_cast<std::size_t>(cell)];
      const Int128 sum = Int128{entry} + std::max<std::int64_t>(0, count);
      entry = static_cast<std::int64_t>(std::min<Int128>(sum, kEntryMax));
    }
  }
  return Sensitive(std::move(out));
}

Sensitive<KeyCounts> Verbs::key_counts(const Sensitive<Groups>& groups) {
  const Groups& open = groups.reveal(Unseal());
  DISCREET_CHECK(open.units.size() == open.keys.size());
  return Sensitive(KeyCounts{open.keys, open.units});
}

Sensitive<KeySums> Verbs::key_sums(const Sensitive<Groups>& groups, std::size_t measurement,
                                   Int128 capacity) {
  const Groups& open = groups.reveal(Unseal());
  DISCREET_CHECK(open.units.size() == open.keys.size() && measurement < open.integers.size());
  return Sensitive(KeySums{open.keys, open.units, open.integers[measurement], capacity});
}

}  // namespace discreet::mechanism
