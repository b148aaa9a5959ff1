// SPDX-License-Identifier: Apache-2.0
// The clock that a server goes by.
#pragma once

#include "base/clock.h"

namespace discreet::server {

/// Milliseconds since a moment before this process began. It is never set, and goes on while the
/// machine sleeps.
std::int64_t steady_time_ms();

/// The time of day as `system` tells it now, going on by `steady`: who sets the system's clock later
/// moves no deadline, and ends or prolongs no lock.
Clock unstepped(const Clock& system = system_time_ms, Clock steady = steady_time_ms);

}  // namespace discreet::server
