// SPDX-License-Identifier: Apache-2.0
// The Gregorian calendar, for dates as days and timestamps as microseconds since 1970-01-01.
// Years 1 to 9999; no time zones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "numeric/rational.h"

namespace discreet::plan {

inline constexpr std::int64_t kMicrosecondsPerDay = 86'400'000'000;
inline constexpr std::int64_t kFirstDay = -719'162;  ///< 0001-01-01
inline constexpr std::int64_t kLastDay = 2'932'896;  ///< 9999-12-31

struct Civil {
  std::int64_t year;
  int month;  ///< from 1
  int day;    ///< from 1
};

Civil civil_of(std::int64_t day);
std::int64_t day_of(const Civil& civil);

/// A moment as a day and the microseconds since its midnight.
struct Moment {
  std::int64_t day;
  std::int64_t microsecond;
};

/// What kDatePart and kDateTrunc may name.
const std::vector<std::string>& date_parts();
const std::vector<std::string>& date_truncations();

/// Requires: a name of date_parts().
std::int64_t date_part(const std::string& part, const Moment& moment);
/// The start of the year, quarter, ... of the moment. Requires: a name of date_truncations().
Moment date_trunc(const std::string& unit, const Moment& moment);
/// The start of the next one after a start. Requires: year, quarter, month or week.
std::int64_t next_start(const std::string& unit, std::int64_t day);

}  // namespace discreet::plan
