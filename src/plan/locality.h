// SPDX-License-Identifier: Apache-2.0
// Whose rows a relation has. A relation R is *local* if every row has one owner or is nobody's, and
// for every database C and unit u
//     R(C + u) = R(C) + R_u        as multisets,
// where R_u are the rows owned by u and a function of u's rows and the public tables alone. It is
// public if R(C + u) = R(C). The policy's tables are local or public by declaration; each rule
// below keeps that, so that by induction all subqueries are local, and bounding each unit's rows
// once, at the end, bounds what a unit can do (checker.md).
//
//   filter, columns     a function of one row: leaves rows out or renames them
//   local_join.h        inner, left, semi and anti joins along identities
//   local_group.h       GROUP BY and DISTINCT within a unit
//   local_union.h       UNION ALL
//   joined_rows.h       of each unit at most so many rows, before they are joined
//   pair_join.h         rows of two owners: not local; limited before the join, at the top only
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace discreet::plan {

struct Locality {
  std::string space;                  ///< the owners' namespace; empty: public
  bool row_is_unit = false;           ///< each row is a unit of its own
  Integer units_max = 0;              ///< a public bound on how many units have rows
  policy::ContributionBounds bounds;  ///< the policy's for these tables, the widest of each
  /// How many rows a unit has at most, where that is known.
  std::optional<std::int64_t> rows_max = {};

  bool is_public() const { return space.empty(); }
};

/// How deep subqueries may stand in each other, and how many SELECTs a question may have.
inline constexpr int kNestingMax = 8;
inline constexpr int kPartsTotalMax = 64;

/// Checks a table of FROM and, if it is a subquery, all of it. `depth` is how deep it stands.
/// Fails with: kRefused (undeclared, not allowed, rows of two owners, naming what is allowed),
/// kUnsupported, kInvalidInput; the text depends on plan and policy alone.
Result<Locality> locality_of(const TableUse& use, const policy::Policy& policy, int depth);

/// The same for all that is joined, which must be local.
Result<Locality> locality_of(const Source& source, const policy::Policy& policy, int depth);

/// As messages call a table of FROM.
std::string name_of(const TableUse& use);

}  // namespace discreet::plan
