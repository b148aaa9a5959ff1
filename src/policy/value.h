// SPDX-License-Identifier: Apache-2.0
// Constants as text. Everything is exact: 0.1 is one tenth, a date is a number of days, a timestamp
// a number of microseconds, both since 1970-01-01 (no time zones: UTC).
//
//   boolean    true, false
//   integer    42, -1, 1e6; 64 bits
//   decimal    0.25, 1e-3; at most 18 digits on either side of the point
//   date       2026-11-16; years 1 to 9999
//   timestamp  2026-11-16 08:30, 2026-11-16T08:30:00.5Z, 2026-11-16 (midnight)
#pragma once

#include <string>
#include <string_view>

#include "policy/policy.h"

namespace discreet::policy {

/// boolean, integer, decimal, text, date, timestamp, and names that other systems give them.
/// Fails with: kInvalidInput, naming them.
Result<Type> parse_type(std::string_view text);

/// Whether the type has a range: all but booleans and text.
bool has_range(Type type);

/// A constant of `type`; never NULL. Text is taken as it is.
/// Fails with: kInvalidInput, saying how one is written.
Result<Value> parse_value(Type type, std::string_view text);

/// The distance of neighbouring values on a grid: "0.01"; for dates "7 days" or "7"; for timestamps
/// "15 min", "1 s" or "1" (seconds).
/// Fails with: kInvalidInput; also unless it is positive and a multiple of what the type can hold.
Result<Rational> parse_step(Type type, std::string_view text);

/// What parse_step reads back.
std::string step_text(Type type, const Rational& step);

/// Of a range without a step: 1, a day, a second; none for decimals, which must say.
std::optional<Rational> default_step(Type type);

/// A grid as people and programs read it, whatever the type: parse_value() and parse_step() read it
/// back. There is no other way to show a declared range.
struct GridText {
  std::string low;
  std::string high;
  std::string step;
};
GridText grid_text(Type type, const Grid& grid);

/// A number of the grid's kind as a constant.
Value number_value(Type type, const Rational& number);

/// Whether the value lies on the grid.
bool contains(const Grid& grid, const Rational& value);

}  // namespace discreet::policy
