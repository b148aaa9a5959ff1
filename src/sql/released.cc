// SPDX-License-Identifier: Apache-2.0
#include "sql/released.h"

#include <algorithm>
#include <utility>

namespace discreet::sql {
namespace {

using policy::Type;
using Weight = std::optional<Rational>;

TypedPost truth_post(PostKind kind, std::vector<Post> args, Place place) {
  return {Post::of(kind, std::move(args)), Type::kBoolean, place};
}

TypedPost negated_post(TypedPost post) {
  return truth_post(PostKind::kNot, {std::move(post.post)}, post.place);
}

bool is_null_literal(const Post& post) {
  return post.kind == PostKind::kLiteral && post.literal.is_null();
}

}  // namespace

const TypedPost* ReleasedBinder::named(const Node& node) const {
  const std::vector<std::string> fields = node.names("fields");
  if (!node.is("ColumnRef") || fields.size() != 1) return nullptr;
  const auto found = names_.find(fields.front());
  return found == names_.end() ? nullptr : &found->second;
}

Result<TypedPost> ReleasedBinder::bind(const Node& node, const Weight& weight) const {
  if (!has_aggregate(node)) {
    if (auto known = without_aggregate(node)) return std::move(*known);
  }
  if (node.is("FuncCall")) return call(node, weight);
  if (node.is("A_Expr")) return operation(node, weight);
  if (node.is("CaseExpr")) return choice(node, weight);
  if (node.is("CoalesceExpr")) {
    DISCREET_ASSIGN(std::vector<TypedPost> values, all(node.list("args"), weight));
    std::vector<Post> args;
    for (TypedPost& value : values) {
      DISCREET_TRY(unify(values.front(), value, node.place()));
      args.push_back(value.post);
    }
    args.front() = values.front().post;
    return TypedPost{Post::of(PostKind::kCoalesce, std::move(args)), values.front().type,
                     node.place()};
  }
  if (node.is("BoolExpr")) {
    std::vector<Post> args;
    for (const Node& arg : node.list("args")) {
      DISCREET_ASSIGN(TypedPost value, condition(arg));
      args.push_back(std::move(value.post));
    }
    const std::string name = node.text("boolop");
    const PostKind kind = name == "AND_EXPR"  ? PostKind::kAnd
                          : name == "OR_EXPR" ? PostKind::kOr
                                              : PostKind::kNot;
    return truth_post(kind, std::move(args), node.place());
  }
  if (node.is("NullTest")) {
    DISCREET_ASSIGN(TypedPost value, bind(node.child("arg"), weight));
    TypedPost out = truth_post(PostKind::kIsNull, {std::move(value.post)}, node.place());
    return node.text("nulltesttype") == "IS_NULL" ? out : negated_post(std::move(out));
  }
  if (node.is("TypeCast")) {
    DISCREET_ASSIGN(TypedPost value, bind(node.child("arg"), weight));
    DISCREET_ASSIGN(const NamedType type, named_type(node.part("typeName"), text_));
    if (!policy::is_number(value.type) || !policy::is_number(type.type)) {
      return error(Code::kUnsupported, node.place(),
                   "a released value can only be cast from number to number");
    }
    if (type.type == Type::kInteger && value.type == Type::kDecimal) {
      value.post = Post::of(PostKind::kRound, {std::move(value.post)});
    }
    if (type.scale && value.type == Type::kDecimal) {
      constexpr int kDecimalsMax = 12;  // as ROUND's: behind them a released number has none
      value.post = Post::of(PostKind::kRound, {std::move(value.post)});
      value.post.index = static_cast<std::size_t>(std::min(*type.scale, kDecimalsMax));
    }
    value.type = type.type;
    return value;
  }
  return error(
      Code::kUnsupported, node.place(),
      "this is not supported on released values; use + - * / ABS ROUND FLOOR CEIL COALESCE "
      "NULLIF CASE and comparisons");
}

// What has no aggregate inside is a key, a constant, an output's name, or made of those.
std::optional<Result<TypedPost>> ReleasedBinder::without_aggregate(const Node& node) const {
  auto value = rows_.bind(node);
  if (!value) {
    if (const TypedPost* known = named(node)) return *known;
    // Something that only released values can do, such as comparing two output names.
    const bool leaf = node.is("ColumnRef") || node.is("A_Const");
    if (leaf || names_.empty()) return std::move(value).error();
    return std::nullopt;
  }
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].expr == value->expr) return TypedPost{Post::key(i), value->type, node.place()};
  }
  if (value->is_literal()) {
    return TypedPost{Post::constant(value->expr.value), value->type, node.place()};
  }
  if (node.is("ColumnRef")) {
    if (const TypedPost* known = named(node)) return *known;
    return error(Code::kInvalidInput, node.place(),
                 "this column must be in GROUP BY, or inside an aggregate such as COUNT, SUM, AVG "
                 "or MEDIAN");
  }
  return std::nullopt;
}

