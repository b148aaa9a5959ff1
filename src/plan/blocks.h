// SPDX-License-Identifier: Apache-2.0
// Blocks: disjoint sets of units that pay separately. A question that names blocks in its text
// (block_column = 'x', or IN a list, joined to the rest by AND) is charged to these alone; every
// other question to all.
#pragma once

#include <string>
#include <vector>

#include "plan/source.h"

namespace discreet::plan {

struct Blocks {
  std::vector<std::string> named;  ///< in the policy's order; none: all
  /// The plan's filter, and that the unit's block is a declared one: where a table of the source
  /// has the block column.
  std::optional<Expr> filter;
};

Blocks blocks_of(const Plan& plan, const Owner& owner, const policy::Policy& policy);

}  // namespace discreet::plan
