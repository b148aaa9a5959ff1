// SPDX-License-Identifier: Apache-2.0
#include "server/clock.h"

#include <ctime>
#include <utility>

namespace discreet::server {

std::int64_t steady_time_ms() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

Clock unstepped(const Clock& system, Clock steady) {
  const std::int64_t ahead = system() - steady();
  return [ahead, steady = std::move(steady)] { return ahead + steady(); };
}

}  // namespace discreet::server
