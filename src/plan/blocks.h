// SPDX-License-Identifier: Apache-2.0
// Blocks: disjoint sets of units that pay separately, by one column of one private table. A
// question that names blocks in its text (this column = 'x', or IN a list, joined to the rest by
// AND) is charged to these alone; every other question to all, also one about a column of the same
// name in another table.
#pragma once

#include <string>
#include <vector>

#include "plan/source.h"

namespace discreet::plan {

struct Blocks {
  std::vector<std::string> named;  ///< in the policy's order; none: all
  std::string attribute;           ///< the policy's block column, if blocks are named
  /// The plan's filter, and that the unit's block is a declared one: where the source has the block
  /// column's table.
  std::optional<Expr> filter;
};

Blocks blocks_of(const Plan& plan, const Owner& owner, const policy::Policy& policy);

}  // namespace discreet::plan
