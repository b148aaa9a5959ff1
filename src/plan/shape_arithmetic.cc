// SPDX-License-Identifier: Apache-2.0
// Shapes of arithmetic, of dates and of text functions.
#include <algorithm>
#include <charconv>

#include "base/suggest.h"
#include "plan/calendar.h"
#include "plan/grid.h"
#include "plan/shape_rules.h"

namespace discreet::plan {
namespace {

constexpr int kDecimalsMax = 18;
constexpr std::int64_t kBinsMax = 10'000;
constexpr std::int64_t kPositionMax = 1'000'000;

Shape number_shape(Type type, Grid grid, const std::vector<Shape>& args) {
  Shape shape;
  shape.type = type;
  shape.grid = std::move(grid);
  shape.nullable = std::any_of(args.begin(), args.end(), [](const Shape& s) { return s.nullable; });
  shape.declared = std::all_of(args.begin(), args.end(), [](const Shape& s) { return s.declared; });
  return shape;
}

Shape listed_integers(std::int64_t low, std::int64_t high, bool nullable) {
  Shape shape;
  shape.type = Type::kInteger;
  shape.grid = Grid{low, high, 1};
  shape.nullable = nullable;
  if (high - low < kBinsMax) {
    shape.outcomes.emplace();
    for (std::int64_t i = low; i <= high; ++i) {
      shape.outcomes->push_back({Rational(i), Type::kInteger});
    }
  }
  return shape;
}

Result<Shape> date_shape(Grid grid, const std::vector<Shape>& args) {
  if (grid.low < Rational(kFirstDay) || grid.high > Rational(kLastDay)) {
    return invalid_input("dates could leave the years 1 to 9999; declare narrower ranges");
  }
  return number_shape(Type::kDate, std::move(grid), args);
}

// date + integer, integer + date, date - integer, date - date
Result<Shape> shape_of_days(const Expr& expr, const std::vector<Shape>& args) {
  const bool add = expr.op == Op::kAdd;
  const bool left = args[0].type == Type::kDate;
  const bool right = args[1].type == Type::kDate;
  const Type other = left ? args[1].type : args[0].type;
  if (!add && left && right) {
    return number_shape(Type::kInteger, subtract(*args[0].grid, *args[1].grid), args);
  }
  if (left == right || other != Type::kInteger || (right && !add)) {
    return invalid_input("days can be added to a date, and dates subtracted from each other");
  }
  return date_shape(
      add ? plan::add(*args[0].grid, *args[1].grid) : subtract(*args[0].grid, *args[1].grid), args);
}

Result<Shape> shape_of_two(const Expr& expr, const std::vector<Shape>& args) {
  const Grid& a = *args[0].grid;
  const Grid& b = *args[1].grid;
  const bool integers = args[0].type == Type::kInteger && args[1].type == Type::kInteger;
  const Type type = integers ? Type::kInteger : Type::kDecimal;
  if (expr.op == Op::kAdd) return number_shape(type, add(a, b), args);
  if (expr.op == Op::kSubtract) return number_shape(type, subtract(a, b), args);
  if (expr.op == Op::kMultiply) return number_shape(type, multiply(a, b), args);
  if (expr.op == Op::kModulo && !integers) return invalid_input("% needs two integers");
  if (is_zero(b)) return invalid_input("it divides by 0");
  if (!fits(join(a, b))) {
    return invalid_input("to divide these exactly takes more than 62 bits; round() the finer one");
  }
  Shape shape = number_shape(type,
                             expr.op == Op::kModulo ? modulo(a, b)
                             : integers             ? divide_integers(a, b)
                                                    : divide(a, b),
                             args);
  shape.nullable = shape.nullable || (b.low.sign() <= 0 && b.high.sign() >= 0);
  return shape;
}

Result<int> decimals(const std::string& name) {
  int digits = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, failure] = std::from_chars(name.data(), end, digits);
  if (!name.empty() &&
      (failure != std::errc() || stop != end || digits < -kDecimalsMax || digits > kDecimalsMax)) {
    return invalid_input("round() takes a constant number of decimals between -18 and 18");
  }
  return digits;
}

Result<Shape> shape_of_bucket(const Expr& expr, const Shape& arg) {
  if (!expr.grid || expr.grid->step.sign() <= 0 || expr.grid->low >= expr.grid->high) {
    return invalid_input("bins need low < high and a width above 0");
  }
  const Rational bins = (expr.grid->high - expr.grid->low) / expr.grid->step;
  if (bins.denominator() != 1 || bins > Rational(kBinsMax)) {
    return invalid_input("bins must have one width, and be at most 10000");
  }
  if (!arg.grid) return invalid_input("only numbers and dates have bins");
  Grid all = join(*arg.grid, *expr.grid);
  if (expr.grid->low.sign() != 0) all.step = common_step(all.step, expr.grid->low);
  if (!fits(all)) return invalid_input("the bins' ends are too fine; choose rounder ones");
  return listed_integers(0, bins.numerator().get_si() - 1, arg.nullable);
}

Result<Shape> shape_of_one(const Expr& expr, const std::vector<Shape>& args) {
  const Shape& arg = args[0];
  const Grid& grid = *arg.grid;
  switch (expr.op) {
    case Op::kNegate:
      return number_shape(arg.type, negate(grid), args);
    case Op::kAbsolute:
      return number_shape(arg.type, absolute(grid), args);
    case Op::kFloor:
      return number_shape(arg.type, floored(grid), args);
    case Op::kCeiling:
      return number_shape(arg.type, ceiled(grid), args);
    case Op::kToInteger:
      return number_shape(Type::kInteger, rounded(grid, 1), args);
    default:
      break;
  }
  DISCREET_CHECK(expr.op == Op::kRound);
  DISCREET_ASSIGN(const int digits, decimals(expr.name));
  return number_shape(arg.type, rounded(grid, power_of_ten(-digits)), args);
}

Moment moment(Type type, const Rational& value) {
  const Integer per_day = type == Type::kDate ? Integer(1) : Integer(kMicrosecondsPerDay);
  const Integer day = (value / Rational(per_day)).floor();
  return {day.get_si(), Integer(value.floor() - day * per_day).get_si()};
}

Rational value_of(Type type, const Moment& moment) {
  return type == Type::kDate
             ? Rational(moment.day)
             : Rational(moment.day) * Rational(kMicrosecondsPerDay) + Rational(moment.microsecond);
}

// All starts of the unit in the range, where they are few.
std::optional<std::vector<Value>> starts(const std::string& unit, Type type, std::int64_t first,
                                         std::int64_t last) {
  if (unit == "day" || unit == "hour") return std::nullopt;
  std::vector<Value> all;
  for (std::int64_t day = first; day <= last; day = next_start(unit, day)) {
    if (all.size() == kOutcomesMax) return std::nullopt;
    all.push_back({value_of(type, {day, 0}), type});
  }
  return all;
}

Shape shape_of_part(const std::string& part, const Shape& arg) {
  const auto part_of = [&](const Rational& end) { return date_part(part, moment(arg.type, end)); };
  std::int64_t low = part == "hour" || part == "minute" || part == "dow" ? 0 : 1;
  std::int64_t high = 0;
  if (part == "year") {
    low = part_of(arg.grid->low);
    high = part_of(arg.grid->high);
  } else {
    high = part == "quarter"  ? 4
           : part == "month"  ? 12
           : part == "day"    ? 31
           : part == "dow"    ? 6
           : part == "isodow" ? 7
           : part == "doy"    ? 366
           : part == "hour"   ? 23
                              : 59;
  }
  Shape shape = listed_integers(low, high, arg.nullable);
  if (shape.outcomes->size() > kOutcomesMax) shape.outcomes.reset();
  return shape;
}

Result<void> check_positions(const Expr& expr, const std::vector<Shape>& args) {
  for (const std::size_t i : {1, 2}) {
    if (args.size() != 3 || expr.args[i].op != Op::kLiteral || args[i].type != Type::kInteger ||
        args[i].grid->low.abs() > Rational(kPositionMax)) {
      return invalid_input("substring() takes a constant start and length below 1000000");
    }
  }
  if (args[2].grid->low.sign() < 0) return invalid_input("a length cannot be negative");
  return {};
}

Result<Shape> shape_of_number_in_text(const Expr& expr, const Shape& arg) {
  if (!expr.grid) return invalid_input("a number read from text needs a declared range");
  const Grid& grid = *expr.grid;
  if (grid.step.sign() <= 0 || grid.low > grid.high || !fits(grid) ||
      (grid.low / grid.step).denominator() != 1 || (grid.high / grid.step).denominator() != 1) {
    return invalid_input("the range of a number read from text must be multiples of its step");
  }
  const bool integer = expr.name == "integer";
  if (integer && grid.step.denominator() != 1) {
    return invalid_input("integers have whole steps");
  }
  Shape shape = number_shape(integer ? Type::kInteger : Type::kDecimal, grid, {arg});
  shape.nullable = true;
  shape.declared = true;
  return shape;
}

}  // namespace

