// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace discreet::policy {

/// Whether a policy's `engine` is the one inside this program: duckdb, or duckdb?memory=4GB.
inline bool is_embedded(std::string_view engine) {
  return engine == "duckdb" || engine.starts_with("duckdb?");
}

}  // namespace discreet::policy
