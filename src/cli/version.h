// SPDX-License-Identifier: Apache-2.0
// The version that --version prints; a test compares it with CMakeLists.txt.
#pragma once

namespace discreet::cli {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace discreet::cli
