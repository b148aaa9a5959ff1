// SPDX-License-Identifier: Apache-2.0
// The time of day, as a value that can be handed in, so that a test can set it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace discreet {

/// Milliseconds since 1970-01-01 UTC.
using Clock = std::function<std::int64_t()>;

/// "2026-11-30 14:05:09 UTC"; total: years that do not fit four digits are spelt as they are.
std::string to_utc(std::int64_t time_ms);

inline std::int64_t system_time_ms() {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  return duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace discreet
