// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

namespace discreet::accounting {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kUnit = 0x1p-53;  // half an ulp of 1: the relative error of one rounding

}  // namespace discreet::accounting
