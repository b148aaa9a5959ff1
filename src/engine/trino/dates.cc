// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/dates.h"

#include <cstdio>
#include <utility>

#include "engine/trino/numbers.h"
#include "plan/calendar.h"

namespace discreet::engine::trino {
namespace {

using plan::kMicrosecondsPerDay;
using policy::Grid;

constexpr std::int64_t kHour = 3'600'000'000;
constexpr std::int64_t kMinute = 60'000'000;
/// Days from 0001-01-01 to 1970-01-01: what makes all our moments positive.
constexpr std::int64_t kShiftDays = -plan::kFirstDay;

std::string day_text(std::int64_t day) {
  const plan::Civil civil = plan::civil_of(day);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02d", static_cast<int>(civil.year), civil.month,
                civil.day);
  return text;
}

Sql date_constant(std::int64_t day) { return Sql::cast(Sql::text(day_text(day)), "DATE"); }

std::pair<std::int64_t, std::int64_t> split(std::int64_t moment) {
  const std::int64_t shifted = moment + kShiftDays * kMicrosecondsPerDay;
  return {shifted / kMicrosecondsPerDay - kShiftDays, shifted % kMicrosecondsPerDay};
}

Sql moment_constant(std::int64_t moment) {
  const auto [day, rest] = split(moment);
  char text[64];
  std::snprintf(text, sizeof text, " %02d:%02d:%02d.%06d", static_cast<int>(rest / kHour),
                static_cast<int>(rest % kHour / kMinute),
                static_cast<int>(rest % kMinute / 1'000'000), static_cast<int>(rest % 1'000'000));
  return Sql::cast(Sql::text(day_text(day) + text), "TIMESTAMP(6)");
}

Sql days_of(const Sql& date) {
  return Sql::call("date_diff", {Sql::text("day"), date_constant(0), date});
}

Sql date_of(Sql days) {
  return Sql::call("date_add", {Sql::text("day"), std::move(days), date_constant(0)});
}

/// Days since 1970 of microseconds since then, downwards.
Sql days_of_moment(Sql microseconds) {
  const Sql shifted =
      Sql::infix("+", {std::move(microseconds), steps(kShiftDays * kMicrosecondsPerDay)});
  return Sql::infix("-",
                    {Sql::infix("/", {shifted, steps(kMicrosecondsPerDay)}), steps(kShiftDays)});
}

/// What lies beyond the ends becomes the ends; `inside` is not computed then.
Sql day_between(const Sql& value, const std::pair<Sql, Sql>& ends, const Grid& grid,
                const Sql& inside) {
  return Sql::choose(
      {Sql::infix("<", {value, ends.first}), steps((grid.low / grid.step).numerator()),
       Sql::infix(">", {value, ends.second}), steps((grid.high / grid.step).numerator()), inside});
}

/// Whole days or microseconds between the grid's ends, as steps.
Sql in_steps(const Sql& value, const Grid& grid) {
  if (grid.step == Rational(1)) return value;
  IntegerMap::Formula formula;
  formula.slope = Rational(1) / grid.step;
  return scaled(value, formula, grid.low.numerator(), grid.high.numerator());
}

/// Microseconds since 1970 of a moment after the year 1. Trino counts whole milliseconds; the
/// digits behind them are read from its text.
Sql microseconds(const Sql& moment, bool fine) {
  const Sql start = moment_constant(-kShiftDays * kMicrosecondsPerDay);
  Sql out = Sql::infix(
      "*", {Sql::call("date_diff", {Sql::text("millisecond"), start, moment}), steps(1000)});
  if (fine) {
    const Sql digits = Sql::call("substr", {Sql::cast(moment, "VARCHAR"), steps(-3)});
    out = Sql::infix("+", {out, Sql::cast(digits, "BIGINT")});
  }
  return Sql::infix("-", {out, steps(kShiftDays * kMicrosecondsPerDay)});
}

}  // namespace

