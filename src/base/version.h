// SPDX-License-Identifier: Apache-2.0
// The version of the program, which --version prints and which a ledger of another format is
// refused with. CMakeLists.txt and the Python package say the same; a test compares them.
#pragma once

namespace discreet {

inline constexpr const char* kVersion = "0.10.0";

}  // namespace discreet
