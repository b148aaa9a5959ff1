// SPDX-License-Identifier: Apache-2.0
#include "policy/value.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <utility>

#include "base/suggest.h"

namespace discreet::policy {
namespace {

constexpr std::int64_t kSecond = 1'000'000;  // microseconds
constexpr std::int64_t kDay = 86'400 * kSecond;
const char* const kDateForm = "write a date as 2026-11-16";
const char* const kTimestampForm = "write a timestamp as 2026-11-16 08:30:00, in UTC";

struct TypeName {
  const char* name;
  Type type;
};

constexpr std::array<TypeName, 17> kTypeNames{{
    {"boolean", Type::kBoolean},
    {"integer", Type::kInteger},
    {"decimal", Type::kDecimal},
    {"text", Type::kText},
    {"date", Type::kDate},
    {"timestamp", Type::kTimestamp},
    {"bool", Type::kBoolean},
    {"int", Type::kInteger},
    {"bigint", Type::kInteger},
    {"numeric", Type::kDecimal},
    {"number", Type::kDecimal},
    {"float", Type::kDecimal},
    {"double", Type::kDecimal},
    {"string", Type::kText},
    {"varchar", Type::kText},
    {"datetime", Type::kTimestamp},
    {"timestamptz", Type::kTimestamp},
}};

struct StepUnit {
  const char* name;
  std::int64_t size;  ///< days for dates, microseconds for timestamps
};

constexpr std::array<StepUnit, 4> kDateUnits{{{"days", 1}, {"day", 1}, {"weeks", 7}, {"week", 7}}};
constexpr std::array<StepUnit, 9> kTimeUnits{{{"s", kSecond},
                                              {"us", 1},
                                              {"ms", 1000},
                                              {"min", 60 * kSecond},
                                              {"h", 3600 * kSecond},
                                              {"day", kDay},
                                              {"days", kDay},
                                              {"second", kSecond},
                                              {"seconds", kSecond}}};

bool is_whole(const Rational& x) { return x.denominator() == 1; }

/// The largest magnitudes: 64-bit integers, and decimals that any engine's DECIMAL(38) can hold.
bool representable(Type type, const Rational& x) {
  if (type == Type::kInteger) return is_whole(x) && x.abs() < power_of_two(63);
  static const Rational kDecimalMax = *Rational::parse("1e18");
  return x.abs() < kDecimalMax && is_whole(x * kDecimalMax);
}

Result<Value> parse_number(Type type, std::string_view text) {
  const char* const form = type == Type::kInteger
                               ? " is not an integer of 64 bits; write it as 42"
                               : " is not a decimal number of at most 18 digits on either side of "
                                 "the point; write it as 0.25";
  const auto number = Rational::parse(text);
  if (!number || !representable(type, *number)) return invalid_input(in_quotes(text) + form);
  return Value{*number, type};
}

/// `count` digits at the front; -1 when there are fewer.
int take_digits(std::string_view& text, std::size_t count) {
  int value = 0;
  if (text.size() < count) return -1;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// "2026-11-16" as days since 1970-01-01.
std::optional<std::int64_t> take_date(std::string_view& text) {
  const int year = take_digits(text, 4);
  if (year < 1 || !take(text, '-')) return std::nullopt;
  const int month = take_digits(text, 2);
  if (month < 1 || !take(text, '-')) return std::nullopt;
  const int day = take_digits(text, 2);
  if (day < 1) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

/// "08:30", "08:30:00", "08:30:00.25" as microseconds.
std::optional<std::int64_t> take_time(std::string_view& text) {
  const int hour = take_digits(text, 2);
  if (hour < 0 || hour > 23 || !take(text, ':')) return std::nullopt;
  const int minute = take_digits(text, 2);
  if (minute < 0 || minute > 59) return std::nullopt;
  int second = 0;
  std::int64_t fraction = 0;
  if (take(text, ':')) {
    second = take_digits(text, 2);
    if (second < 0 || second > 59) return std::nullopt;
    if (take(text, '.')) {
      std::int64_t weight = kSecond;
      int digit = take_digits(text, 1);
      if (digit < 0) return std::nullopt;
      for (; digit >= 0; digit = take_digits(text, 1)) {
        weight /= 10;
        if (weight == 0) return std::nullopt;  // a seventh digit
        fraction += weight * digit;
      }
    }
  }
  return (hour * 3600 + minute * 60 + second) * kSecond + fraction;
}

Result<Value> parse_date(std::string_view text) {
  std::string_view rest = text;
  const auto days = take_date(rest);
  if (!days || !rest.empty()) return invalid_input(in_quotes(text) + " is no date; " + kDateForm);
  return Value{Rational(*days), Type::kDate};
}

Result<Value> parse_timestamp(std::string_view text) {
  const Error error = invalid_input(in_quotes(text) + " is no timestamp; " + kTimestampForm);
  std::string_view rest = text;
  const auto days = take_date(rest);
  if (!days) return error;
  std::int64_t microseconds = *days * kDay;
  if (!rest.empty()) {
    if (!take(rest, ' ') && !take(rest, 'T')) return error;
    const auto time = take_time(rest);
    if (!time) return error;
    (void)take(rest, 'Z');
    if (!rest.empty()) return error;
    microseconds += *time;
  }
  return Value{Rational(microseconds), Type::kTimestamp};
}

Result<Value> parse_boolean(std::string_view text) {
  if (text == "true" || text == "false") return Value{text == "true", Type::kBoolean};
  return invalid_input(in_quotes(text) + " is no boolean; write true or false");
}

std::string date_text(std::int64_t days) {
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  std::array<char, 48> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return buffer.data();
}

std::string timestamp_text(std::int64_t microseconds) {
  const std::int64_t days =
      microseconds / kDay - (microseconds % kDay < 0 ? 1 : 0);  // floor, before 1970 too
  const std::int64_t time = microseconds - days * kDay;
  const auto seconds = static_cast<int>(time / kSecond);
  std::array<char, 48> buffer{};
  std::snprintf(buffer.data(), buffer.size(), " %02d:%02d:%02d", seconds / 3600, seconds / 60 % 60,
                seconds % 60);
  std::string out = date_text(days) + buffer.data();
  if (time % kSecond != 0) {
    std::snprintf(buffer.data(), buffer.size(), ".%06d", static_cast<int>(time % kSecond));
    out += buffer.data();
  }
  return out;
}

/// Dates and timestamps of computed values can lie outside the calendar; those are shown as
/// numbers.
bool in_calendar(Type type, const Rational& value) {
  static const Rational kFirst = Rational(std::int64_t{-719162});  // 0001-01-01
  static const Rational kPast = Rational(std::int64_t{2932897});   // 10000-01-01
  if (!is_whole(value)) return false;
  const Rational day = type == Type::kDate ? Rational(1) : Rational(kDay);
  return value >= kFirst * day && value < kPast * day;
}

template <std::size_t kCount>
Result<Rational> step_with_unit(const std::array<StepUnit, kCount>& units, std::string_view text,
                                const std::string& example) {
  const std::size_t blank = text.find(' ');
  const std::string_view name = blank == std::string_view::npos ? "" : text.substr(blank + 1);
  const auto number = Rational::parse(text.substr(0, blank));
  for (const StepUnit& unit : units) {
    if (!number || (name != unit.name && !(name.empty() && &unit == &units.front()))) continue;
    const Rational step = *number * Rational(unit.size);
    if (step.sign() > 0 && is_whole(step) && step < power_of_two(62)) return step;
    break;
  }
  return invalid_input(in_quotes(text) + " is no step; write " + example);
}

}  // namespace

Result<Type> parse_type(std::string_view text) {
  std::vector<std::string> names;
  for (const TypeName& known : kTypeNames) {
    if (text == known.name) return known.type;
    names.emplace_back(known.name);
  }
  return invalid_input("there is no type " + in_quotes(text) + did_you_mean(text, names) +
                       "; the types are boolean, integer, decimal, text, date and timestamp");
}

bool has_range(Type type) { return type != Type::kBoolean && type != Type::kText; }

Result<Value> parse_value(Type type, std::string_view text) {
  switch (type) {
    case Type::kBoolean:
      return parse_boolean(text);
    case Type::kInteger:
    case Type::kDecimal:
      return parse_number(type, text);
    case Type::kDate:
      return parse_date(text);
    case Type::kTimestamp:
      return parse_timestamp(text);
    case Type::kText:
      break;
  }
  return Value{std::string(text), Type::kText};
}

Result<Rational> parse_step(Type type, std::string_view text) {
  DISCREET_CHECK(has_range(type));
  if (type == Type::kDate) return step_with_unit(kDateUnits, text, "1 day or 7 days");
  if (type == Type::kTimestamp) return step_with_unit(kTimeUnits, text, "1 s, 15 min or 1 day");
  const auto step = Rational::parse(text);
  if (step && step->sign() > 0 && representable(type, *step)) return *step;
  return invalid_input(in_quotes(text) + " is no step; a step is above 0" +
                       (type == Type::kInteger ? " and whole, such as 1" : ", such as 0.01"));
}

std::string step_text(Type type, const Rational& step) {
  if (type == Type::kDate) return step.to_string() + (step == Rational(1) ? " day" : " days");
  if (type != Type::kTimestamp) return step.to_string();
  for (const auto& [name, size] : {std::pair("day", kDay), std::pair("h", 3600 * kSecond),
                                   std::pair("min", 60 * kSecond), std::pair("s", kSecond)}) {
    const Rational count = step / Rational(size);
    if (is_whole(count)) return count.to_string() + " " + name;
  }
  return step.to_string() + " us";
}

std::optional<Rational> default_step(Type type) {
  if (type == Type::kDecimal || !has_range(type)) return std::nullopt;
  return type == Type::kTimestamp ? Rational(kSecond) : Rational(1);
}

GridText grid_text(Type type, const Grid& grid) {
  return {to_string(number_value(type, grid.low)), to_string(number_value(type, grid.high)),
          step_text(type, grid.step)};
}

Value number_value(Type type, const Rational& number) { return Value{number, type}; }

bool contains(const Grid& grid, const Rational& value) {
  return grid.low <= value && value <= grid.high && is_whole(value / grid.step);
}

std::string to_string(const Value& value) {
  if (value.is_null()) return "NULL";
  if (const bool* truth = std::get_if<bool>(&value.data)) return *truth ? "true" : "false";
  if (const std::string* text = std::get_if<std::string>(&value.data)) return *text;
  const Rational& number = value.number();
  if ((value.type == Type::kDate || value.type == Type::kTimestamp) &&
      in_calendar(value.type, number)) {
    const std::int64_t whole = number.numerator().get_si();
    return value.type == Type::kDate ? date_text(whole) : timestamp_text(whole);
  }
  return number.to_string();
}

}  // namespace discreet::policy
