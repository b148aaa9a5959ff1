// SPDX-License-Identifier: Apache-2.0
// Tally: how often each value occurs in each group. One per thread, then merged; the result does
// not depend on who saw what in which order.
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
      dense_[group * width_ + static_cast<std::size_t>(value - low_)] += times;
    } else {
      sparse_.push_back({group, value, times});
      if (sparse_.size() >= compact_at_) compact();
    }
  }

  /// Requires: made with the same arguments.
  void merge(Tally&& other);

  /// For each group its values, sorted.
  std::vector<mechanism::Runs> runs();
  /// For each group how many different values it has.
  std::vector<std::int64_t> distinct();

 private:
  struct Entry {
    std::uint32_t group;
    std::int64_t value;
    std::int64_t times;
  };
  void compact();

  std::size_t groups_;
  std::int64_t low_;
  std::size_t width_ = 0;            // of a group in dense_
  std::vector<std::int64_t> dense_;  // a table where it is small, else entries
  std::vector<Entry> sparse_;
  std::size_t compact_at_;
};

}  // namespace discreet::engine
