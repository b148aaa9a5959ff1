// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <cstdio>

namespace discreet {

std::string to_utc(std::int64_t time_ms) {
  using namespace std::chrono;
  // Beyond this the calendar's years do not fit: about the years 30,000 before and after.
  constexpr std::int64_t kMost = 900'000'000'000'000;
  if (time_ms > kMost || time_ms < -kMost) return std::to_string(time_ms) + " ms";
  const sys_time<milliseconds> time{milliseconds(time_ms)};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<seconds>(time - day));
  char text[64];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02u %02d:%02d:%02d UTC",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

}  // namespace discreet
