// SPDX-License-Identifier: Apache-2.0
// One part of the rows, which holds all rows of its units: sorted by unit and key, bounded,
// measured. Parts are independent; a thread works on one at a time. Only bounding.cc uses this.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/bounding.h"
#include "engine/key_union.h"
#include "engine/tally.h"

namespace discreet::engine {

/// A thread's rows, and its keys' numbers among all keys.
struct Source {
  Intake* rows;
  const std::vector<std::uint32_t>* key_numbers;
};

/// What is measured, by key. One per thread, then merged.
struct Totals {
  Totals(const BoundingTask& task, std::size_t keys);
  void merge(Totals&& other);

  std::vector<std::int64_t> units;
  std::vector<Int128> sums;  // [key * measures + measure]
  std::vector<Tally> tallies;
  std::vector<std::optional<std::size_t>> tally_of;  // measure to tally
  std::vector<bool> fills;  // of several measures with one tally only the first adds to it
};

class PartWorker {
 public:
  virtual ~PartWorker() = default;
  virtual void run(std::size_t part, const std::vector<Source>& sources) = 0;

  static std::unique_ptr<PartWorker> make(const BoundingTask& task, const RowLayout& layout,
                                          const Candidates& candidates, const Secret& secret,
                                          const AllKeys& keys, Totals& totals);
};

}  // namespace discreet::engine
