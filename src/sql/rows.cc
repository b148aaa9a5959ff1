// SPDX-License-Identifier: Apache-2.0
#include "sql/rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/suggest.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::Op;
using policy::Type;

Typed truth(Op op, std::vector<Expr> args, Place place) {
  return {Expr::of(op, std::move(args)), Type::kBoolean, place};
}

Typed negated(Typed value) {
  const Place place = value.place;
  return truth(Op::kNot, {std::move(value.expr)}, place);
}

Expr truth_literal(bool value) { return Expr::literal({value, Type::kBoolean}); }

}  // namespace

Result<Typed> Rows::bind(const Node& node) const {
  if (replacements_ != nullptr) {
    DISCREET_ASSIGN(std::optional<Typed> instead, replacements_->replace(node));
    if (instead) return std::move(*instead);
  }
  return bind_plain(node);
}

Result<Typed> Rows::bind_plain(const Node& node) const {
  if (node.is("ColumnRef")) return column(node);
  if (node.is("A_Const")) return constant(node, text_);
  if (node.is("A_Expr")) return operation(node);
  if (node.is("BoolExpr")) return logic(node);
  if (node.is("NullTest")) {
    DISCREET_ASSIGN(Typed value, bind(node.child("arg")));
    Typed out = truth(Op::kIsNull, {std::move(value.expr)}, value.place);
    return node.text("nulltesttype") == "IS_NULL" ? out : negated(std::move(out));
  }
  if (node.is("BooleanTest")) return truth_test(node);
  if (node.is("CaseExpr")) return choice(node);
  if (node.is("CoalesceExpr")) return coalesce(node);
  if (node.is("MinMaxExpr")) return extreme(node);
  if (node.is("TypeCast")) return cast(node);
  if (node.is("FuncCall")) return call(node);
  return error(Code::kUnsupported, node.place(), refusal(node));
}

Result<Typed> Rows::condition(const Node& node) const {
  DISCREET_ASSIGN(Typed value, bind(node));
  if (value.is_null()) DISCREET_TRY(convert(value, Type::kBoolean, text_));
  if (value.type != Type::kBoolean) {
    return error(
        Code::kInvalidInput, value.place,
        "a condition must be true or false; this has type " + policy::to_string(value.type));
  }
  return value;
}

Result<plan::Shape> Rows::shape(const Typed& value, plan::Use use) const {
  auto shape = plan::shape_of(value.expr, scope_.source(), scope_.policy(), use);
  if (!shape) return error(shape.error().code, value.place, shape.error().message);
  return shape;
}

Result<Typed> Rows::column(const Node& node) const {
  DISCREET_ASSIGN(const Found found, scope_.find(node));
  if (found.value.empty()) {
    return error(
        Code::kRefused, node.place(),
        in_quotes(found.name) + " tells whose row it is; it can be joined on" +
            (found.is_unit ? ", and units counted with COUNT(DISTINCT " + found.name + ")" : "") +
            ", nothing else");
  }
  return Typed{Expr::column(found.table, found.value), found.type, node.place()};
}

Result<Typed> Rows::operation(const Node& node) const {
  const std::string kind = node.text("kind");
  if (kind == "AEXPR_OP") return plain_operator(node);
  if (kind == "AEXPR_IN") return in_list(node);
  if (kind == "AEXPR_LIKE") return like(node, false);
  if (kind == "AEXPR_ILIKE") return like(node, true);
  if (kind == "AEXPR_BETWEEN" || kind == "AEXPR_NOT_BETWEEN") return between(node);
  const bool pair =
      kind == "AEXPR_NULLIF" || kind == "AEXPR_DISTINCT" || kind == "AEXPR_NOT_DISTINCT";
  if (!pair) return error(Code::kUnsupported, node.place(), refusal(node));

  DISCREET_ASSIGN(Typed a, bind(node.child("lexpr")));
  DISCREET_ASSIGN(Typed b, bind(node.child("rexpr")));
  DISCREET_TRY(unify(a, b, text_));
  Expr equal = Expr::of(Op::kEqual, {a.expr, b.expr});
  if (kind == "AEXPR_NULLIF") {
    const Expr null = Expr::literal({{}, a.type});
    return Typed{Expr::of(Op::kCase, {std::move(equal), null, a.expr}), a.type, node.place()};
  }
  // Where one is NULL their equality is NULL, and they are the same if both are.
  const Expr both_null =
      Expr::of(Op::kAnd, {Expr::of(Op::kIsNull, {a.expr}), Expr::of(Op::kIsNull, {b.expr})});
  Typed same = truth(Op::kCoalesce, {std::move(equal), both_null}, node.place());
  return kind == "AEXPR_NOT_DISTINCT" ? same : negated(std::move(same));
}

