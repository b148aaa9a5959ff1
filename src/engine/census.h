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
#include <utility>
#include <vector>

#include "engine/bounding.h"

namespace discreet::engine {

/// Canonical bytes of the keys that count (engine/key.h).
using KeySet = std::unordered_set<std::string>;

class Census {
 public:
  /// How many rows each unit has in a group, or in what one thread sees of it.
  class Group {
   public:
    explicit Group(std::size_t number, std::size_t units) : number_(number), rows_(units) {}
    std::size_t number() const { return number_; }

   private:
    friend class Census;
    std::size_t number_;
    std::vector<std::uint32_t> rows_;  // [unit]
  };

  /// What was counted where nothing is cut.
  struct Counted {
    std::unordered_map<std::string, std::int64_t> units;  ///< of each key that counts
    std::int64_t rows = 0;

    /// Groups that a database added up, each with the number of its rows as `units`: puts the units
    /// there, and in the measurements `unit_steps`, and drops groups that are not `listed`. False
    /// if they are of other rows.
    bool complete(mechanism::Groups& groups, const std::vector<std::size_t>& unit_steps,
                  const std::optional<KeySet>& listed) const;
  };

  /// Takes the task's bounds.
  explicit Census(const BoundingTask& task);

  /// Pairs of a key that rows name and the unit whose it is. May be called from several threads.
  void add_owners(std::span<const std::int64_t> keys, const std::int64_t* units);
  /// After the last owner. False: keys or units lie too far apart, or a key came twice.
  bool begin();

  /// May be called from several threads; the group lives as long as this. Nothing, and abandoned:
  /// they would take too much memory.
  Group* new_group();
  /// The numbers of the rows' owners. False: a row is nobody's.
  bool find(std::span<const std::int64_t> foreign, std::uint32_t* owners) const;
  /// Counts a row of an owner that was found. A group is one thread's at a time. False: there is
  /// something to cut.
  bool count(Group& group, std::uint32_t owner) const { return ++group.rows_[owner] <= rows_most_; }
  /// Two parts of a group become one; `from` is empty then.
  void merge(Group& from, Group& into);
  Group& group(std::size_t number) { return *groups_[number]; }

  /// Somebody gave up: rows need not be counted any more.
  bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }
  /// There is something to cut, or a row is nobody's.
  void abandon() { abandoned_ = true; }

  /// All groups with their keys, merged; those that are not `listed` do not count. Nothing where
  /// something is cut, or it was abandoned.
  std::optional<Counted> finish(const std::vector<std::pair<std::string, const Group*>>& groups,
                                const std::optional<KeySet>& listed) const;

 private:
  static constexpr std::uint32_t kNobody = 0xffffffff;

  /// In blocks as they came: one long array would be moved again and again while it grows.
  struct Numbers {
    std::vector<std::vector<std::int64_t>> blocks;
    std::size_t count = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();

    void add(std::vector<std::int64_t> more, std::int64_t low, std::int64_t high);
    /// How many lie from the least to the greatest; 0: too many for an array of them.
    std::size_t span() const;
  };

  std::int64_t groups_most_;
  std::uint32_t rows_most_;
  Numbers keys_, units_;
  std::size_t unit_count_ = 0;
  std::vector<std::uint32_t> owners_;  // [key - keys_.least]: the unit's number
  std::atomic<bool> abandoned_{false};
  std::mutex mutex_;
  std::vector<std::unique_ptr<Group>> groups_;
};

}  // namespace discreet::engine