Sql utc(Sql moment) { return Sql::call("at_timezone", {std::move(moment), Sql::text("UTC")}); }

Sql read_date(const Type& stored, const Sql& raw, const Grid& grid) {
  Sql date = raw;
  if (stored.kind == Kind::kTimestampTz) date = utc(std::move(date));
  if (stored.kind != Kind::kDate) date = Sql::cast(std::move(date), "DATE");
  return day_between(
      date,
      {date_constant(grid.low.numerator().get_si()), date_constant(grid.high.numerator().get_si())},
      grid, in_steps(days_of(date), grid));
}

Sql read_timestamp(const Type& stored, const Sql& raw, const Grid& grid) {
  const std::int64_t low = grid.low.numerator().get_si();
  const std::int64_t high = grid.high.numerator().get_si();
  if (stored.kind == Kind::kDate) {  // its midnight
    const Sql midnight = Sql::infix("*", {days_of(raw), steps(kMicrosecondsPerDay)});
    // A midnight is below `low` if its day is, or is that of `low` unless `low` is midnight.
    const std::int64_t first = split(low).first + (split(low).second != 0 ? 1 : 0);
    return day_between(raw, {date_constant(first), date_constant(split(high).first)}, grid,
                       in_steps(midnight, grid));
  }
  Sql moment = stored.kind == Kind::kTimestampTz ? utc(raw) : raw;
  const bool zoned = stored.kind == Kind::kTimestampTz;
  if (stored.precision > 3) {
    if (zoned || stored.precision != 6) moment = Sql::cast(moment, "TIMESTAMP(6)");
  } else if (zoned) {
    moment = Sql::cast(moment, "TIMESTAMP(3)");
  }
  // Rounding the last moments of the finer types overflows, and they would come out as the first:
  // they are compared as they are stored. (With a zone there are none so late.)
  const Sql& compared = !zoned && stored.precision > 6 ? raw : moment;
  return day_between(compared, {moment_constant(low), moment_constant(high)}, grid,
                     in_steps(microseconds(moment, stored.precision > 3), grid));
}

Sql date_part(const std::string& part, Sql value, bool date) {
  if (part == "hour" || part == "minute") {
    const Sql shifted =
        Sql::infix("+", {std::move(value), steps(kShiftDays * kMicrosecondsPerDay)});
    const bool hour = part == "hour";
    return Sql::infix("/", {Sql::infix("%", {shifted, steps(hour ? kMicrosecondsPerDay : kHour)}),
                            steps(hour ? kHour : kMinute)});
  }
  const Sql day = date_of(date ? std::move(value) : days_of_moment(std::move(value)));
  if (part == "year") return Sql::call("year", {day});
  if (part == "quarter") return Sql::call("quarter", {day});
  if (part == "month") return Sql::call("month", {day});
  if (part == "day") return Sql::call("day", {day});
  if (part == "doy") return Sql::call("day_of_year", {day});
  const Sql weekday = Sql::call("day_of_week", {day});
  return part == "dow" ? Sql::infix("%", {weekday, steps(7)}) : weekday;
}

Sql date_trunc(const std::string& unit, Sql value, bool date) {
  if (unit == "day" && date) return value;
  if (unit == "hour") {
    const std::int64_t shift = kShiftDays * kMicrosecondsPerDay;
    const Sql hours =
        Sql::infix("/", {Sql::infix("+", {std::move(value), steps(shift)}), steps(kHour)});
    return Sql::infix("-", {Sql::infix("*", {hours, steps(kHour)}), steps(shift)});
  }
  Sql days = date ? std::move(value) : days_of_moment(std::move(value));
  if (unit != "day") {
    days = days_of(Sql::call("date_trunc", {Sql::text(unit), date_of(std::move(days))}));
  }
  return date ? days : Sql::infix("*", {std::move(days), steps(kMicrosecondsPerDay)});
}

}  // namespace discreet::engine::trino
