// SPDX-License-Identifier: Apache-2.0
// A checked plan as one statement for Trino, bounding included: of each unit at most l groups, of
// each of these at most r rows, then every measurement. Nothing but groups, and for quantiles
// values with their counts, comes back; rows stay where they are, spread over the workers by unit.
//
// Where nothing but counts and sums is asked no row is chosen: a unit with more than r rows in a
// group adds what r of them add up to on average. Else which rows are kept is the rule of
// engine/bounding.md with another hash. Both are functions of the unit's own rows and the secret
// (E2; statement.md). One statement reads one snapshot, as far as the connector has any (E4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/keyed_hash.h"
#include "engine/lowering/plan.h"

namespace discreet::engine::trino {

struct Statement {
  /// Puts out: keys; units; one number for each of `steps`; with tallies, further the values of
  /// each, grouping() of these values, and the number of rows. With `beside`: one row, which has
  /// units and numbers of each of these keys, and no key.
  lowering::Select select;
  std::vector<KeyKind> keys;
  std::vector<std::size_t> steps;                 ///< which measurements the numbers are
  std::vector<std::vector<std::size_t>> tallies;  ///< which quantiles the values are of
  std::vector<std::string> beside = {};           ///< canonical bytes of keys, side by side

  /// As `explain` shows it.
  std::string print() const { return select.print() + ";\n"; }
};

/// How many rows of a unit are looked at where rows are kept: more are cut before they are gathered.
inline constexpr std::int64_t kRowsOfUnit = 16'384;

/// `rows_of_unit`: for tests.
Statement lower_statement(const plan::Checked& checked, const lowering::Schemas& schemas,
                          const Secret& secret, std::int64_t rows_of_unit = kRowsOfUnit);

}  // namespace discreet::engine::trino
