// SPDX-License-Identifier: Apache-2.0
// The reference interpreter of expressions: slow and obvious, in exact rationals, straight from
// expression.md. Engines are compared with it bit for bit (reference_for_tests.h has the rest of a
// question: joins, bounding, measurements).
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/calendar.h"
#include "plan/grid.h"
#include "plan/shape.h"
#include "plan/shape_rules.h"
#include "plan/text_work.h"

namespace discreet::plan {

/// A row of one table as it is in the file: column -> value. A missing column is NULL.
using RawRow = std::map<std::string, Value>;
/// One row of each table of the source, side by side.
using JoinedRow = std::vector<RawRow>;

inline Value null_value(Type type = Type::kText) { return {std::monostate{}, type}; }
inline Value integer_value(std::int64_t n) { return {Rational(n), Type::kInteger}; }
inline Value decimal_value(Rational n) { return {std::move(n), Type::kDecimal}; }
inline Value text_value(std::string text) { return {std::move(text), Type::kText}; }
inline Value truth_value(bool b) { return {b, Type::kBoolean}; }
inline Value date_value(std::int64_t day) { return {Rational(day), Type::kDate}; }

/// The first bytes of UTF-8 characters; a byte that belongs to none counts as one.
inline std::vector<std::size_t> character_starts(const std::string& text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  }
  return starts;
}

/// Characters first .. last, from 1, as far as there are any.
inline std::string characters(const std::string& text, std::int64_t first, std::int64_t last) {
  std::vector<std::size_t> starts = character_starts(text);
  const auto count = static_cast<std::int64_t>(starts.size());
  starts.push_back(text.size());
  first = std::max<std::int64_t>(first, 1);
  last = std::min(last, count);
  if (first > last) return "";
  const std::size_t from = starts[static_cast<std::size_t>(first - 1)];
  return text.substr(from, starts[static_cast<std::size_t>(last)] - from);
}

inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
inline char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }

inline std::string mapped(std::string text, char (*map)(char)) {
  std::transform(text.begin(), text.end(), text.begin(), map);
  return text;
}

/// Whether text matches a LIKE pattern: % any characters, _ one, \ the next one itself.
inline bool like(const std::string& text, std::size_t t, const std::string& pattern,
                 std::size_t p) {
  if (p == pattern.size()) return t == text.size();
  if (pattern[p] == '%') {
    for (std::size_t i = t; i <= text.size(); ++i) {
      if (like(text, i, pattern, p + 1)) return true;
    }
    return false;
  }
  if (t == text.size()) return false;
  if (pattern[p] == '_') {
    std::size_t next = t + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    return like(text, next, pattern, p + 1);
  }
  if (pattern[p] == '\\' && p + 1 < pattern.size()) ++p;
  return text[t] == pattern[p] && like(text, t + 1, pattern, p + 1);
}

/// Blanks, a sign, digits with at most one point, an exponent, blanks; at most 1,000 characters,
/// exponents to 1,000.
inline std::optional<Rational> plain_number(std::string text) {
  constexpr const char* kBlanks = " \t\n\v\f\r";
  if (text.size() > 1000 || text.find_first_not_of(kBlanks) == std::string::npos) return {};
  text = text.substr(text.find_first_not_of(kBlanks));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text = text.substr(1);
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string::npos) return {};
  if (text.substr(0, text.find_first_of("eE")).find_first_of("0123456789") == std::string::npos) {
    return {};  // a point alone is no number
  }
  if (text[0] == '.') text = "0" + text;
  const std::size_t point = text.find('.');
  if (point != std::string::npos &&
      (point + 1 == text.size() || text[point + 1] == 'e' || text[point + 1] == 'E')) {
    text.erase(point, 1);
  }
  if (text[0] < '0' || text[0] > '9') return {};
  const auto number = Rational::parse(text);
  if (!number) return {};
  return negative ? -*number : *number;
}

class Interpreter {
 public:
  Interpreter(const Source& source, const policy::Policy& policy)
      : source_(source), policy_(policy) {}

