// SPDX-License-Identifier: Apache-2.0
// How large tables of counts may be (prefix_table.h, residual_table.h), so that no sum overflows.
#pragma once

#include <cstdint>

namespace discreet::mechanism {

inline constexpr std::int64_t kTableReachMax = std::int64_t{1} << 40;  ///< what one unit brings
inline constexpr std::int64_t kTableCellsMax = std::int64_t{1} << 31;

}  // namespace discreet::mechanism
