// SPDX-License-Identifier: Apache-2.0
// DISCREET_CHECK(condition): an invariant of our own code. It is always on. When it is broken the
// process ends with exit status 70 (our bug), without a core file, because a core would hold sealed
// values.
//
// Errors of the caller or of the world are not checks: they are Results (base/result.h).
#pragma once

namespace discreet {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace discreet

#define DISCREET_CHECK(condition)         \
  (static_cast<bool>(condition) ? void(0) \
                                : ::discreet::check_failed(#condition, __FILE__, __LINE__))
