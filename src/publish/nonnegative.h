// SPDX-License-Identifier: Apache-2.0
// Whole numbers, none below 0, for everything that a release counts, and still agreeing wherever it
// overlaps: the sums of joint tables of whole numbers near the released ones. Post-processing:
// free, and biased (cells near 0 are pushed up, large ones pay), which is why the unprocessed
// values are kept beside it.
//
// What shares no column shares only the number of all rows: each such component has a joint table
// of its own, and all add up to the same whole number. A hierarchy whose column stands nowhere else
// is made from the top down.
#pragma once

#include <vector>

#include "publish/tables.h"
#include "publish/workload.h"

namespace discreet::publish {

/// So many cells may the columns of a component have together.
inline constexpr std::int64_t kJointMax = std::int64_t{1} << 22;

/// A table of counts, or what running sums or areas are made of.
struct WholeTarget {
  AttributeSet set;
  Cells cells = {};                 ///< the released ones
  int line = -1;                    ///< the axis whose running sums matter
  const Hierarchy* tree = nullptr;  ///< the areas whose sums matter
  FixedAreas fixed = {};
};

/// Everything that the workload counts, without cells: tables, ranges, hierarchies, in order.
std::vector<WholeTarget> whole_targets(const Workload& workload);

/// Fails with: kInvalidInput when a component has more cells; when an area below the top is fixed
/// and its column stands in tables or ranges too.
Result<void> check_whole(const Workload& workload);

/// For each target its whole cells; all add up to `total`. Requires: check_whole; total >= 0,
/// whole.
std::vector<Cells> whole_counts(const std::vector<Attribute>& attributes,
                                const std::vector<WholeTarget>& targets, double total);

}  // namespace discreet::publish
