// SPDX-License-Identifier: Apache-2.0
// Functions of one row, casts, and the reasons why other things are refused.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/suggest.h"
#include "plan/grid.h"
#include "sql/rows.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::Op;
using policy::Type;

const std::vector<std::string> kAggregates = {
    "avg",        "boxplot",     "count",           "histogram", "max",      "median",
    "min",        "mode",        "percentile_cont", "stddev",    "sum",      "percentile_disc",
    "stddev_pop", "stddev_samp", "top_k",           "var_pop",   "var_samp", "variance"};

// Functions of one argument: what it must be, what comes out.
struct Unary {
  Op op;
  bool on_text;
  bool to_integer;
};

const std::map<std::string, Unary> kUnary = {{"abs", {Op::kAbsolute, false, false}},
                                             {"floor", {Op::kFloor, false, true}},
                                             {"ceil", {Op::kCeiling, false, true}},
                                             {"ceiling", {Op::kCeiling, false, true}},
                                             {"lower", {Op::kLower, true, false}},
                                             {"upper", {Op::kUpper, true, false}},
                                             {"btrim", {Op::kTrim, true, false}},
                                             {"trim", {Op::kTrim, true, false}},
                                             {"length", {Op::kLength, true, true}},
                                             {"char_length", {Op::kLength, true, true}},
                                             {"character_length", {Op::kLength, true, true}}};

const std::vector<std::string> kFunctions = {
    "abs",  "floor",  "ceil",      "round",  "mod",     "lower",     "upper",     "trim",
    "left", "length", "substring", "concat", "extract", "date_part", "date_trunc"};

constexpr std::array<std::string_view, 20> kChanging = {"random",
                                                        "now",
                                                        "clock_timestamp",
                                                        "statement_timestamp",
                                                        "transaction_timestamp",
                                                        "timeofday",
                                                        "nextval",
                                                        "currval",
                                                        "setval",
                                                        "lastval",
                                                        "setseed",
                                                        "gen_random_uuid",
                                                        "uuid",
                                                        "pg_sleep",
                                                        "pg_sleep_for",
                                                        "pg_sleep_until",
                                                        "txid_current",
                                                        "age",
                                                        "version",
                                                        "current_setting"};

std::optional<std::int64_t> whole(const Typed& value) {
  if (!value.is_literal() || value.is_null() || value.type != Type::kInteger) return std::nullopt;
  const Rational& number = value.expr.value.number();
  if (number.abs() > Rational(1'000'000)) return std::nullopt;
  return static_cast<std::int64_t>(to_int128(number.numerator()));
}

}  // namespace

bool is_aggregate(const std::string& name) { return std::ranges::count(kAggregates, name) > 0; }

std::string function_name(const Node& call) {
  const std::vector<std::string> names = call.names("funcname");
  if (names.size() == 1) return names.front();
  return names.size() == 2 && names.front() == "pg_catalog" ? names.back() : "";
}

bool has_aggregate(const Node& node) {
  for (const Node& call : node.find_all("FuncCall")) {
    if (is_aggregate(function_name(call))) return true;
    for (const char* field : {"args", "agg_order"}) {
      for (const Node& inside : call.list(field)) {
        if (has_aggregate(inside)) return true;
      }
    }
  }
  return false;
}

std::string refusal(const Node& node) {
  static const std::map<std::string_view, std::string> kReasons = {
      {"SubLink",
       "a subquery that gives a value would depend on everybody's rows, or have several; join a "
       "subquery that is grouped by the unit. [NOT] EXISTS (...) and x IN (SELECT ...) must stand "
       "in WHERE by themselves, joined to the rest by AND"},
      {"ParamRef", "parameters ($1) are not supported; write the value"},
      {"SQLValueFunction",
       "what changes from one run to the next is not supported; write a "
       "constant, e.g. DATE '2026-11-16'"},
      {"A_ArrayExpr", "arrays are not supported"},
      {"A_Indirection", "arrays and parts of rows are not supported"},
      {"RowExpr", "rows of values are not supported"},
      {"CollateClause", "COLLATE is not supported: text is compared by its bytes"},
      {"GroupingFunc", "GROUPING is not supported; group by expressions"},
      {"NamedArgExpr", "this argument is not known here"},
  };
  const auto found = kReasons.find(node.kind());
  if (found != kReasons.end()) return found->second;
  const std::string kind = node.text("kind");
  if (kind == "AEXPR_SIMILAR") return "SIMILAR TO is not supported; use LIKE";
  if (kind == "AEXPR_OP_ANY" || kind == "AEXPR_OP_ALL") {
    return "ANY and ALL are not supported; use IN (...)";
  }
  if (kind == "AEXPR_BETWEEN_SYM" || kind == "AEXPR_NOT_BETWEEN_SYM") {
    return "BETWEEN SYMMETRIC is not supported; use BETWEEN low AND high";
  }
  return "this is not supported; use columns, constants, comparisons, AND, OR, NOT, IN, BETWEEN, "
         "LIKE, IS NULL, CASE, COALESCE, arithmetic and the functions " +
         one_of(kFunctions);
}

