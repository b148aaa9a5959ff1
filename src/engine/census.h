// SPDX-License-Identifier: Apache-2.0
// Census: how many rows every unit has in every group, counted without looking at what the rows
// hold. Where no unit has more groups than l, nor more rows in one of them than r, nothing is cut:
// the kept rows are all rows (bounding.md, steps 1 and 2), and the database may add them up itself.
// Otherwise, or where the count would take too much memory, Bounding does it all.
//
// It is for tables that name their unit only through others: lines of orders of customers. Owners
// are read once, from the foreign key to the unit, into an array; rows bring foreign keys.
//
// What the census decides changes the time of an answer, never its bits.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/bounding.h"

namespace discreet::engine {

class Census {
 public:
  /// What one thread counts.
  class Worker {
   public:
    Worker(Census& census, const std::vector<KeyKind>& kinds, const Secret& secret)
        : keys(kinds, secret), census_(census) {}
    /// Rows by foreign key, NULL as nothing, and number of their key in `keys`.
    void count(std::span<const std::int64_t> foreign, const std::uint64_t* valid,
               std::span<const std::uint32_t> key);

    KeyIds keys;

   private:
    friend class Census;
    bool widen(std::size_t key);

    Census& census_;
    std::size_t stride_ = 0;             // of a unit in counts_
    std::vector<std::uint32_t> counts_;  // [unit * stride_ + key]
    std::uint64_t rows_ = 0;
  };

  /// What was counted where nothing is cut.
  struct Counted {
    std::unordered_map<std::string, std::int64_t> units;  ///< of each key, by its canonical bytes
    std::int64_t rows = 0;

    /// Groups that a database added up, each with the number of its rows as `units`: puts the units
    /// there, and in the measurements `unit_steps`. False if they are of other rows.
    bool complete(mechanism::Groups& groups, const std::vector<std::size_t>& unit_steps) const;
    /// Whether all keys are among these.
    bool only(const std::unordered_set<std::string>& keys) const;
  };

  /// Takes the task's bounds and keys.
  Census(const BoundingTask& task, const Secret& secret) : task_(task), secret_(secret) {}

  /// Pairs of a key that rows name and the unit whose it is. May be called from several threads.
  void add_owners(std::span<const std::int64_t> keys, const std::int64_t* units);
  /// After the last owner. False: keys or units lie too far apart, or a key came twice.
  bool begin();

  /// May be called from several threads; the worker lives as long as this.
  Worker& new_worker();
  /// Somebody gave up: rows need not be counted any more.
  bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }

  /// Nothing where something is cut, a row is nobody's, or it was abandoned.
  std::optional<Counted> finish();

 private:
  static constexpr std::uint32_t kNobody = 0xffffffff;

  const BoundingTask& task_;
  Secret secret_;
  struct Numbers {
    std::vector<std::int64_t> all;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();

    void add(std::span<const std::int64_t> more);
    /// How many lie from the least to the greatest; 0: too many for an array of them.
    std::size_t span() const;
  };
  Numbers keys_, units_;
  std::size_t unit_count_ = 0;
  std::vector<std::uint32_t> owners_;  // [key - keys_.least]: the unit's number
  std::atomic<bool> abandoned_{false};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace discreet::engine
