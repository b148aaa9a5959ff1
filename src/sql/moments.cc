// SPDX-License-Identifier: Apache-2.0
// GREATEST and LEAST, and dates that an INTERVAL moves. Constants may be moved by months and years;
// columns by days and weeks, which all have one length.
#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include "plan/calendar.h"
#include "sql/rows.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::Op;
using policy::Type;

struct Interval {
  std::int64_t months = 0;
  std::int64_t days = 0;
};

// What PostgreSQL's grammar makes of the word behind an INTERVAL's text: 1 << its field's number.
const char* field_of(std::int64_t mask) {
  switch (mask) {
    case 1 << 1:
      return "month";
    case 1 << 2:
      return "year";
    case 1 << 3:
      return "day";
    default:
      return "";
  }
}

std::optional<std::int64_t> whole_of(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc() || stop != end || number < -1'000'000 || number > 1'000'000) return {};
  return number;
}

// "3 months", "1 year 2 days", or a number whose unit stands behind the text.
std::optional<Interval> parse_interval(const std::string& text, const std::string& behind) {
  std::istringstream words(text);
  Interval out;
  std::string number;
  bool any = false;
  while (words >> number) {
    std::string unit = behind;
    if (behind.empty() && !(words >> unit)) return {};
    const auto n = whole_of(number);
    if (!n) return {};
    if (unit.size() > 1 && unit.back() == 's') unit.pop_back();
    if (unit == "day") {
      out.days += *n;
    } else if (unit == "week") {
      out.days += 7 * *n;
    } else if (unit == "month") {
      out.months += *n;
    } else if (unit == "year") {
      out.months += 12 * *n;
    } else {
      return {};
    }
    any = true;
  }
  return any ? std::optional(out) : std::nullopt;
}

bool is_interval(const Node& node) {
  if (!node.is("TypeCast")) return false;
  const std::vector<std::string> names = node.part("typeName").names("names");
  return !names.empty() && names.back() == "interval";
}

// The same day of another month, or its last one.
std::optional<std::int64_t> add_months(std::int64_t day, std::int64_t months) {
  const plan::Civil civil = plan::civil_of(day);
  const std::int64_t month = civil.year * 12 + (civil.month - 1) + months;
  if (month < 12 || month >= 12 * 10'000) return {};
  const std::int64_t year = month / 12;
  const int in_year = static_cast<int>(month % 12) + 1;
  for (int last = civil.day; last >= 28; --last) {
    const std::int64_t candidate = plan::day_of({year, in_year, last});
    if (plan::civil_of(candidate).month == in_year) return candidate;
  }
  return plan::day_of({year, in_year, civil.day});
}

}  // namespace

Result<std::optional<Typed>> Rows::moved_date(const Node& node) const {
  const std::vector<std::string> op = node.names("name");
  const Node interval = node.child("rexpr");
  const bool moves = op == std::vector<std::string>{"+"} || op == std::vector<std::string>{"-"};
  if (!moves || !is_interval(interval)) return std::optional<Typed>();
  const Place place = interval.place();
  const Node constant = interval.child("arg");
  const std::vector<Node> behind = interval.part("typeName").list("typmods");
  const std::string unit =
      behind.empty() ? "" : field_of(behind.front().part("ival").number("ival"));
  const auto parsed =
      constant.is("A_Const") && constant.has("sval") && (behind.empty() || *unit.c_str() != 0)
          ? parse_interval(constant.part("sval").text("sval"), unit)
          : std::nullopt;
  if (!parsed) {
    return error(Code::kUnsupported, place,
                 "an INTERVAL is a constant of years, months, weeks or days, such as INTERVAL '3 "
                 "months'");
  }
  const std::int64_t sign = op.front() == "-" ? -1 : 1;
  DISCREET_ASSIGN(Typed date, bind(node.child("lexpr")));
  if (date.is_text_literal()) DISCREET_TRY(convert(date, Type::kDate, text_));
  if (date.type != Type::kDate) {
    return error(Code::kUnsupported, place, "an INTERVAL can be added to a date only");
  }
  if (date.is_literal() && !date.is_null()) {
    const std::int64_t day = date.expr.value.number().numerator().get_si();
    const auto moved = add_months(day, sign * parsed->months);
    const std::int64_t result = moved.value_or(plan::kFirstDay) + sign * parsed->days;
    if (!moved || result < plan::kFirstDay || result > plan::kLastDay) {
      return error(Code::kInvalidInput, place, "dates lie in the years 1 to 9999");
    }
    return std::optional(literal({Rational(result), Type::kDate}, node.place()));
  }
  if (parsed->months != 0) {
    return error(Code::kUnsupported, place,
                 "months and years have no fixed length: only constant dates can be moved by them; "
                 "add days to a column");
  }
  const Expr days = Expr::literal({Rational(sign * parsed->days), Type::kInteger});
  return std::optional(
      Typed{Expr::of(Op::kAdd, {std::move(date.expr), days}), Type::kDate, node.place()});
}

// As in PostgreSQL NULLs are passed over.
Result<Typed> Rows::extreme(const Node& node) const {
  DISCREET_ASSIGN(std::vector<Typed> values, all(node.list("args")));
  DISCREET_ASSIGN(const Type type, unify_all(values));
  const bool greatest = node.text("op") != "IS_LEAST";
  constexpr std::size_t kMost = 8;  // each is written twice as often as the next
  if (values.size() > kMost || type == Type::kBoolean) {
    return error(Code::kUnsupported, node.place(),
                 "GREATEST and LEAST take up to 8 numbers, dates or texts");
  }
  Expr best = std::move(values.front().expr);
  for (std::size_t i = 1; i < values.size(); ++i) {
    Expr next = std::move(values[i].expr);
    const Expr better =
        greatest ? Expr::of(Op::kLess, {best, next}) : Expr::of(Op::kLess, {next, best});
    // Where one is NULL the comparison is, and the other is taken.
    const Expr rest = Expr::of(Op::kCoalesce, {best, next});
    best = Expr::of(Op::kCase, {better, std::move(next), rest});
  }
  return Typed{std::move(best), type, node.place()};
}

}  // namespace discreet::sql