Result<Typed> Rows::call(const Node& node) const {
  const Place place = node.place();
  const std::string name = function_name(node);
  if (is_aggregate(name)) {
    return error(Code::kInvalidInput, place,
                 "an aggregate cannot stand here, nor inside another one; conditions on aggregates "
                 "go into HAVING");
  }
  if (name.empty()) {
    return error(Code::kUnsupported, place, "functions have no schema here; leave it out");
  }
  const bool plain = !node.has("over") && !node.flag("agg_star") && !node.flag("agg_distinct") &&
                     !node.flag("func_variadic") && !node.has("agg_order") &&
                     !node.has("agg_filter");
  if (!plain) {
    return error(Code::kUnsupported, place,
                 "windows, DISTINCT, FILTER and ORDER BY are not supported in this call");
  }
  if (std::ranges::count(kChanging, name) > 0) {
    return error(Code::kUnsupported, place,
                 "what changes from one run to the next, or takes its time, is not supported; "
                 "write a constant");
  }
  DISCREET_ASSIGN(std::vector<Typed> args, all(node.list("args")));
  return named_call(name, std::move(args), place);
}

Result<Typed> Rows::named_call(const std::string& name, std::vector<Typed> args,
                               Place place) const {
  const auto needs = [&](const std::string& form) {
    return error(Code::kInvalidInput, place, "write " + form);
  };
  const auto unary = kUnary.find(name);
  if (unary != kUnary.end()) {
    if (args.size() != 1) return needs(name + "(x)");
    const Unary& rule = unary->second;
    if (rule.on_text) DISCREET_TRY(convert(args[0], Type::kText, text_));
    if (!rule.on_text && !args[0].is_number()) return needs(name + "(number)");
    const Type type = rule.to_integer ? Type::kInteger : args[0].type;
    return Typed{Expr::of(rule.op, {std::move(args[0].expr)}), type, place};
  }
  if (name == "round") {
    const auto digits = args.size() == 2 ? whole(args[1]) : std::optional<std::int64_t>(0);
    const bool fine = (args.size() == 1 || args.size() == 2) && args[0].is_number() && digits &&
                      *digits >= 0 && *digits <= 12;
    if (!fine) return needs("ROUND(number) or ROUND(number, decimals), 0 to 12");
    return Typed{Expr::of(Op::kRound, {std::move(args[0].expr)}, std::to_string(*digits)),
                 args[0].type, place};
  }
  if (name == "mod") {
    if (args.size() != 2) return needs("MOD(a, b)");
    return arithmetic(Op::kModulo, args[0], args[1], place);
  }
  if (name == "concat") {
    std::vector<Expr> parts;
    const Expr empty = Expr::literal({std::string(), Type::kText});
    for (Typed& arg : args) {  // CONCAT skips NULLs, unlike ||
      DISCREET_TRY(convert(arg, Type::kText, text_));
      parts.push_back(arg.is_literal() && !arg.is_null()
                          ? std::move(arg.expr)
                          : Expr::of(Op::kCoalesce, {std::move(arg.expr), empty}));
    }
    if (parts.size() < 2) return needs("CONCAT(a, b, ...)");
    return Typed{Expr::of(Op::kConcat, std::move(parts)), Type::kText, place};
  }
  if (name == "left" && args.size() == 2) {
    args.insert(args.begin() + 1, literal({Rational(1), Type::kInteger}, place));
    return substring(std::move(args), place);
  }
  if (name == "substring" || name == "substr" || name == "left") {
    return substring(std::move(args), place);
  }
  if (name == "extract" || name == "date_part") {
    return date_function(Op::kDatePart, std::move(args), place);
  }
  if (name == "date_trunc") return date_function(Op::kDateTrunc, std::move(args), place);
  std::vector<std::string> known = kFunctions;
  std::ranges::copy(kAggregates, std::back_inserter(known));
  return error(Code::kUnsupported, place,
               "there is no function " + in_quotes(name) + did_you_mean(name, known) +
                   "; there are " + one_of(kFunctions) + ", and the aggregates " +
                   one_of(kAggregates));
}

