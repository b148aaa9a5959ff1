// SPDX-License-Identifier: Apache-2.0
#include "plan/shape_rules.h"

#include <algorithm>

#include "plan/calendar.h"
#include "plan/grid.h"

namespace discreet::plan {
namespace {

constexpr int kLiteralDigits = 18;

// What can be compared with what.
enum class Family { kTruth, kNumber, kText, kDate, kTimestamp };

Family family(Type type) {
  switch (type) {
    case Type::kBoolean:
      return Family::kTruth;
    case Type::kText:
      return Family::kText;
    case Type::kDate:
      return Family::kDate;
    case Type::kTimestamp:
      return Family::kTimestamp;
    case Type::kInteger:
    case Type::kDecimal:
      break;
  }
  return Family::kNumber;
}

bool any_nullable(const std::vector<Shape>& shapes) {
  return std::any_of(shapes.begin(), shapes.end(), [](const Shape& s) { return s.nullable; });
}

Shape truth(bool nullable) {
  Shape shape;
  shape.nullable = nullable;
  shape.outcomes = {Value{false, Type::kBoolean}, Value{true, Type::kBoolean}};
  return shape;
}

Result<void> check_decimal(const Rational& number) {
  const Rational limit = power_of_ten(kLiteralDigits);
  if (number.abs() >= limit || (number * limit).denominator() != 1) {
    return invalid_input("a constant may have 18 digits on either side of the point");
  }
  return {};
}

Result<void> check_moment(const Rational& number, std::int64_t per_day) {
  const Rational day = Rational((number / Rational(per_day)).floor());
  if (number.denominator() != 1 || day < Rational(kFirstDay) || day > Rational(kLastDay)) {
    return invalid_input("dates are between the years 1 and 9999");
  }
  return {};
}

Result<void> check_literal(const Value& value) {
  switch (value.type) {
    case Type::kBoolean:
      if (value.data.index() != 1) return invalid_input("a boolean must be true or false");
      return {};
    case Type::kText:
      if (value.data.index() != 3) return invalid_input("a text constant must be text");
      if (value.text().find('\0') != std::string::npos) {
        return invalid_input("a text constant may not contain a zero byte");
      }
      return {};
    case Type::kInteger:
    case Type::kDecimal:
    case Type::kDate:
    case Type::kTimestamp:
      break;
  }
  if (value.data.index() != 2) return invalid_input("a numeric constant must be a number");
  if (value.type == Type::kDate) return check_moment(value.number(), 1);
  if (value.type == Type::kTimestamp) return check_moment(value.number(), kMicrosecondsPerDay);
  if (value.type == Type::kDecimal) return check_decimal(value.number());
  if (value.number().denominator() != 1 || value.number().abs() >= power_of_two(62)) {
    return invalid_input("an integer constant must be whole and below 2^62 in size");
  }
  return {};
}

Result<Shape> shape_of_literal(const Value& value) {
  Shape shape;
  shape.type = value.type;
  shape.nullable = value.is_null();
  shape.outcomes.emplace();
  if (value.is_null()) {
    if (value.type != Type::kBoolean && value.type != Type::kText) shape.grid = point(0);
    return shape;
  }
  DISCREET_TRY(check_literal(value));
  shape.outcomes->push_back(value);
  if (value.data.index() == 2) shape.grid = point(value.number());
  return shape;
}

// That two values can be compared: by type, and as integers of one step.
Result<void> check_comparable(const Shape& a, const Shape& b) {
  if (family(a.type) != family(b.type)) {
    return invalid_input("cannot compare " + policy::to_string(a.type) + " with " +
                         policy::to_string(b.type));
  }
  if (a.grid && b.grid && !fits(join(*a.grid, *b.grid))) {
    return invalid_input("to compare these exactly takes more than 62 bits; round() the finer one");
  }
  return {};
}

Result<Shape> shape_of_comparison(const Expr& expr, const std::vector<Shape>& args) {
  if (args.size() != 2) return invalid_input("a comparison has two sides");
  DISCREET_TRY(check_comparable(args[0], args[1]));
  if (expr.op != Op::kEqual && is_boolean(args[0])) {
    return invalid_input("true and false have no order");
  }
  return truth(any_nullable(args));
}

Result<Shape> shape_of_in(const Expr& expr, const std::vector<Shape>& args) {
  if (args.size() < 2) return invalid_input("IN needs a value and a list");
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (expr.args[i].op != Op::kLiteral) return invalid_input("an IN list holds constants only");
    DISCREET_TRY(check_comparable(args[0], args[i]));
  }
  return truth(args[0].nullable);
}

Result<Shape> shape_of_like(const Expr& expr, const std::vector<Shape>& args) {
  if (args.size() != 2 || args[0].type != Type::kText || args[1].type != Type::kText ||
      expr.args[1].op != Op::kLiteral) {
    return invalid_input("LIKE needs text and a constant pattern");
  }
  const std::string& pattern = expr.args[1].value.text();
  const std::size_t last = pattern.find_last_not_of('\\');
  const std::size_t slashes = pattern.size() - (last == std::string::npos ? 0 : last + 1);
  if (slashes % 2 == 1) return invalid_input("a LIKE pattern may not end with a backslash");
  constexpr std::size_t kPatternMax = 1000;  // databases take the text's length times this
  if (pattern.size() > kPatternMax || pattern.find('\0') != pattern.npos) {
    return invalid_input("a LIKE pattern has at most 1,000 bytes, none of them 0");
  }
  return truth(args[0].nullable);
}

Result<Shape> shape_of_logic(const Expr& expr, const std::vector<Shape>& args) {
  if (args.empty() || (expr.op == Op::kNot && args.size() != 1)) {
    return invalid_input("AND, OR and NOT need conditions");
  }
  if (!std::all_of(args.begin(), args.end(), is_boolean)) {
    return invalid_input("AND, OR and NOT need conditions that are true or false");
  }
  return truth(any_nullable(args));
}

void add_outcomes(const Shape& from, Type type, std::optional<std::vector<Value>>& outcomes) {
  if (!from.outcomes || (outcomes && outcomes->size() + from.outcomes->size() > kOutcomesMax)) {
    outcomes.reset();
  }
  if (!outcomes) return;
  for (Value value : *from.outcomes) {
    value.type = type;
    if (std::find(outcomes->begin(), outcomes->end(), value) == outcomes->end()) {
      outcomes->push_back(std::move(value));
    }
  }
}

}  // namespace

