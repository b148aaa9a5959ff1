// SPDX-License-Identifier: Apache-2.0
// A proposed plan: one question as data. The SQL front end writes it, the checker recomputes
// everything that matters from it and the policy, an engine runs it. It holds no data and no SQL.
//
//   rows    = the source's joined rows where `filter` is true; a table of the source may be a
//             subquery, whose rows are some unit's again (locality.h)
//   kept    = of each unit at most groups_per_unit groups, and in each at most
//             rows_per_unit_and_group rows, chosen by a rule that sees that unit's rows alone
//   answer  = every measurement over kept, in every group, with noise
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/expression.h"
#include "policy/policy.h"
#include "privacy/quantity.h"

namespace discreet::plan {

/// `left` is a column of an earlier table of the source, `right` one of this table. Columns of
/// tables and identifiers of subqueries are compared as they are in the files, never clamped
/// (clamping could give two units one name); other fields of subqueries, of one type and step, by
/// value. NULLs differ.
struct JoinOn {
  std::size_t left_table = 0;
  std::string left;
  std::string right;
  friend bool operator==(const JoinOn&, const JoinOn&) = default;
};

/// How a table of FROM meets the rows before it. All but kInner take a subquery.
enum class JoinKind {
  kInner,
  kLeft,  ///< rows that meet nothing stay, its fields are NULL
  kSemi,  ///< rows that meet something stay, once; its fields are seen by its condition only
  kAnti,  ///< rows that meet nothing stay; likewise
};

/// For a join of two people's rows (pair_join.h): what is left of a side before it.
struct PairLimits {
  std::int64_t rows_per_unit = 0;  ///< at most so many rows of each unit,
  std::int64_t rows_per_key = 0;   ///< and then so many with the same values of the join's columns
  friend bool operator==(const PairLimits&, const PairLimits&) = default;
};

struct TableUse;

struct Source {
  std::vector<TableUse> tables;
  friend bool operator==(const Source&, const Source&) = default;
};

/// What a field of a subquery is.
enum class Fold {
  kValue,       ///< an expression; where the part is grouped one of its keys
  kIdentifier,  ///< a column that tells whose row it is (identity.h), as it is in the file; a key
  kRows,        ///< grouped parts only, from here: rows (where `expr` is not NULL)
  kDistinct,    ///< different values
  kSum,         ///< NULL where there is nothing to add up; so are the following
  kLeast,       ///< of numbers, dates, timestamps
  kGreatest,
  kMean,  ///< of numbers; to the nearest multiple of its shape's step, halves away from 0
};

struct Field {
  std::string name;
  Fold fold = Fold::kValue;
  std::optional<Expr> expr = {};  ///< over the part's source; none: kRows of all rows
  std::optional<Grid> grid = {};  ///< kRows, kDistinct, kSum: the number is brought into this range
  friend bool operator==(const Field&, const Field&) = default;
};

/// A SELECT of rows that keep their owner: those of its source where the filter is true, or, if it
/// is grouped, one row for each unit and combination of keys among them. Its rows carry their
/// unit along, unseen, so that `grouped` always means: within one unit.
struct Part {
  Source source;
  std::optional<Expr> filter;
  std::vector<Field> fields;
  bool grouped = false;
  friend bool operator==(const Part&, const Part&) = default;
};

/// A table in FROM: one of the policy's, or a subquery. The first has no `on`.
struct TableUse {
  std::string table;  ///< the policy's name; empty for a subquery
  std::string alias;
  std::vector<JoinOn> on;
  JoinKind join = JoinKind::kInner;
  std::optional<Expr> condition =
      {};                        ///< of the join, beside `on`: over this table and earlier ones
  std::vector<Part> parts = {};  ///< of a subquery: the UNION ALL of these
  std::optional<PairLimits> limits = {};

  bool is_subquery() const { return !parts.empty(); }
  friend bool operator==(const TableUse&, const TableUse&) = default;
};

/// Under this name a subquery's unit is among its fields, for engines; no field may have it.
inline constexpr const char* kUnitField = "~unit";

/// A column of the answer that tells groups apart.
struct Key {
  Expr expr;
  std::string name;
  friend bool operator==(const Key&, const Key&) = default;
};

enum class MeasureKind {
  kRows,      ///< how many rows (where the argument is not NULL, if there is one)
  kUnits,     ///< how many units
  kDistinct,  ///< how many different values of the argument
  kSum,       ///< of the argument
  kSquares,   ///< of (argument - centre)^2, for variances
  kQuantile,  ///< of the argument, at each of `fractions`
};

/// One thing that is measured with noise in every group. Averages and variances are computed from
/// several measurements after their release.
struct Measurement {
  MeasureKind kind = MeasureKind::kRows;
  std::optional<Expr> argument;
  std::optional<Grid> clamp;  ///< kSum, kSquares, kQuantile: the argument is clamped to these ends
  Rational centre = 0;        ///< kSum, kSquares: subtracted afterwards
  std::vector<Rational> fractions = {};  ///< kQuantile; different
  /// kQuantile: rows around the released quantiles are counted too, for a tenth of its share, so
  /// that each has an interval.
  bool intervals = false;
  Rational weight = 1;  ///< its share of epsilon, relative to the others

  /// How many numbers it gives for every group.
  std::size_t numbers() const { return kind == MeasureKind::kQuantile ? fractions.size() : 1; }
  friend bool operator==(const Measurement&, const Measurement&) = default;
};

struct Plan {
  Source source;
  std::optional<Expr> filter;
  std::vector<Key> keys;
  std::vector<Measurement> measurements;
  policy::ContributionBounds bounds;  ///< not `declared`: those of the policy's tables
  Epsilon epsilon = Epsilon::trusted(1);
  Delta delta = Delta::trusted(0);  ///< of the whole question, for keys that must be found
  Rational selection_weight = 1;    ///< the share of epsilon that finding keys gets

  /// Where a measurement's number stands among those of all measurements.
  std::size_t place_of(std::size_t measurement, std::size_t number) const;
};

/// A text that is the same for two plans that ask the same thing at the same price, and different
/// otherwise: aliases, names of key columns, the order of AND, OR and IN lists and which side of a
/// comparison is written first do not matter; order of keys and measurements does (canonical.cc).
/// The ledger's key of a question. Requires: expressions that pass check_size().
std::string canonical(const Plan& plan);
/// The normal form of one expression.
Expr normal(const Expr& expr);

}  // namespace discreet::plan
