// SPDX-License-Identifier: Apache-2.0
// Which statements PostgreSQL may join by hash tables. Its hash functions have no secret: anyone
// who chooses the contents of 16,384 rows can make all of them fall into one bucket. Two tables with
// such rows then take the product of both to join, and how long a question takes, or that it runs
// out of time, tells whether that person's rows pass its filters.
//
// Lemma. A hash join takes, for each bucket, the number of its rows on one side times that on the
// other. Where one side holds rows of public tables alone, nobody chooses how many of these are in
// a bucket: the work is at most the rows of the other side times a number that is public.
// So a statement in which at most one table of people's rows stands, once, may have hash joins:
// each of them has such a side. Every other statement sorts (CAVEATS, C17).
// A hash of 32 bits that no two values share would be no better: buckets are chosen by some of its
// bits, and 16,384 numbers that agree in these are easily found. Groups are always sorted, too.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/lowering/sql.h"

namespace discreet::engine::postgres {

class PrivateTables {
 public:
  /// Nothing is known: no statement may.
  PrivateTables() = default;
  /// `names`: schema and table of each that holds rows of somebody.
  explicit PrivateTables(const std::vector<std::vector<std::string>>& names);

  bool allow_hash_joins(const lowering::Select& statement) const;

 private:
  bool known_ = false;
  std::set<std::string> names_;  // as statements print them in FROM
};

}  // namespace discreet::engine::postgres
