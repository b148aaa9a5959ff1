// SPDX-License-Identifier: Apache-2.0
#include "sql/literal.h"

#include <algorithm>
#include <map>
#include <utility>

#include "policy/value.h"

namespace discreet::sql {
namespace {

using policy::Type;
using policy::Value;

constexpr std::int64_t kMicrosecondsPerDay = 86'400'000'000;

bool both_numbers(Type a, Type b) { return policy::is_number(a) && policy::is_number(b); }

plan::Grid integers(int bits) {
  const Rational half = power_of_two(bits - 1);
  return {-half, half - Rational(1), 1};
}

Rational power_of_ten(std::int64_t k) {
  Rational out = 1;
  for (std::int64_t i = 0; i < k; ++i) out = out * Rational(10);
  return out;
}

// numeric(p, s): p digits, s of them behind the point.
std::optional<plan::Grid> numeric_grid(const Node& type_name) {
  const std::vector<Node> digits = type_name.list("typmods");
  if (digits.empty() || digits.size() > 2) return std::nullopt;
  const std::int64_t precision = digits[0].part("ival").number("ival");
  const std::int64_t scale = digits.size() == 2 ? digits[1].part("ival").number("ival") : 0;
  if (precision < 1 || precision > 18 || scale < 0 || scale > precision) return std::nullopt;
  const Rational step = Rational(1) / power_of_ten(scale);
  const Rational high = power_of_ten(precision - scale) - step;
  return plan::Grid{-high, high, step};
}

}  // namespace

Typed literal(Value value, Place place) {
  const Type type = value.type;
  return {plan::Expr::literal(std::move(value)), type, place};
}

Typed null_literal(Place place) { return literal(Value{{}, Type::kText}, place); }

Result<Typed> constant(const Node& node, const Text& text) {
  const Place place = node.place();
  if (node.flag("isnull")) return null_literal(place);
  if (node.has("boolval")) {
    return literal({node.part("boolval").flag("boolval"), Type::kBoolean}, place);
  }
  if (node.has("ival")) {
    return literal({Rational(node.part("ival").number("ival")), Type::kInteger}, place);
  }
  if (node.has("sval")) return literal({node.part("sval").text("sval"), Type::kText}, place);
  if (node.has("fval")) {
    const std::string digits = node.part("fval").text("fval");
    const bool whole = digits.find_first_not_of("-0123456789") == std::string::npos;
    const Type type = whole ? Type::kInteger : Type::kDecimal;
    auto value = policy::parse_value(type, digits);
    if (!value) return text.error(Code::kInvalidInput, place, value.error().message);
    return literal(std::move(*value), place);
  }
  return text.error(Code::kUnsupported, place,
                    "bit strings are not supported; write a number, 'text', TRUE or FALSE");
}

Result<NamedType> named_type(const Node& type_name, const Text& text) {
  static const std::map<std::string, NamedType> kTypes = {
      {"bool", {Type::kBoolean, {}}},
      {"boolean", {Type::kBoolean, {}}},
      {"int2", {Type::kInteger, integers(16)}},
      {"int4", {Type::kInteger, integers(32)}},
      {"int8", {Type::kInteger, integers(63)}},
      {"numeric", {Type::kDecimal, {}}},
      {"float4", {Type::kDecimal, {}}},
      {"float8", {Type::kDecimal, {}}},
      {"text", {Type::kText, {}}},
      {"varchar", {Type::kText, {}}},
      {"date", {Type::kDate, {}}},
      {"timestamp", {Type::kTimestamp, {}}},
  };
  const std::vector<std::string> names = type_name.names("names");
  const auto found = names.empty() ? kTypes.end() : kTypes.find(names.back());
  const bool plain = names.size() <= 2 && (names.size() < 2 || names.front() == "pg_catalog");
  if (found == kTypes.end() || !plain || type_name.has("arrayBounds") || type_name.flag("setof")) {
    return text.error(Code::kUnsupported, type_name.place(),
                      "this type is not supported here; use boolean, integer, bigint, numeric, "
                      "text, date or timestamp");
  }
  NamedType type = found->second;
  const std::vector<Node> digits = type_name.list("typmods");
  if (names.back() == "numeric" && !digits.empty()) {
    type.grid = numeric_grid(type_name);
    if (!type.grid) {
      return text.error(Code::kUnsupported, type_name.place(),
                        "write numeric(p, s) with p from 1 to 18 and s from 0 to p");
    }
    type.scale = digits.size() == 2 ? static_cast<int>(digits[1].part("ival").number("ival")) : 0;
  }
  return type;
}

Result<void> convert(Typed& value, Type type, const Text& text) {
  if (value.type == type || both_numbers(value.type, type)) {
    // 5 beside decimals is the decimal 5, so that 5 and 5.0 ask the same question.
    if (value.is_literal() && type == Type::kDecimal) value.expr.value.type = value.type = type;
    return {};
  }
  if (value.is_null()) {
    value.expr.value.type = value.type = type;
    return {};
  }
  if (value.is_text_literal()) {
    auto read = policy::parse_value(type, value.expr.value.text());
    if (!read) return text.error(Code::kInvalidInput, value.place, read.error().message);
    value = literal(std::move(*read), value.place);
    return {};
  }
  if (value.is_literal() && value.type == Type::kDate && type == Type::kTimestamp) {
    value = literal({value.expr.value.number() * Rational(kMicrosecondsPerDay), type}, value.place);
    return {};
  }
  return text.error(Code::kInvalidInput, value.place,
                    "this has type " + policy::to_string(value.type) + ", but " +
                        policy::to_string(type) + " is needed here");
}

Result<void> unify(Typed& a, Typed& b, const Text& text) {
  if (a.type == b.type) return {};
  if (both_numbers(a.type, b.type)) {
    DISCREET_TRY(convert(a.is_literal() ? a : b, Type::kDecimal, text));
    return {};
  }
  // The constant gives way; of two constants the text or NULL, or the date beside a timestamp.
  const auto gives_way = [](const Typed& x) { return x.is_null() || x.is_text_literal(); };
  const bool only_a = a.is_literal() && (!b.is_literal() || a.type == Type::kDate);
  if (gives_way(a) || (!gives_way(b) && only_a)) return convert(a, b.type, text);
  return convert(b, a.type, text);
}

}  // namespace discreet::sql