  Value evaluate(const Expr& expr, const JoinedRow& row) const {
    switch (expr.op) {
      case Op::kColumn:
        return column(expr, row);
      case Op::kLiteral:
        return expr.value;
      case Op::kAnd:
      case Op::kOr:
        return connective(expr, row);
      case Op::kCase:
        return choice(expr, row);
      case Op::kIsNull:
        return truth_value(evaluate(expr.args[0], row).is_null());
      case Op::kCoalesce:
        for (const Expr& arg : expr.args) {
          const Value value = evaluate(arg, row);
          if (!value.is_null()) return typed(expr, value);
        }
        return null_value(type_of(expr));
      default:
        return strict(expr, row);
    }
  }

  /// A column as expressions see it.
  static Value read(const policy::Column& column, const Value& raw) {
    Value value = raw;
    if (value.is_null()) {
      if (column.null_rule != policy::NullRule::kDefault) return null_value(column.type);
      value = column.fallback;
    }
    value.type = column.type;
    const Shape shape = shape_of(column);
    if (shape.grid) value.data = onto(*shape.grid, value.number());
    return value;
  }

 private:
  Shape shape(const Expr& expr) const {
    return shape_of(expr, source_, policy_, Use::kChecked).value();
  }
  Type type_of(const Expr& expr) const { return shape(expr).type; }
  Value typed(const Expr& expr, Value value) const {
    value.type = type_of(expr);
    return value;
  }

  Value column(const Expr& expr, const JoinedRow& row) const {
    const auto found = row[expr.table].find(expr.name);
    if (source_.tables[expr.table].is_subquery()) {  // read inside of it; NULL after a left join
      return typed(expr, found == row[expr.table].end() ? null_value() : found->second);
    }
    const policy::Column& column = *policy_.find(source_.tables[expr.table].table)->find(expr.name);
    return read(column, found == row[expr.table].end() ? null_value() : found->second);
  }

  Value connective(const Expr& expr, const JoinedRow& row) const {
    const bool decisive = expr.op == Op::kOr;
    bool unknown = false;
    for (const Expr& arg : expr.args) {
      const Value value = evaluate(arg, row);
      if (value.is_null()) {
        unknown = true;
      } else if (std::get<bool>(value.data) == decisive) {
        return value;
      }
    }
    return unknown ? null_value(Type::kBoolean) : truth_value(!decisive);
  }

  Value choice(const Expr& expr, const JoinedRow& row) const {
    for (std::size_t i = 0; i + 1 < expr.args.size(); i += 2) {
      const Value condition = evaluate(expr.args[i], row);
      if (!condition.is_null() && std::get<bool>(condition.data)) {
        return typed(expr, evaluate(expr.args[i + 1], row));
      }
    }
    return typed(expr, evaluate(expr.args.back(), row));
  }

  // Operations that are NULL as soon as an argument is.
  Value strict(const Expr& expr, const JoinedRow& row) const {
    std::vector<Value> args;
    for (const Expr& arg : expr.args) args.push_back(evaluate(arg, row));
    for (const Value& arg : args) {
      if (arg.is_null()) return null_value(type_of(expr));
    }
    std::optional<Value> value = operate(expr, args);
    if (!value) return null_value(type_of(expr));
    value->type = type_of(expr);
    return *value;
  }

  std::optional<Value> operate(const Expr& expr, const std::vector<Value>& args) const {
    switch (expr.op) {
      case Op::kEqual:
        return truth_value(args[0].data == args[1].data);
      case Op::kLess:
        return truth_value(args[0].data < args[1].data);
      case Op::kLessEqual:
        return truth_value(args[0].data <= args[1].data);
      case Op::kNot:
        return truth_value(!std::get<bool>(args[0].data));
      case Op::kIn:
        return truth_value(std::any_of(args.begin() + 1, args.end(),
                                       [&](const Value& v) { return v.data == args[0].data; }));
      case Op::kDatePart:
        return integer_value(date_part(expr.name, moment(args[0])));
      case Op::kDateTrunc:
        return value_of(args[0].type, date_trunc(expr.name, moment(args[0])));
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kDivide:
      case Op::kModulo:
        return two_numbers(expr, args);
      case Op::kNegate:
      case Op::kAbsolute:
      case Op::kFloor:
      case Op::kCeiling:
      case Op::kRound:
      case Op::kToInteger:
      case Op::kBucket:
        return one_number(expr, args[0].number());
      default:
        return text(expr, args);
    }
  }