Result<Typed> Rows::plain_operator(const Node& node) const {
  static const std::map<std::string, Op> kArithmetic = {{"+", Op::kAdd},
                                                        {"-", Op::kSubtract},
                                                        {"*", Op::kMultiply},
                                                        {"/", Op::kDivide},
                                                        {"%", Op::kModulo}};
  const std::vector<std::string> names = node.names("name");
  const std::string name = names.size() == 1 ? names.front() : "";
  const Place place = node.place();
  if (!node.child("lexpr")) return signed_value(node, name);
  DISCREET_ASSIGN(std::optional<Typed> moved, moved_date(node));
  if (moved) return std::move(*moved);
  DISCREET_ASSIGN(Typed a, bind(node.child("lexpr")));
  DISCREET_ASSIGN(Typed b, bind(node.child("rexpr")));
  if (name == "=") return compare(Op::kEqual, a, b, place);
  if (name == "<>") {
    DISCREET_ASSIGN(Typed equal, compare(Op::kEqual, a, b, place));
    return negated(std::move(equal));
  }
  if (name == "<") return compare(Op::kLess, a, b, place);
  if (name == "<=") return compare(Op::kLessEqual, a, b, place);
  if (name == ">") return compare(Op::kLess, b, a, place);
  if (name == ">=") return compare(Op::kLessEqual, b, a, place);
  if (name == "||") {
    DISCREET_TRY(convert(a, Type::kText, text_));
    DISCREET_TRY(convert(b, Type::kText, text_));
    return Typed{Expr::of(Op::kConcat, {a.expr, b.expr}), Type::kText, place};
  }
  const auto found = kArithmetic.find(name);
  if (found != kArithmetic.end()) return arithmetic(found->second, a, b, place);
  return error(Code::kUnsupported, place,
               "the operator " + in_quotes(name) +
                   " is not supported; there are = <> < <= > >= + - * / % || LIKE ILIKE IN "
                   "BETWEEN");
}

Result<Typed> Rows::signed_value(const Node& node, const std::string& sign) const {
  DISCREET_ASSIGN(Typed value, bind(node.child("rexpr")));
  if ((sign != "-" && sign != "+") || (!value.is_number() && !value.is_null())) {
    return error(Code::kUnsupported, node.place(), "only a number can have a sign here");
  }
  if (sign == "+" || value.is_null()) return value;
  if (value.is_literal()) {
    value.expr.value.data = -value.expr.value.number();
    return value;
  }
  return Typed{Expr::of(Op::kNegate, {std::move(value.expr)}), value.type, node.place()};
}

Result<Typed> Rows::compare(Op op, Typed a, Typed b, Place place) const {
  DISCREET_TRY(unify(a, b, text_));
  Typed out = truth(op, {std::move(a.expr), std::move(b.expr)}, a.place ? a.place : place);
  return out;
}