Result<TypedPost> ReleasedBinder::condition(const Node& node) const {
  DISCREET_ASSIGN(TypedPost value, bind(node, std::nullopt));
  if (value.type != Type::kBoolean && !is_null_literal(value.post)) {
    return error(
        Code::kInvalidInput, node.place(),
        "a condition must be true or false; this has type " + policy::to_string(value.type));
  }
  return value;
}

Result<void> ReleasedBinder::need_number(const TypedPost& post, Place place) const {
  if (policy::is_number(post.type) || is_null_literal(post.post)) return {};
  return error(Code::kInvalidInput, post.place ? post.place : place,
               "this has type " + policy::to_string(post.type) + "; arithmetic needs numbers");
}

Result<void> ReleasedBinder::unify(TypedPost& a, TypedPost& b, Place place) const {
  if (a.type == b.type || (policy::is_number(a.type) && policy::is_number(b.type))) {
    if (b.type == Type::kDecimal) a.type = b.type;
    return {};
  }
  for (auto [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (x->post.kind != PostKind::kLiteral) continue;
    Typed constant = literal(x->post.literal, x->place);
    if (!constant.is_null() && !constant.is_text_literal()) continue;
    DISCREET_TRY(convert(constant, y->type, text_));
    x->post = Post::constant(constant.expr.value);
    x->type = y->type;
    return {};
  }
  return error(Code::kInvalidInput, place,
               "a " + policy::to_string(a.type) + " and a " + policy::to_string(b.type) +
                   " do not go together");
}

Result<TypedPost> ReleasedBinder::operation(const Node& node, const Weight& weight) const {
  static const std::map<std::string, PostKind> kArithmetic = {{"+", PostKind::kAdd},
                                                              {"-", PostKind::kSubtract},
                                                              {"*", PostKind::kMultiply},
                                                              {"/", PostKind::kDivide}};
  const Place place = node.place();
  const std::string kind = node.text("kind");
  const std::vector<std::string> names = node.names("name");
  const std::string name = names.size() == 1 ? names.front() : "";
  if (kind == "AEXPR_IN" || kind == "AEXPR_BETWEEN" || kind == "AEXPR_NOT_BETWEEN") {
    DISCREET_ASSIGN(const TypedPost value, bind(node.child("lexpr"), weight));
    DISCREET_ASSIGN(const std::vector<TypedPost> items,
                    all(node.child("rexpr").list("items"), weight));
    std::vector<Post> parts;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string sign = kind == "AEXPR_IN" ? "=" : i == 0 ? ">=" : "<=";
      DISCREET_ASSIGN(TypedPost one, compare(sign, value, items[i], place));
      parts.push_back(std::move(one.post));
    }
    const bool positive = kind == "AEXPR_IN" ? name == "=" : kind == "AEXPR_BETWEEN";
    TypedPost out =
        truth_post(kind == "AEXPR_IN" ? PostKind::kOr : PostKind::kAnd, std::move(parts), place);
    return positive ? out : negated_post(std::move(out));
  }
  if (kind != "AEXPR_OP" && kind != "AEXPR_NULLIF") {
    return error(Code::kUnsupported, place,
                 "this is not supported on released values; conditions on rows go into WHERE");
  }
  const Node left = node.child("lexpr");
  if (!left) {
    DISCREET_ASSIGN(TypedPost b, bind(node.child("rexpr"), weight));
    DISCREET_TRY(need_number(b, place));
    if (name == "+") return b;
    if (name == "-") {
      return TypedPost{Post::of(PostKind::kNegate, {std::move(b.post)}), b.type, place};
    }
  } else {
    DISCREET_ASSIGN(TypedPost a, bind(left, weight));
    DISCREET_ASSIGN(TypedPost b, bind(node.child("rexpr"), weight));
    if (kind == "AEXPR_NULLIF") {
      DISCREET_TRY(unify(a, b, place));
      return TypedPost{Post::of(PostKind::kNullIf, {a.post, b.post}), a.type, place};
    }
    const auto found = kArithmetic.find(name);
    if (found == kArithmetic.end()) return compare(name, std::move(a), std::move(b), place);
    DISCREET_TRY(need_number(a, place));
    DISCREET_TRY(need_number(b, place));
    const bool whole = a.type == Type::kInteger && b.type == Type::kInteger && name != "/";
    return TypedPost{Post::of(found->second, {std::move(a.post), std::move(b.post)}),
                     whole ? Type::kInteger : Type::kDecimal, place};
  }
  return error(Code::kUnsupported, place,
               "the operator " + in_quotes(name) + " is not supported on released values");
}

