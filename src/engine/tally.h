// SPDX-License-Identifier: Apache-2.0
// Tally: how often each value occurs in each group. One per thread, then merged; the result does
// not depend on who saw what in which order.
//
// Its memory grows with what was added, so that one row costs one row's memory, whatever range it
// lies in and however many tallies a question has: entries first; a table of all that could occur
// when there are so many that it is less than four times as large.
#pragma once

#include <cstdint>
#include <vector>

#include "mechanism/groups.h"

namespace discreet::engine {

class Tally {
 public:
  /// Groups 0 .. groups-1, values low .. high.
  Tally(std::size_t groups, std::int64_t low, std::int64_t high);

  void add(std::uint32_t group, std::int64_t value, std::int64_t times = 1) {
    if (!dense_.empty()) {
      count(group, value, times);
    } else {
      sparse_.push_back({group, value, times});
      if (sparse_.size() >= full_at_) make_room();
    }
  }

  /// Requires: made with the same arguments.
  void merge(Tally&& other);

  /// For each group its values, sorted.
  std::vector<mechanism::Runs> runs();
  /// For each group how many different values it has.
  std::vector<std::int64_t> distinct();

  /// What it holds in memory.
  std::size_t bytes() const;

 private:
  struct Entry {
    std::uint32_t group;
    std::int64_t value;
    std::int64_t times;
  };
  void count(std::uint32_t group, std::int64_t value, std::int64_t times) {
    dense_[group * width_ + static_cast<std::size_t>(value - low_)] += times;
  }
  /// Entries become a table if there may be one, else those of one value become one.
  void make_room();
  void make_dense();
  void compact();

  std::size_t groups_;
  std::int64_t low_;
  std::size_t width_ = 0;            // of a group in dense_; 0: there is never a table
  std::vector<std::int64_t> dense_;  // a table, or nothing
  std::vector<Entry> sparse_;        // while there is no table
  std::size_t full_at_;
};

}  // namespace discreet::engine