Result<Typed> Rows::arithmetic(Op op, Typed a, Typed b, Place place) const {
  const bool sum = op == Op::kAdd || op == Op::kSubtract;
  // A text beside a date that is subtracted is a date; beside a number it is a number.
  for (auto [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!x->is_null() && !x->is_text_literal()) continue;
    const bool a_date = y->type == Type::kDate && op == Op::kSubtract;
    DISCREET_TRY(convert(*x, a_date ? Type::kDate : Type::kDecimal, text_));
  }
  const bool dates = a.type == Type::kDate || b.type == Type::kDate;
  Type type =
      a.type == Type::kInteger && b.type == Type::kInteger ? Type::kInteger : Type::kDecimal;
  if (dates && sum) {
    if (op == Op::kAdd && b.type == Type::kDate) std::swap(a, b);
    if (b.type != Type::kInteger && !(op == Op::kSubtract && b.type == Type::kDate)) {
      return error(Code::kInvalidInput, place, "only whole days can be added to a date");
    }
    type = b.type == Type::kDate ? Type::kInteger : Type::kDate;
    if (a.is_literal() && b.is_literal() && !a.is_null() && !b.is_null()) {
      const Rational& x = a.expr.value.number();
      const Rational& y = b.expr.value.number();
      return literal({op == Op::kAdd ? x + y : x - y, type}, place);
    }
  } else if (!a.is_number() || !b.is_number()) {
    const Typed& wrong = a.is_number() ? b : a;
    return error(Code::kInvalidInput, wrong.place ? wrong.place : place,
                 "this has type " + policy::to_string(wrong.type) +
                     "; arithmetic needs numbers (and a date may have days added)");
  }
  return Typed{Expr::of(op, {std::move(a.expr), std::move(b.expr)}), type, place};
}

Result<Typed> Rows::in_list(const Node& node) const {
  DISCREET_ASSIGN(Typed value, bind(node.child("lexpr")));
  DISCREET_ASSIGN(std::vector<Typed> items, all(node.child("rexpr").list("items")));
  bool all_literals = true;
  for (Typed& item : items) {
    DISCREET_TRY(unify(value, item, text_));
    all_literals = all_literals && item.is_literal();
    if (item.is_null()) {
      return error(Code::kUnsupported, item.place,
                   "NULL in a list equals nothing; leave it out, or write OR ... IS NULL");
    }
  }
  std::vector<Expr> args;
  if (all_literals) args.push_back(value.expr);
  for (Typed& item : items) {
    args.push_back(all_literals ? std::move(item.expr)
                                : Expr::of(Op::kEqual, {value.expr, std::move(item.expr)}));
  }
  Typed out = truth(all_literals ? Op::kIn : Op::kOr, std::move(args), node.place());
  const bool positive = node.names("name") == std::vector<std::string>{"="};
  return positive ? out : negated(std::move(out));
}

Result<Typed> Rows::between(const Node& node) const {
  const std::vector<Node> ends = node.child("rexpr").list("items");
  if (ends.size() != 2) return error(Code::kInvalidInput, node.place(), "BETWEEN has two ends");
  DISCREET_ASSIGN(const Typed value, bind(node.child("lexpr")));
  DISCREET_ASSIGN(const Typed low, bind(ends[0]));
  DISCREET_ASSIGN(const Typed high, bind(ends[1]));
  DISCREET_ASSIGN(Typed above, compare(Op::kLessEqual, low, value, node.place()));
  DISCREET_ASSIGN(Typed below, compare(Op::kLessEqual, value, high, node.place()));
  Typed out = truth(Op::kAnd, {std::move(above.expr), std::move(below.expr)}, node.place());
  return node.text("kind") == "AEXPR_BETWEEN" ? out : negated(std::move(out));
}

Result<Typed> Rows::like(const Node& node, bool any_case) const {
  DISCREET_ASSIGN(Typed value, bind(node.child("lexpr")));
  const Node pattern = node.child("rexpr");
  if (!pattern.is("A_Const") || !pattern.has("sval")) {
    return error(Code::kUnsupported, pattern.place(),
                 "the pattern of LIKE must be a constant text, without ESCAPE");
  }
  DISCREET_ASSIGN(Typed text, constant(pattern, text_));
  if (text.expr.value.text().find('\\') != std::string::npos) {
    return error(Code::kUnsupported, text.place,
                 "\\ in a pattern is not supported; only % and _ are special");
  }
  DISCREET_TRY(convert(value, Type::kText, text_));
  Typed out = truth(Op::kLike, {std::move(value.expr), std::move(text.expr)}, node.place());
  if (any_case) out.expr.name = "i";
  const std::vector<std::string> names = node.names("name");
  const bool positive = names.size() == 1 && names.front().front() != '!';
  return positive ? out : negated(std::move(out));
}