  std::optional<Value> two_numbers(const Expr& expr, const std::vector<Value>& args) const {
    const Rational& a = args[0].number();
    const Rational& b = args[1].number();
    if (expr.op == Op::kAdd) return decimal_value(a + b);
    if (expr.op == Op::kSubtract) return decimal_value(a - b);
    if (expr.op == Op::kMultiply) return decimal_value(a * b);
    if (b.sign() == 0) return std::nullopt;
    const bool integers = args[0].type == Type::kInteger && args[1].type == Type::kInteger;
    if (!integers) return decimal_value(nearest_multiple(a / b, power_of_ten(-6)));
    const Rational quotient = Rational(towards_zero(a / b));
    return decimal_value(expr.op == Op::kModulo ? a - b * quotient : quotient);
  }

  static Value one_number(const Expr& expr, const Rational& x) {
    switch (expr.op) {
      case Op::kNegate:
        return decimal_value(-x);
      case Op::kAbsolute:
        return decimal_value(x.abs());
      case Op::kFloor:
        return decimal_value(Rational(x.floor()));
      case Op::kCeiling:
        return decimal_value(Rational(x.ceil()));
      case Op::kBucket: {
        const Integer bins = ((expr.grid->high - expr.grid->low) / expr.grid->step).floor();
        const Integer bin = ((x - expr.grid->low) / expr.grid->step).floor();
        return decimal_value(Rational(std::clamp(bin, Integer(0), Integer(bins - 1))));
      }
      default:
        break;
    }
    const int digits = expr.op == Op::kRound && !expr.name.empty() ? std::stoi(expr.name) : 0;
    return decimal_value(nearest_multiple(x, power_of_ten(-digits)));
  }

  /// What a function that makes texts sees of its own.
  static std::string seen(const Expr& expr, const Value& arg) {
    return characters(arg.text(), 1, characters_seen(expr));
  }

  static std::optional<Value> text(const Expr& expr, const std::vector<Value>& args) {
    const std::string& whole = args[0].text();
    const bool looks = expr.op == Op::kLike || expr.op == Op::kLength || expr.op == Op::kToNumber;
    const std::string s = looks ? whole : seen(expr, args[0]);
    switch (expr.op) {
      case Op::kLike:
        return truth_value(expr.name == "i" ? like(mapped(s, ascii_lower), 0,
                                                   mapped(args[1].text(), ascii_lower), 0)
                                            : like(s, 0, args[1].text(), 0));
      case Op::kLower:
        return text_value(mapped(s, ascii_lower));
      case Op::kUpper:
        return text_value(mapped(s, ascii_upper));
      case Op::kTrim: {
        const std::size_t first = s.find_first_not_of(' ');
        if (first == std::string::npos) return text_value("");
        return text_value(s.substr(first, s.find_last_not_of(' ') - first + 1));
      }
      case Op::kLength:
        return integer_value(static_cast<std::int64_t>(character_starts(s).size()));
      case Op::kSubstring: {
        const std::int64_t first = args[1].number().numerator().get_si();
        return text_value(characters(s, first, first + args[2].number().numerator().get_si() - 1));
      }
      case Op::kConcat: {
        std::string all;
        for (const Value& arg : args) all += seen(expr, arg);
        return text_value(all);
      }
      default:
        break;
    }
    DISCREET_CHECK(expr.op == Op::kToNumber);
    const auto number = plain_number(s);
    if (!number) return std::nullopt;
    return decimal_value(onto(*expr.grid, *number));
  }

  static Moment moment(const Value& value) {
    if (value.type == Type::kDate) return {value.number().numerator().get_si(), 0};
    const Rational day = Rational((value.number() / Rational(kMicrosecondsPerDay)).floor());
    return {day.numerator().get_si(),
            (value.number() - day * Rational(kMicrosecondsPerDay)).numerator().get_si()};
  }
  static Value value_of(Type type, const Moment& moment) {
    if (type == Type::kDate) return date_value(moment.day);
    return {Rational(moment.day) * Rational(kMicrosecondsPerDay) + Rational(moment.microsecond),
            Type::kTimestamp};
  }

  const Source& source_;
  const policy::Policy& policy_;
};

}  // namespace discreet::plan