Result<Shape> shape_of_arithmetic(const Expr& expr, const std::vector<Shape>& args) {
  const bool two = expr.op == Op::kAdd || expr.op == Op::kSubtract || expr.op == Op::kMultiply ||
                   expr.op == Op::kDivide || expr.op == Op::kModulo;
  if (args.size() != (two ? 2U : 1U)) return invalid_input("wrong number of operands");
  if (expr.op == Op::kBucket) return shape_of_bucket(expr, args[0]);
  if ((expr.op == Op::kAdd || expr.op == Op::kSubtract) &&
      (args[0].type == Type::kDate || args[1].type == Type::kDate)) {
    return shape_of_days(expr, args);
  }
  for (const Shape& arg : args) {
    if (!is_number(arg)) {
      return invalid_input("arithmetic needs numbers, not " + policy::to_string(arg.type));
    }
  }
  return two ? shape_of_two(expr, args) : shape_of_one(expr, args);
}

Result<Shape> shape_of_date(const Expr& expr, const Shape& arg) {
  if (arg.type != Type::kDate && arg.type != Type::kTimestamp) {
    return invalid_input("only dates and timestamps have parts");
  }
  const auto& known = expr.op == Op::kDatePart ? date_parts() : date_truncations();
  if (std::find(known.begin(), known.end(), expr.name) == known.end()) {
    return invalid_input("unknown part " + in_quotes(expr.name) + did_you_mean(expr.name, known) +
                         "; known are " + one_of(known));
  }
  if (expr.op == Op::kDatePart) return shape_of_part(expr.name, arg);
  const auto start = [&](const Rational& end) {
    return date_trunc(expr.name, moment(arg.type, end));
  };
  const Moment low = start(arg.grid->low);
  const Moment high = start(arg.grid->high);
  const std::int64_t step = arg.type == Type::kDate ? 1
                            : expr.name == "hour"   ? kMicrosecondsPerDay / 24
                                                    : kMicrosecondsPerDay;
  Shape shape =
      number_shape(arg.type, {value_of(arg.type, low), value_of(arg.type, high), step}, {arg});
  shape.outcomes = starts(expr.name, arg.type, low.day, high.day);
  return shape;
}

Result<Shape> shape_of_text(const Expr& expr, const std::vector<Shape>& args) {
  const std::size_t texts =
      expr.op == Op::kConcat ? args.size() : std::min<std::size_t>(1, args.size());
  if (args.empty() || (texts == 1 && expr.op == Op::kConcat) ||
      (args.size() > texts && expr.op != Op::kSubstring)) {
    return invalid_input("wrong number of texts");
  }
  for (std::size_t i = 0; i < texts; ++i) {
    if (args[i].type != Type::kText) {
      return invalid_input("needs text, not " + policy::to_string(args[i].type));
    }
  }
  if (expr.op == Op::kToNumber) return shape_of_number_in_text(expr, args[0]);
  if (expr.op == Op::kLength) {
    Shape shape = number_shape(Type::kInteger, {0, power_of_two(32) - Rational(1), 1}, args);
    shape.declared = false;
    return shape;
  }
  if (expr.op == Op::kSubstring) DISCREET_TRY(check_positions(expr, args));
  Shape shape;
  shape.type = Type::kText;
  shape.nullable = std::any_of(args.begin(), args.end(), [](const Shape& s) { return s.nullable; });
  return shape;
}

}  // namespace discreet::plan