bool is_boolean(const Shape& shape) { return shape.type == Type::kBoolean; }

bool is_number(const Shape& shape) { return family(shape.type) == Family::kNumber; }

Rational onto(const Grid& grid, const Rational& value) {
  return std::clamp(nearest_multiple(value, grid.step), grid.low, grid.high);
}

Result<Shape> shape_of_either(const std::vector<Shape>& shapes) {
  const auto first = std::find_if(shapes.begin(), shapes.end(),
                                  [](const Shape& shape) { return !shape.always_null(); });
  if (first == shapes.end()) return shapes.front();
  Shape either = *first;
  for (const Shape& shape : shapes) {
    either.nullable = either.nullable || shape.nullable;
    if (shape.always_null()) continue;
    if (family(shape.type) != family(either.type)) {
      return invalid_input("its results have different types: " + policy::to_string(either.type) +
                           " and " + policy::to_string(shape.type));
    }
    if (shape.type == Type::kDecimal) either.type = Type::kDecimal;
    if (shape.grid) either.grid = join(*either.grid, *shape.grid);
    either.declared = either.declared && shape.declared;
  }
  either.outcomes.emplace();
  for (const Shape& shape : shapes) add_outcomes(shape, either.type, either.outcomes);
  return either;
}

Result<Shape> shape_of_operation(const Expr& expr, const std::vector<Shape>& args) {
  if (expr.op == Op::kLiteral) return shape_of_literal(expr.value);
  if (expr.op == Op::kIsNull) {
    if (args.size() != 1) return invalid_input("IS NULL needs one value");
    return truth(false);
  }
  if (expr.op == Op::kCoalesce) {
    if (args.empty()) return invalid_input("COALESCE needs values");
    DISCREET_ASSIGN(Shape either, shape_of_either(args));
    either.nullable =
        std::all_of(args.begin(), args.end(), [](const Shape& s) { return s.nullable; });
    return either;
  }
  if (std::any_of(args.begin(), args.end(), [](const Shape& s) { return s.always_null(); })) {
    return invalid_input("NULL can only be asked for with IS NULL, or be a result of CASE");
  }
  switch (expr.op) {
    case Op::kEqual:
    case Op::kLess:
    case Op::kLessEqual:
      return shape_of_comparison(expr, args);
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      return shape_of_logic(expr, args);
    case Op::kIn:
      return shape_of_in(expr, args);
    case Op::kLike:
      return shape_of_like(expr, args);
    case Op::kDatePart:
    case Op::kDateTrunc:
      if (args.size() != 1) return invalid_input("a part of a date needs one date");
      return shape_of_date(expr, args[0]);
    case Op::kLower:
    case Op::kUpper:
    case Op::kTrim:
    case Op::kLength:
    case Op::kSubstring:
    case Op::kConcat:
    case Op::kToNumber:
      return shape_of_text(expr, args);
    default:
      return shape_of_arithmetic(expr, args);
  }
}

}  // namespace discreet::plan