Result<Typed> Rows::logic(const Node& node) const {
  std::vector<Expr> args;
  for (const Node& arg : node.list("args")) {
    DISCREET_ASSIGN(Typed value, condition(arg));
    args.push_back(std::move(value.expr));
  }
  const std::string name = node.text("boolop");
  const Op op = name == "AND_EXPR" ? Op::kAnd : name == "OR_EXPR" ? Op::kOr : Op::kNot;
  return truth(op, std::move(args), node.place());
}

Result<Typed> Rows::truth_test(const Node& node) const {
  DISCREET_ASSIGN(Typed value, condition(node.child("arg")));
  const std::string test = node.text("booltesttype");
  const bool negative = test.find("NOT") != std::string::npos;
  Typed out;
  if (test.find("UNKNOWN") != std::string::npos) {
    out = truth(Op::kIsNull, {std::move(value.expr)}, node.place());
  } else {
    const bool asks_true = test.find("TRUE") != std::string::npos;
    out = truth(Op::kCoalesce, {std::move(value.expr), truth_literal(!asks_true)}, node.place());
    if (!asks_true) out = negated(std::move(out));
  }
  return negative ? negated(std::move(out)) : out;
}

Result<Typed> Rows::choice(const Node& node) const {
  std::vector<Expr> conditions;
  std::vector<Typed> results;
  for (const Node& when : node.list("args")) {
    if (const Node subject = node.child("arg")) {
      DISCREET_ASSIGN(const Typed value, bind(subject));
      DISCREET_ASSIGN(const Typed other, bind(when.child("expr")));
      DISCREET_ASSIGN(Typed equal, compare(Op::kEqual, value, other, when.place()));
      conditions.push_back(std::move(equal.expr));
    } else {
      DISCREET_ASSIGN(Typed value, condition(when.child("expr")));
      conditions.push_back(std::move(value.expr));
    }
    DISCREET_ASSIGN(Typed result, bind(when.child("result")));
    results.push_back(std::move(result));
  }
  if (const Node otherwise = node.child("defresult")) {
    DISCREET_ASSIGN(Typed result, bind(otherwise));
    results.push_back(std::move(result));
  } else {
    results.push_back(null_literal(node.place()));
  }
  DISCREET_ASSIGN(const Type type, unify_all(results));
  std::vector<Expr> args;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    args.push_back(std::move(conditions[i]));
    args.push_back(std::move(results[i].expr));
  }
  args.push_back(std::move(results.back().expr));
  return Typed{Expr::of(Op::kCase, std::move(args)), type, node.place()};
}

Result<Typed> Rows::coalesce(const Node& node) const {
  DISCREET_ASSIGN(std::vector<Typed> values, all(node.list("args")));
  DISCREET_ASSIGN(const Type type, unify_all(values));
  std::vector<Expr> args;
  for (Typed& value : values) args.push_back(std::move(value.expr));
  return Typed{Expr::of(Op::kCoalesce, std::move(args)), type, node.place()};
}

Result<std::vector<Typed>> Rows::all(const std::vector<Node>& nodes) const {
  std::vector<Typed> out;
  for (const Node& node : nodes) {
    DISCREET_ASSIGN(Typed value, bind(node));
    out.push_back(std::move(value));
  }
  return out;
}

Result<Type> Rows::unify_all(std::vector<Typed>& values) const {
  // The type of the first that is more than a constant text or NULL; decimals win over integers.
  const Typed* leader = nullptr;
  for (const Typed& value : values) {
    const bool weak = value.is_null() || value.is_text_literal();
    const bool wider =
        leader != nullptr && leader->type == Type::kInteger && value.type == Type::kDecimal;
    if (!weak && (leader == nullptr || wider)) leader = &value;
  }
  const Type type = leader == nullptr ? Type::kText : leader->type;
  for (Typed& value : values) DISCREET_TRY(convert(value, type, text_));
  return type;
}

}  // namespace discreet::sql