Result<Typed> Rows::substring(std::vector<Typed> args, Place place) const {
  const auto first = args.size() == 3 ? whole(args[1]) : std::nullopt;
  const auto count = args.size() == 3 ? whole(args[2]) : std::nullopt;
  if (!first || !count || *first < 1 || *count < 0) {
    return error(Code::kInvalidInput, place,
                 "write SUBSTRING(text, first, count) or LEFT(text, count) with constants, first "
                 "at least 1");
  }
  DISCREET_TRY(convert(args[0], Type::kText, text_));
  return Typed{Expr::of(Op::kSubstring, {std::move(args[0].expr), std::move(args[1].expr),
                                         std::move(args[2].expr)}),
               Type::kText, place};
}

Result<Typed> Rows::date_function(Op op, std::vector<Typed> args, Place place) const {
  static const std::vector<std::string> kParts = {"year",   "quarter", "month", "day",   "dow",
                                                  "isodow", "doy",     "hour",  "minute"};
  static const std::vector<std::string> kUnits = {"year", "quarter", "month",
                                                  "week", "day",     "hour"};
  const std::vector<std::string>& known = op == Op::kDatePart ? kParts : kUnits;
  const std::string form = op == Op::kDatePart ? "EXTRACT(part FROM day) with part one of "
                                               : "DATE_TRUNC('unit', day) with unit one of ";
  const bool named = args.size() == 2 && args[0].is_text_literal();
  const std::string part = named ? matching(args[0].expr.value.text(), known) : "";
  const bool dated = named && (args[1].type == Type::kDate || args[1].type == Type::kTimestamp);
  if (part.empty() || !dated) {
    return error(Code::kInvalidInput, place,
                 "write " + form + one_of(known) + ", of a date or a timestamp");
  }
  const Type type = op == Op::kDatePart ? Type::kInteger : args[1].type;
  return Typed{Expr::of(op, {std::move(args[1].expr)}, part), type, place};
}

namespace {

/// To so many decimals, halves away from zero.
Rational rounded(const Rational& value, int decimals) {
  const Rational unit = plan::power_of_ten(decimals);
  const Rational size = Rational((value.abs() * unit + Rational::ratio(1, 2)).floor()) / unit;
  return value.sign() < 0 ? -size : size;
}

}  // namespace

Result<Typed> Rows::cast(const Node& node) const {
  const Node name = node.part("typeName");
  const Place place = node.place();
  DISCREET_ASSIGN(Typed value, bind(node.child("arg")));
  DISCREET_ASSIGN(const NamedType target, named_type(name, text_));
  const bool to_number = policy::is_number(target.type);
  if (value.is_number() && target.type == Type::kInteger) {
    if (value.type == Type::kInteger) return value;
    return Typed{Expr::of(Op::kToInteger, {std::move(value.expr)}), Type::kInteger, place};
  }
  if (value.is_number() && target.type == Type::kDecimal) {
    if (value.is_literal()) {
      DISCREET_TRY(convert(value, Type::kDecimal, text_));
      if (target.scale) value.expr.value.data = rounded(value.expr.value.number(), *target.scale);
      return value;
    }
    if (value.type == Type::kDecimal) {
      if (!target.scale) return value;
      return Typed{Expr::of(Op::kRound, {std::move(value.expr)}, std::to_string(*target.scale)),
                   Type::kDecimal, place};
    }
    const Expr one = Expr::literal({Rational(1), Type::kDecimal});
    return Typed{Expr::of(Op::kMultiply, {std::move(value.expr), one}), Type::kDecimal, place};
  }
  if (value.is_literal() || value.type == target.type) {
    DISCREET_TRY(convert(value, target.type, text_));
    value.place = place;
    return value;
  }
  if (value.type == Type::kText && to_number && target.grid) {
    Expr number = Expr::of(Op::kToNumber, {std::move(value.expr)},
                           target.type == Type::kInteger ? "integer" : "");
    number.grid = target.grid;
    return Typed{std::move(number), target.type, place};
  }
  return error(Code::kUnsupported, place,
               policy::to_string(value.type) + " cannot be cast to " +
                   policy::to_string(target.type) +
                   " here; text can be cast to integer, bigint or numeric(p, s), numbers to each "
                   "other, and constants to any type");
}

}  // namespace discreet::sql
