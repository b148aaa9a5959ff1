// SPDX-License-Identifier: Apache-2.0
// UnitRows: a table of integers, sealed, with its rows grouped by unit; what learning works on. An
// engine makes it from a policy's source, or a program from values that it holds.
//
//   cells  unit 0: row, row   unit 1: row   unit 2: (none)   ...
//   ends   2                  3             3
//   names  hash               hash          hash        only where they were asked for
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "privacy/sensitive.h"
#include "random/keyed_hash.h"

namespace discreet::mechanism {

struct UnitRows {
  std::size_t columns = 0;          ///< public
  std::vector<std::int64_t> cells;  ///< row after row, each of `columns` integers
  std::vector<std::size_t> ends;    ///< for each unit: one past its last row
  /// For each unit the hash of its identifier under a secret of whoever asked: the same in every
  /// run. Identifiers that are written alike have one hash, whatever type they are stored in.
  std::vector<random::Hash128> names = {};

  std::span<const std::int64_t> row(std::size_t i) const {
    return {cells.data() + i * columns, columns};
  }

  friend void wipe(UnitRows& rows) {  // found by its argument in privacy/sensitive.h
    discreet::wipe(rows.cells);
    discreet::wipe(rows.ends);
    discreet::wipe(rows.names);
  }
};

}  // namespace discreet::mechanism
