// SPDX-License-Identifier: Apache-2.0
// Which rows and groups of a unit count, in Trino's SQL (statement.md): stages of one statement,
// each a SELECT over the one before. Their columns are "unit", keys k0, k1, ..., contents c0, c1,
// ..., and "n", the number of a kept row among those of its unit and key.
#pragma once

#include <string>
#include <vector>

#include "engine/keyed_hash.h"
#include "engine/lowering/plan.h"

namespace discreet::engine::trino {

using lowering::Select;
using lowering::Sql;

/// SELECT ... FROM (inner).
Select select_from(const Select& inner);

/// k0, c1, m2
std::string numbered(const char* letter, std::size_t index);

class Choosing {
 public:
  /// What a field holds, for its bytes.
  enum class Held { kNumber, kTruth, kText };

  /// `keys`, `contents`: what they hold.
  Choosing(const Secret& secret, Held unit, std::vector<Held> keys, std::vector<Held> contents);

  /// Of each unit the first `of_unit` rows, by the hash of unit, key and contents; of these at most
  /// `most` of each key, by the hash of unit, key, contents and occurrence. No more than `of_unit`
  /// rows of a unit are held at once.
  Select kept_rows(const Select& rows, std::int64_t of_unit, std::int64_t most) const;

  /// Of rows that are one for each unit and key those of the first `most` keys of each unit;
  /// puts out the keys and `others`.
  Select chosen(const Select& groups, std::vector<Sql> others, std::int64_t most) const;
  /// The same where several rows have a key; puts out keys, contents and "n".
  Select chosen_by_rank(const Select& kept, std::int64_t most) const;

  std::vector<Sql> unit_and_keys() const;

 private:
  static Sql bytes_of(const Sql& field, Held held);
  std::vector<Sql> key_order() const;  ///< of a unit's keys

  std::string secret_;
  Held unit_;
  std::vector<Held> keys_;
  std::vector<Held> contents_;
};

}  // namespace discreet::engine::trino
