// SPDX-License-Identifier: Apache-2.0
// A checked plan as statements for a database. Where each row is a unit, or rows have two owners
// and were limited before they met, nothing needs bounding, and everything is pushed down: counts,
// sums of integers, and values with their counts for quantiles. Otherwise the database reads,
// joins, filters and computes the keys and arguments of every row, and Bounding does the rest.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/bounding.h"
#include "engine/lowering/dialect.h"
#include "engine/lowering/relation.h"
#include "engine/lowering/sql.h"
#include "plan/checker.h"

namespace discreet::engine::lowering {

/// Rows of unit, keys, contents (Dialect::outputs), for a Bounding of `task`.
struct BoundedRun {
  Select rows;
  std::vector<RowField> fields;  ///< of which `rows` are the outputs
  BoundingTask task;
  /// Of lower_fields: the values of each key, where keys are listed.
  std::vector<std::vector<Sql>> listed = {};
};

/// Values with their counts, for the quantiles of `steps`.
struct TallyQuery {
  Select select;  ///< keys, value, count
  std::vector<std::size_t> steps;
};

/// GROUP BY in the database.
struct PushedRun {
  std::vector<KeyKind> keys;
  Select groups;  ///< keys, number of units, then one kWide for each of `steps`
  std::vector<std::size_t> steps;
  std::vector<TallyQuery> tallies;
};

/// Instead of a BoundedRun where no unit has more rows and groups than it may (census.h).
struct CensusRun {
  Select owners;  ///< a key, the unit whose it is (relation.h, Owners)
  /// Such a key, then the row's keys: `fields`. Nothing where `sums` count too.
  std::optional<Select> rows;
  std::vector<RowField> fields;
  /// Over all rows; their number stands for that of the units. Without `rows` the last output is
  /// Dialect::census.
  PushedRun sums;
  std::vector<std::size_t> unit_steps;  ///< that count units: the census knows
  /// The listed keys' canonical bytes: others are dropped after counting. Without: none comes, or
  /// keys are found.
  std::optional<std::unordered_set<std::string>> listed;
};

struct LoweredPlan {
  std::optional<CensusRun> census;  ///< to be tried before `bounded`
  std::optional<BoundedRun> bounded;
  std::optional<PushedRun> pushed;
  std::string bounding_words;

  /// What would be sent, with a comment on what happens outside of SQL.
  std::string print() const;
};

LoweredPlan lower_plan(const plan::Checked& checked, const Dialect& dialect,
                       const Schemas& schemas);

/// The same, where something is known of the tables.
LoweredPlan lower_plan(const plan::Checked& checked, const CutFacts& facts, const Dialect& dialect,
                       const Schemas& schemas);

/// For ScanFacts::all_owned: one number, the rows of a private table less those with an owner.
Select rows_of_nobody(const std::string& table, const policy::Policy& policy,
                      const Dialect& dialect, const Schemas& schemas);

/// For ScanFacts::above: the units with more than `rows` rows in a private table, as texts.
Select units_above(const std::string& table, std::int64_t rows, const policy::Policy& policy,
                   const Dialect& dialect, const Schemas& schemas);

/// Both in one: the most rows of one unit, and the rows of nobody.
Select most_and_nobody(const std::string& table, const policy::Policy& policy,
                       const Dialect& dialect, const Schemas& schemas);

/// For Engine::rows: always through Bounding, a row's number being its unit where a row is one.
BoundedRun lower_rows(const plan::Checked& checked, const Dialect& dialect, const Schemas& schemas,
                      const CutFacts& facts = {});

/// For an engine that bounds in the database: the same fields; "unit" is the first of them where
/// something is bounded, and missing where nothing is (as in PushedRun). Where something is,
/// leaving out rows of nobody, whose unit is NULL, and keys that are not listed is the engine's to
/// do.
BoundedRun lower_fields(const plan::Checked& checked, const Dialect& dialect,
                        const Schemas& schemas);

}  // namespace discreet::engine::lowering
