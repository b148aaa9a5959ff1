// SPDX-License-Identifier: Apache-2.0
// Tables of whole numbers, none below 0, that still agree wherever they overlap: the margins of one
// joint table of whole numbers near the released ones. Post-processing: free, and biased (cells
// near 0 are pushed up, large ones pay), which is why the unprocessed values are kept beside it.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "publish/tables.h"
#include "publish/workload.h"

namespace discreet::publish {

/// So many cells may the columns of all tables of counts have together.
inline constexpr std::int64_t kJointMax = std::int64_t{1} << 22;

/// Fails with: kInvalidInput when they have more.
Result<void> check_joint(const Workload& workload);

/// For each of `sets`, its whole table. `tables` are the released ones in the same order; `total`
/// is held if it is given. Requires: check_joint.
std::vector<Cells> whole_tables(const std::vector<Attribute>& attributes,
                                const std::vector<AttributeSet>& sets,
                                const std::vector<Cells>& tables, std::optional<double> total);

}  // namespace discreet::publish
