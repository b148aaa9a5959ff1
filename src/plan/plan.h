// SPDX-License-Identifier: Apache-2.0
// A proposed plan: one question as data. The SQL front end writes it, the checker recomputes
// everything that matters from it and the policy, an engine runs it. It holds no data and no SQL.
//
//   rows    = the source's joined rows where `filter` is true
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

/// `left` is a column of an earlier table of the source, `right` one of this table. They are
/// compared as they are in the files, never clamped (clamping could give two units one name); NULLs
/// differ.
struct JoinOn {
  std::size_t left_table = 0;
  std::string left;
  std::string right;
  friend bool operator==(const JoinOn&, const JoinOn&) = default;
};

/// A table in FROM. The first has no `on`; every other one is an inner join.
struct TableUse {
  std::string table;  ///< the policy's name
  std::string alias;
  std::vector<JoinOn> on;
  friend bool operator==(const TableUse&, const TableUse&) = default;
};

struct Source {
  std::vector<TableUse> tables;
  friend bool operator==(const Source&, const Source&) = default;
};

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
  kQuantile,  ///< of the argument, at `fraction`
};

/// One thing that is measured with noise in every group. Averages and variances are computed from
/// several measurements after their release.
struct Measurement {
  MeasureKind kind = MeasureKind::kRows;
  std::optional<Expr> argument;
  std::optional<Grid> clamp;  ///< kSum, kSquares, kQuantile: the argument is clamped to these ends
  Rational centre = 0;        ///< kSum, kSquares: subtracted afterwards
  Rational fraction = 0;      ///< kQuantile
  int side = 0;               ///< kQuantile: -1, +1 for an end of its interval: the rank is moved
                              ///< by what the mechanism may miss, so that the end covers
  Confidence confidence = default_confidence();  ///< with which it covers
  Rational weight = 1;                           ///< its share of epsilon, relative to the others
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
};

/// A text that is the same for two plans that ask the same thing at the same price, and different
/// otherwise: aliases, names of key columns, the order of AND, OR and IN lists and which side of a
/// comparison is written first do not matter; order of keys and measurements does (canonical.cc).
/// The ledger's key of a question. Requires: expressions that pass check_size().
std::string canonical(const Plan& plan);
/// The normal form of one expression.
Expr normal(const Expr& expr);

}  // namespace discreet::plan