Result<TypedPost> ReleasedBinder::compare(const std::string& name, TypedPost a, TypedPost b,
                                          Place place) const {
  DISCREET_TRY(unify(a, b, place));
  if (name == ">" || name == ">=") std::swap(a, b);
  const bool strict = name == "<" || name == ">";
  const bool order = strict || name == "<=" || name == ">=";
  if (!order && name != "=" && name != "<>") {
    return error(Code::kUnsupported, place,
                 "the operator " + in_quotes(name) + " is not supported on released values");
  }
  const PostKind kind = strict ? PostKind::kLess : order ? PostKind::kLessEqual : PostKind::kEqual;
  TypedPost out = truth_post(kind, {std::move(a.post), std::move(b.post)}, place);
  return name == "<>" ? negated_post(std::move(out)) : out;
}

Result<TypedPost> ReleasedBinder::choice(const Node& node, const Weight& weight) const {
  Post post = Post::of(PostKind::kCase, {});
  std::optional<TypedPost> first;
  const auto add_result = [&](const Node& result) -> Result<void> {
    DISCREET_ASSIGN(TypedPost value, bind(result, weight));
    if (!first) first = value;
    DISCREET_TRY(unify(*first, value, node.place()));
    post.args.push_back(std::move(value.post));
    return {};
  };
  for (const Node& when : node.list("args")) {
    if (const Node subject = node.child("arg")) {
      DISCREET_ASSIGN(const TypedPost a, bind(subject, weight));
      DISCREET_ASSIGN(const TypedPost b, bind(when.child("expr"), weight));
      DISCREET_ASSIGN(TypedPost equal, compare("=", a, b, node.place()));
      post.args.push_back(std::move(equal.post));
    } else {
      DISCREET_ASSIGN(TypedPost value, condition(when.child("expr")));
      post.args.push_back(std::move(value.post));
    }
    DISCREET_TRY(add_result(when.child("result")));
  }
  if (node.child("defresult")) DISCREET_TRY(add_result(node.child("defresult")));
  return TypedPost{std::move(post), first ? first->type : Type::kText, node.place()};
}

Result<TypedPost> ReleasedBinder::call(const Node& node, const Weight& weight) const {
  static const std::map<std::string, PostKind> kUnary = {
      {"abs", PostKind::kAbsolute},    {"round", PostKind::kRound},
      {"floor", PostKind::kFloor},     {"ceil", PostKind::kCeiling},
      {"ceiling", PostKind::kCeiling}, {"sqrt", PostKind::kSquareRoot}};
  const std::string name = function_name(node);
  const Place place = node.place();
  if (is_aggregate(name)) return aggregates_.bind(node, weight);
  const auto found = kUnary.find(name);
  const std::vector<Node> args = node.list("args");
  const bool plain = !node.has("over") && !node.flag("agg_distinct") && !node.has("agg_filter") &&
                     !node.has("agg_order") && !node.flag("func_variadic");
  const bool digits = name == "round" && args.size() == 2;
  if (found == kUnary.end() || !plain || (args.size() != 1 && !digits)) {
    return error(Code::kUnsupported, place,
                 "on released values there are ABS(x), ROUND(x, decimals), FLOOR(x), CEIL(x), "
                 "SQRT(x), COALESCE and NULLIF; other functions must stand in GROUP BY too");
  }
  DISCREET_ASSIGN(TypedPost value, bind(args.front(), weight));
  DISCREET_TRY(need_number(value, place));
  Post post = Post::of(found->second, {std::move(value.post)});
  if (digits) {
    const std::int64_t decimals = args[1].part("ival").number("ival");
    if (!args[1].is("A_Const") || !args[1].has("ival") || decimals < 0 || decimals > 12) {
      return error(Code::kInvalidInput, args[1].place(), "write a constant from 0 to 12 here");
    }
    post.index = static_cast<std::size_t>(decimals);
  }
  const bool whole = name == "floor" || name == "ceil" || name == "ceiling" ||
                     (name == "round" && post.index == 0);
  const Type type = whole ? Type::kInteger : name == "sqrt" ? Type::kDecimal : value.type;
  return TypedPost{std::move(post), type, place};
}

Result<std::vector<TypedPost>> ReleasedBinder::all(const std::vector<Node>& nodes,
                                                   const Weight& weight) const {
  std::vector<TypedPost> out;
  for (const Node& node : nodes) {
    DISCREET_ASSIGN(TypedPost value, bind(node, weight));
    out.push_back(std::move(value));
  }
  return out;
}

}  // namespace discreet::sql
