// SPDX-License-Identifier: Apache-2.0
#include "plan/calendar.h"

#include "base/check.h"

namespace discreet::plan {
namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);  // b > 0
}

// Monday is 0; 1970-01-01 was a Thursday.
int weekday(std::int64_t day) { return static_cast<int>(day + 3 - 7 * floor_divide(day + 3, 7)); }

std::int64_t first_of_year(std::int64_t year) { return day_of({year, 1, 1}); }

}  // namespace

// Years are counted from March, so that the leap day is a year's last. In such a year month m
// (March is 0) starts on day (153 m + 2) / 5.
std::int64_t day_of(const Civil& civil) {
  const std::int64_t year = civil.month <= 2 ? civil.year - 1 : civil.year;
  const std::int64_t month = civil.month <= 2 ? civil.month + 9 : civil.month - 3;
  const std::int64_t leap_days =
      floor_divide(year, 4) - floor_divide(year, 100) + floor_divide(year, 400);
  return 365 * year + leap_days + (153 * month + 2) / 5 + civil.day - 1 - 719'468;
}

Civil civil_of(std::int64_t day) {
  // 400 years have 146,097 days: the estimate is at most one year off.
  std::int64_t year = floor_divide((day + 719'468) * 400, 146'097) + 1;
  while (first_of_year(year) > day) --year;
  int month = 12;
  while (day_of({year, month, 1}) > day) --month;
  return {year, month, static_cast<int>(day - day_of({year, month, 1})) + 1};
}

const std::vector<std::string>& date_parts() {
  static const std::vector<std::string> parts = {"year",   "quarter", "month", "day",   "dow",
                                                 "isodow", "doy",     "hour",  "minute"};
  return parts;
}

const std::vector<std::string>& date_truncations() {
  static const std::vector<std::string> units = {"year", "quarter", "month", "week", "day", "hour"};
  return units;
}

std::int64_t date_part(const std::string& part, const Moment& moment) {
  const Civil civil = civil_of(moment.day);
  if (part == "year") return civil.year;
  if (part == "quarter") return (civil.month + 2) / 3;
  if (part == "month") return civil.month;
  if (part == "day") return civil.day;
  if (part == "dow") return (weekday(moment.day) + 1) % 7;
  if (part == "isodow") return weekday(moment.day) + 1;
  if (part == "doy") return moment.day - first_of_year(civil.year) + 1;
  if (part == "hour") return moment.microsecond / 3'600'000'000;
  DISCREET_CHECK(part == "minute");
  return moment.microsecond / 60'000'000 % 60;
}

Moment date_trunc(const std::string& unit, const Moment& moment) {
  if (unit == "hour") {
    return {moment.day, moment.microsecond - moment.microsecond % 3'600'000'000};
  }
  if (unit == "day") return {moment.day, 0};
  if (unit == "week") return {moment.day - weekday(moment.day), 0};
  Civil civil = civil_of(moment.day);
  civil.day = 1;
  if (unit == "quarter") civil.month -= (civil.month - 1) % 3;
  if (unit == "year") civil.month = 1;
  DISCREET_CHECK(unit == "quarter" || unit == "year" || unit == "month");
  return {day_of(civil), 0};
}

std::int64_t next_start(const std::string& unit, std::int64_t day) {
  if (unit == "week") return day + 7;
  const int months = unit == "year" ? 12 : unit == "quarter" ? 3 : 1;
  const Civil civil = civil_of(day);
  const int month = civil.month - 1 + months;
  return day_of({civil.year + month / 12, month % 12 + 1, 1});
}

}  // namespace discreet::plan
