// SPDX-License-Identifier: Apache-2.0
#include "engine/postgres/dates.h"

#include <cstdio>
#include <utility>

#include "engine/postgres/numbers.h"
#include "engine/postgres/types.h"
#include "plan/calendar.h"

namespace discreet::engine::postgres {
namespace {

using lowering::StoredColumn;
using plan::kMicrosecondsPerDay;
using policy::Grid;

constexpr std::int64_t kHour = 3'600'000'000;
constexpr std::int64_t kMinute = 60'000'000;
/// Days from 0001-01-01 to 1970-01-01, and one more: what makes all our moments positive.
constexpr std::int64_t kShiftDays = -plan::kFirstDay + 1;

Sql date_constant(std::int64_t day) {
  const plan::Civil civil = plan::civil_of(day);
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02d", static_cast<int>(civil.year), civil.month,
                civil.day);
  return Sql::cast(Sql::text(text), "date");
}

Sql moment_constant(std::int64_t moment) {
  const std::int64_t shifted = moment + kShiftDays * kMicrosecondsPerDay;
  const std::int64_t day = shifted / kMicrosecondsPerDay - kShiftDays;
  const std::int64_t rest = shifted % kMicrosecondsPerDay;
  const plan::Civil civil = plan::civil_of(day);
  char text[96];
  std::snprintf(text, sizeof text, "%04d-%02d-%02d %02d:%02d:%02d.%06d",
                static_cast<int>(civil.year), civil.month, civil.day,
                static_cast<int>(rest / kHour), static_cast<int>(rest % kHour / kMinute),
                static_cast<int>(rest % kMinute / 1'000'000), static_cast<int>(rest % 1'000'000));
  return Sql::cast(Sql::text(text), "timestamp");
}

Sql epoch() { return date_constant(0); }

/// Of a date that is none of the infinities.
Sql days_of(const Sql& date) { return Sql::cast(Sql::infix("-", {date, epoch()}), "bigint"); }

Sql date_of(Sql days) { return Sql::infix("+", {epoch(), Sql::cast(std::move(days), "integer")}); }

/// Days since 1970 of microseconds since then, downwards.
Sql days_of_moment(Sql microseconds) {
  return Sql::infix("-",
                    {Sql::infix("/", {Sql::infix("+", {std::move(microseconds),
                                                       steps(kShiftDays * kMicrosecondsPerDay)}),
                                      steps(kMicrosecondsPerDay)}),
                     steps(kShiftDays)});
}

Sql utc(Sql moment) {
  return Sql::call("timezone", {Sql::cast(Sql::text("UTC"), "text"), std::move(moment)});
}

/// Infinities and what else lies beyond the ends become the ends; `inside` is not computed then.
Sql between(const Sql& value, const std::pair<Sql, Sql>& ends, const std::pair<Sql, Sql>& results,
            const Sql& inside) {
  return Sql::choose({Sql::infix("<", {value, ends.first}), results.first,
                      Sql::infix(">", {value, ends.second}), results.second, inside});
}

/// Whole days or microseconds between the grid's ends, as steps.
Sql moments_in_steps(const Sql& value, const Grid& grid) {
  if (grid.step == Rational(1)) return value;
  IntegerMap::Formula formula;
  formula.slope = Rational(1) / grid.step;
  return scaled(value, formula, grid.low.numerator(), grid.high.numerator());
}

std::pair<Sql, Sql> ends_in_steps(const Grid& grid) {
  return {steps((grid.low / grid.step).numerator()), steps((grid.high / grid.step).numerator())};
}

}  // namespace

Sql read_date(const StoredColumn& stored, const Sql& raw, const Grid& grid) {
  Sql date = raw;
  if (stored.type == kTimestamptz) date = utc(std::move(date));
  if (stored.type != kDate) date = Sql::cast(std::move(date), "date");
  return between(
      date,
      {date_constant(grid.low.numerator().get_si()), date_constant(grid.high.numerator().get_si())},
      ends_in_steps(grid), moments_in_steps(days_of(date), grid));
}

Sql read_timestamp(const StoredColumn& stored, const Sql& raw, const Grid& grid) {
  const std::int64_t low = grid.low.numerator().get_si();
  const std::int64_t high = grid.high.numerator().get_si();
  if (stored.type == kDate) {  // its midnight
    const Sql midnight = Sql::infix("*", {days_of(raw), steps(kMicrosecondsPerDay)});
    const auto day = [](std::int64_t moment) {
      return (moment + kShiftDays * kMicrosecondsPerDay) / kMicrosecondsPerDay - kShiftDays;
    };
    // A midnight is below `low` if its day is, or is that of `low` unless `low` is midnight.
    const std::int64_t first = day(low) + (low % kMicrosecondsPerDay != 0 ? 1 : 0);
    return between(raw, {date_constant(first), date_constant(day(high))}, ends_in_steps(grid),
                   moments_in_steps(midnight, grid));
  }
  const Sql moment = stored.type == kTimestamptz ? utc(raw) : raw;
  // Seconds of a day in binary are off by less than 10^-11: the nearest microsecond is right.
  const Sql seconds = Sql::call("date_part", {Sql::text("epoch"), Sql::cast(moment, "time")});
  const Sql million = Sql::cast(Sql::text("1000000"), "double precision");
  const Sql value = Sql::infix(
      "+", {Sql::infix("*", {days_of(Sql::cast(moment, "date")), steps(kMicrosecondsPerDay)}),
            Sql::cast(Sql::infix("*", {seconds, million}), "bigint")});
  return between(moment, {moment_constant(low), moment_constant(high)}, ends_in_steps(grid),
                 moments_in_steps(value, grid));
}

Sql date_part(const std::string& part, Sql value, bool date) {
  if (part == "hour" || part == "minute") {
    const Sql shifted =
        Sql::infix("+", {std::move(value), steps(kShiftDays * kMicrosecondsPerDay)});
    const bool hour = part == "hour";
    return Sql::infix("/", {Sql::infix("%", {shifted, steps(hour ? kMicrosecondsPerDay : kHour)}),
                            steps(hour ? kHour : kMinute)});
  }
  Sql days = date ? std::move(value) : days_of_moment(std::move(value));
  return Sql::cast(
      Sql::call("date_part", {Sql::text(part), Sql::cast(date_of(std::move(days)), "timestamp")}),
      "bigint");
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
    const Sql moment = Sql::cast(date_of(std::move(days)), "timestamp");
    days = days_of(Sql::cast(Sql::call("date_trunc", {Sql::text(unit), moment}), "date"));
  }
  return date ? days : Sql::infix("*", {std::move(days), steps(kMicrosecondsPerDay)});
}

}  // namespace discreet::engine::postgres
