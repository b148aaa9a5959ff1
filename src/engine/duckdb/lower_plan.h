// SPDX-License-Identifier: Apache-2.0
// A checked plan as statements for DuckDB. Where each row is a unit nothing needs bounding, and
// everything is pushed down: counts, sums of integers, and values with their counts for quantiles.
// Otherwise DuckDB reads, joins, filters and computes the keys and arguments of every row, and
// Bounding does the rest.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/bounding.h"
#include "engine/duckdb/sources.h"
#include "engine/duckdb/sql.h"
#include "plan/checker.h"

namespace discreet::engine::duckdb {

/// SELECT keep({unit, keys, contents}) ...
struct BoundedRun {
  Select keep;
  BoundingTask task;
};

/// Values with their counts, for the quantiles of `steps`.
struct TallyQuery {
  Select select;  ///< keys, value, count
  std::vector<std::size_t> steps;
};

/// GROUP BY in DuckDB.
struct PushedRun {
  std::vector<KeyKind> keys;
  Select groups;  ///< keys, number of units, then one HUGEINT for each of `steps`
  std::vector<std::size_t> steps;
  std::vector<TallyQuery> tallies;
};

struct LoweredPlan {
  std::optional<BoundedRun> bounded;
  std::optional<PushedRun> pushed;

  /// What would be sent, with a comment on what happens outside of SQL.
  std::string print() const;
};

LoweredPlan lower_plan(const plan::Checked& checked, const Schemas& schemas);

}  // namespace discreet::engine::duckdb
