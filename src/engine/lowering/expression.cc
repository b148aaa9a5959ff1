// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/expression.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "engine/integer_map.h"
#include "engine/like.h"
#include "plan/calendar.h"
#include "plan/grid.h"
#include "plan/shape_rules.h"
#include "plan/text_work.h"

namespace discreet::engine::lowering {
namespace {

using plan::Expr;
using plan::Grid;
using plan::Op;
using plan::Shape;
using policy::Type;
using policy::Value;

bool is_temporal(Type type) { return type == Type::kDate || type == Type::kTimestamp; }

Rational largest(const Grid& grid) { return std::max(grid.low.abs(), grid.high.abs()); }

bool fits_bigint(const Rational& value) { return value.abs() < power_of_two(62); }

bool is_constant(const Expr& expr) {
  return expr.op != Op::kColumn && std::all_of(expr.args.begin(), expr.args.end(), is_constant);
}

/// NULL where `arg` is, else `value`.
Sql unless_null(const Sql& arg, Sql value, Sql null) {
  return Sql::choose({Sql::postfix(arg, "IS NULL"), std::move(null), std::move(value)});
}

/// The same pattern with \\ only before %, _ and itself: Trino raises at any other.
std::string plain_pattern(const std::string& pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool escape = pattern[i] == '\\' && i + 1 < pattern.size();
    if (escape) ++i;
    if (escape && (pattern[i] == '%' || pattern[i] == '_' || pattern[i] == '\\')) out += '\\';
    out += pattern[i];
  }
  return out;
}

// LIKE sees no more characters: databases allocate several bytes for each byte of a text and fail
// at a size, so that somebody's long text could fail a question (S3).
constexpr std::int64_t kTextMax = std::int64_t{1} << 16;

// Of fewer a database may look up each one as it is stored (stored_comparison).
constexpr std::size_t kChainMin = 4;

/// The parts of a chain of AND, or of OR, however it is nested.
void add_links(const Expr& expr, Op op, std::vector<const Expr*>& out) {
  for (const Expr& arg : expr.args) {
    if (arg.op == op) {
      add_links(arg, op, out);
    } else {
      out.push_back(&arg);
    }
  }
}

/// "x equals one of these", of links of one chain.
struct Chain {
  const Expr* arg;
  std::vector<const Value*> values;
  bool is_written = false;
};

bool is_value(const Expr& expr) { return expr.op == Op::kLiteral && !expr.value.is_null(); }

/// A link that says that something equals constants; with `any` false, that it equals none.
std::optional<Chain> equality(const Expr& link, bool any) {
  if (!any && link.op != Op::kNot) return std::nullopt;
  const Expr& inner = any ? link : link.args[0];
  if (inner.op != Op::kEqual && inner.op != Op::kIn) return std::nullopt;
  const bool swapped = inner.op == Op::kEqual && is_value(inner.args[0]);
  const Expr& arg = inner.args[swapped ? 1 : 0];
  if (arg.op == Op::kLiteral) return std::nullopt;
  Chain out{&arg, {}};
  for (const Expr& other : inner.args) {
    if (&other == &arg) continue;
    if (!is_value(other)) return std::nullopt;
    out.values.push_back(&other.value);
  }
  return out;
}

}  // namespace

bool is_nought(const Grid& grid) { return grid.low.sign() == 0 && grid.high.sign() == 0; }

Int128 whole_of(const Rational& value) {
  DISCREET_CHECK(value.denominator() == 1);
  return to_int128(value.numerator());
}

std::string sql_name(const plan::TableUse& use, const std::string& column) {
  if (!use.is_subquery() || column == plan::kUnitField) return column;
  const std::vector<plan::Field>& fields = use.parts.front().fields;
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const plan::Field& one) { return one.name == column; });
  DISCREET_CHECK(found != fields.end());
  return "f" + std::to_string(found - fields.begin());
}

Sql Readings::name(const Sql& value, Sql null) {
  const auto [known, is_new] = places_.emplace(value.print(), values_.size());
  if (is_new) {
    values_.push_back(value);
    nulls_.push_back(std::move(null));
  }
  return Sql::name({kTable, "v" + std::to_string(known->second)});
}

Sql Readings::table(Select rows) const {
  Select none = rows;
  none.where = {Sql::truth(false)};
  none.outputs = nulls_;
  rows.outputs.clear();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    rows.outputs.push_back(Sql::as(values_[i], "v" + std::to_string(i)));
  }
  return Sql::union_all({std::move(rows), std::move(none)});
}

Sql ExpressionLowering::null_of(const Shape& shape) const {
  if (shape.grid) return dialect_.null(SqlType::kSteps);
  return dialect_.null(shape.type == Type::kText ? SqlType::kText : SqlType::kTruth);
}

const Shape& ExpressionLowering::shape(const Expr& expr) const {
  if (auto known = shapes_.find(&expr); known != shapes_.end()) return known->second;
  if (expr.op == Op::kColumn) {
    Result<Shape> read = plan::shape_of(expr, source_, policy_, plan::Use::kChecked);
    DISCREET_CHECK(read.has_value());
    return shapes_.emplace(&expr, *std::move(read)).first->second;
  }
  std::vector<Shape> parts;
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    const bool condition = expr.op == Op::kCase && i % 2 == 0 && i + 1 < expr.args.size();
    if (!condition) parts.push_back(shape(expr.args[i]));
  }
  Result<Shape> made =
      expr.op == Op::kCase ? plan::shape_of_either(parts) : plan::shape_of_operation(expr, parts);
  DISCREET_CHECK(made.has_value());
  return shapes_.emplace(&expr, *std::move(made)).first->second;
}

Sql ExpressionLowering::constant(const Value& value, const Shape& shape) const {
  if (value.is_null()) return null_of(shape);
  if (const bool* truth = std::get_if<bool>(&value.data)) return Sql::truth(*truth);
  if (std::holds_alternative<std::string>(value.data)) return dialect_.text(value.text());
  DISCREET_CHECK(shape.grid.has_value());
  return dialect_.number(whole_of(value.number() / shape.grid->step));
}

const StoredColumn& ExpressionLowering::stored(const std::string& table,
                                               const std::string& name) const {
  for (const StoredColumn& column : schemas_.at(table).columns) {
    if (column.name == name) return column;
  }
  DISCREET_CHECK(false);  // an engine's opening looks for every column that the policy names
}

std::vector<Sql> ExpressionLowering::all(const std::vector<Expr>& args) const {
  std::vector<Sql> out;
  for (const Expr& arg : args) out.push_back(lower(arg));
  return out;
}

Sql ExpressionLowering::in_steps(const Expr& expr, const Rational& step) const {
  const Shape& own = shape(expr);
  DISCREET_CHECK(own.grid.has_value());
  if (expr.op == Op::kLiteral) {
    if (expr.value.is_null()) return dialect_.null(SqlType::kSteps);
    Rational steps = expr.value.number() / step;
    return dialect_.number(whole_of(steps), fits_bigint(steps) ? SqlType::kSteps : SqlType::kWide);
  }
  // Nothing but 0 is 0 in steps of anything, and no step is made finer for it (plan::join).
  if (is_nought(*own.grid)) return lower(expr);
  const Rational factor = own.grid->step / step;
  Sql value = lower(expr);
  if (factor == Rational(1)) return value;
  if (fits_bigint(largest(*own.grid) / step)) {
    return dialect_.arithmetic(Dialect::Sign::kTimes, std::move(value),
                               dialect_.number(whole_of(factor)));
  }
  return Sql::infix("*", {dialect_.cast(std::move(value), SqlType::kWide),
                          dialect_.number(whole_of(factor), SqlType::kWide)});
}

Sql ExpressionLowering::as(const Expr& expr, const Shape& to) const {
  const Shape& own = shape(expr);
  if (own.always_null()) return null_of(to);
  return to.grid ? in_steps(expr, to.grid->step) : lower(expr);
}

Sql ExpressionLowering::count_distinct(const Expr& expr) const {
  const Shape& own = shape(expr);
  Sql value = lower(expr);
  std::optional<Sql> named;
  if (own.grid || own.type == Type::kText) named = dialect_.named(value);
  return Sql::count_distinct(named ? *std::move(named) : std::move(value));
}

Sql ExpressionLowering::lower(const Expr& expr) const {
  switch (expr.op) {
    case Op::kColumn:
      return column(expr);
    case Op::kLiteral:
      return constant(expr.value, shape(expr));
    case Op::kEqual:
    case Op::kLess:
    case Op::kLessEqual:
      return comparison(expr);
    case Op::kAnd:
    case Op::kOr:
      return connective(expr);
    case Op::kNot:
      return Sql::prefix("NOT", lower(expr.args[0]));
    case Op::kIsNull:
      return Sql::postfix(as(expr.args[0], shape(expr.args[0])), "IS NULL");
    case Op::kIn:
      return membership(expr);
    case Op::kLike:
      return like(expr);
    case Op::kCase:
    case Op::kCoalesce:
      return choice(expr);
    case Op::kDatePart:
    case Op::kDateTrunc:
      return calendar(expr);
    case Op::kLower:
    case Op::kUpper:
    case Op::kTrim:
    case Op::kLength:
    case Op::kSubstring:
    case Op::kConcat:
    case Op::kToNumber:
      return text(expr);
    default:
      return arithmetic(expr);
  }
}

Sql ExpressionLowering::column(const Expr& expr) const {
  Sql value = read_column(expr);
  return readings_ == nullptr ? value : readings_->name(value, null_of(shape(expr)));
}

Sql ExpressionLowering::read_column(const Expr& expr) const {
  const plan::TableUse& use = source_.tables[expr.table];
  if (use.is_subquery()) return Sql::name({alias(expr.table), sql_name(use, expr.name)});
  const std::string& table = source_.tables[expr.table].table;
  const policy::Column& declared = *policy_.find(table)->find(expr.name);
  const Shape shape = plan::shape_of(declared);
  Sql value = dialect_.read(stored(table, expr.name), Sql::name({alias(expr.table), expr.name}),
                            declared, shape.grid);
  const std::optional<Value> instead = fallback(declared, shape);
  if (!instead) return value;
  return Sql::call("coalesce", {std::move(value), constant(*instead, shape)});
}

std::optional<Value> ExpressionLowering::fallback(const policy::Column& declared,
                                                  const Shape& shape) {
  if (declared.null_rule != policy::NullRule::kDefault) return std::nullopt;
  Value value = declared.fallback;
  if (shape.grid) {
    const Rational steps(Rational(value.number() / shape.grid->step).round());
    value.data = std::clamp(steps * shape.grid->step, shape.grid->low, shape.grid->high);
  }
  return value;
}

RowField ExpressionLowering::field(std::string name, const Expr& expr) const {
  RowField made{std::move(name), lower(expr), std::nullopt};
  if (expr.op != Op::kColumn || source_.tables[expr.table].is_subquery()) return made;
  const std::string& table = source_.tables[expr.table].table;
  const policy::Column& declared = *policy_.find(table)->find(expr.name);
  const Shape shape = plan::shape_of(declared);
  if (!shape.grid) return made;
  made.column = ColumnRead{stored(table, expr.name),
                           Sql::name({alias(expr.table), expr.name}),
                           declared.type,
                           *shape.grid,
                           {}};
  if (const std::optional<Value> instead = fallback(declared, shape)) {
    made.column->fallback =
        static_cast<std::int64_t>(whole_of(instead->number() / shape.grid->step));
  }
  return made;
}

// Reading v = clamp(x) is monotone and leaves [low, high] as it is. So for low <= t < high: v <= t
// if and only if x <= t; for low < t <= high: v >= t if and only if x >= t; and v = t is both. A
// constant between two steps moves to the next one that v can have.
std::optional<Sql> ExpressionLowering::stored_comparison(const Expr& expr) const {
  const bool column_first = expr.args[0].op == Op::kColumn;
  const Expr& column = expr.args[column_first ? 0 : 1];
  const Expr& other = expr.args[column_first ? 1 : 0];
  if (column.op != Op::kColumn || !is_constant(other)) return std::nullopt;
  if (source_.tables[column.table].is_subquery()) return std::nullopt;
  const std::string& table = source_.tables[column.table].table;
  const policy::Column& declared = *policy_.find(table)->find(column.name);
  const Shape own = plan::shape_of(declared);
  const Shape& constant = shape(other);
  if (!own.grid || fallback(declared, own) || !constant.grid || constant.nullable ||
      constant.grid->low != constant.grid->high) {
    return std::nullopt;
  }
  const Grid& grid = *own.grid;
  const Rational steps = constant.grid->low / grid.step;
  const bool strict = expr.op == Op::kLess;
  Integer at = column_first ? steps.floor() : steps.ceil();
  if (strict && column_first) at = steps.ceil() - 1;
  if (strict && !column_first) at = steps.floor() + 1;
  const Rational value = Rational(at) * grid.step;
  const bool at_most = expr.op != Op::kEqual && column_first;
  const bool at_least = expr.op != Op::kEqual && !column_first;
  if (expr.op == Op::kEqual && steps.denominator() != 1) return std::nullopt;
  if (value < grid.low || (!at_most && value == grid.low)) return std::nullopt;
  if (value > grid.high || (!at_least && value == grid.high)) return std::nullopt;
  const Sql raw = Sql::name({alias(column.table), column.name});
  const StoredColumn& in = stored(table, column.name);
  if (at_most) return dialect_.compared(in, raw, declared, grid, "<=", value);
  if (at_least) return dialect_.compared(in, raw, declared, grid, ">=", value);
  return dialect_.compared(in, raw, declared, grid, "=", value);
}

Sql ExpressionLowering::comparison(const Expr& expr) const {
  if (std::optional<Sql> early = stored_comparison(expr)) {
    if (readings_ == nullptr) return *std::move(early);
    return readings_->name(*early, dialect_.null(SqlType::kTruth));
  }
  const Shape& a = shape(expr.args[0]);
  const Shape& b = shape(expr.args[1]);
  std::vector<Sql> sides;
  if (a.grid) {
    const Rational step = plan::join(*a.grid, *b.grid).step;
    sides = {in_steps(expr.args[0], step), in_steps(expr.args[1], step)};
  } else {
    sides = all(expr.args);
  }
  if (expr.op == Op::kEqual) return Sql::infix("=", std::move(sides));
  if (expr.op == Op::kLess) return Sql::infix("<", std::move(sides));
  return Sql::infix("<=", std::move(sides));
}

// x = a OR x = b is x IN (a, b), NULLs included: a and b are none, so both are NULL exactly where x
// is. NOT of it is x <> a AND x <> b. A database looks a value up in a list, but compares it with
// each of 2,300 constants in turn.
Sql ExpressionLowering::connective(const Expr& expr) const {
  const bool any = expr.op == Op::kOr;
  std::vector<const Expr*> links;
  add_links(expr, expr.op, links);
  std::map<std::string, Chain> chains;  // by the argument
  std::vector<std::optional<std::string>> names;
  const std::vector<std::string> tables(source_.tables.size());
  for (const Expr* const link : links) {
    const std::optional<Chain> one = equality(*link, any);
    const bool joins = one && shape(*one->arg).type != Type::kBoolean;
    names.push_back(
        joins ? std::optional(std::to_string(one->arg->table) + to_string(*one->arg, tables))
              : std::nullopt);
    if (!joins) continue;
    Chain& chain = chains.emplace(*names.back(), Chain{one->arg, {}}).first->second;
    if (!(*chain.arg == *one->arg)) {
      names.back().reset();  // two columns of one name
      continue;
    }
    chain.values.insert(chain.values.end(), one->values.begin(), one->values.end());
  }
  std::vector<Sql> parts;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto chain = names[i] ? chains.find(*names[i]) : chains.end();
    const bool is_long = chain != chains.end() && chain->second.values.size() >= kChainMin;
    if (!is_long) parts.push_back(lower(*links[i]));
    if (!is_long || chain->second.is_written) continue;
    chain->second.is_written = true;
    Sql among = membership(*chain->second.arg, chain->second.values);
    parts.push_back(any ? std::move(among) : Sql::prefix("NOT", std::move(among)));
  }
  return any ? Sql::infix("OR", std::move(parts)) : Sql::infix("AND", std::move(parts));
}

Sql ExpressionLowering::membership(const Expr& expr) const {
  std::vector<const Value*> values;
  for (std::size_t i = 1; i < expr.args.size(); ++i) values.push_back(&expr.args[i].value);
  return membership(expr.args[0], values);
}

// A number that is no multiple of the argument's step equals none of its values.
Sql ExpressionLowering::membership(const Expr& of, const std::vector<const Value*>& values) const {
  const Shape& own = shape(of);
  std::vector<Sql> list;
  std::vector<std::string> texts;
  for (const Value* const one : values) {
    const Value& value = *one;
    if (std::holds_alternative<std::string>(value.data)) texts.push_back(value.text());
    if (own.grid) {
      const Rational steps = value.number() / own.grid->step;
      if (steps.denominator() != 1 || !fits_bigint(steps)) continue;
    }
    list.push_back(constant(value, own));
  }
  Sql arg = lower(of);
  if (list.empty()) return unless_null(arg, Sql::truth(false), dialect_.null(SqlType::kTruth));
  if (texts.size() == list.size()) return dialect_.among(std::move(arg), texts);
  return Sql::in(std::move(arg), std::move(list));
}

Sql ExpressionLowering::like(const Expr& expr) const {
  Sql arg = lower(expr.args[0]);
  std::string pattern = plain_pattern(expr.args[1].value.text());
  if (expr.name != "i") {
    return dialect_.like_first(std::move(arg), kTextMax, dialect_.text(pattern));
  }
  std::transform(pattern.begin(), pattern.end(), pattern.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return dialect_.like_any_case(std::move(arg), kTextMax, dialect_.text(pattern));
}

Sql ExpressionLowering::choice(const Expr& expr) const {
  const Shape& own = shape(expr);
  std::vector<Sql> args;
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    const bool condition = expr.op == Op::kCase && i % 2 == 0 && i + 1 < expr.args.size();
    args.push_back(condition ? as(expr.args[i], shape(expr.args[i])) : as(expr.args[i], own));
  }
  if (expr.op == Op::kCoalesce) return Sql::call("coalesce", std::move(args));
  return Sql::choose(std::move(args));
}

Sql ExpressionLowering::arithmetic(const Expr& expr) const {
  switch (expr.op) {
    case Op::kAdd:
    case Op::kSubtract:
      return sum(expr);
    case Op::kMultiply:
      return dialect_.arithmetic(Dialect::Sign::kTimes, lower(expr.args[0]), lower(expr.args[1]));
    case Op::kNegate:
      return Sql::prefix("-", lower(expr.args[0]));
    case Op::kAbsolute:
      return Sql::call("abs", all(expr.args));
    case Op::kDivide:
    case Op::kModulo:
      break;
    default:
      return rounding(expr);
  }
  const Grid a = *shape(expr.args[0]).grid;
  const Grid b = *shape(expr.args[1]).grid;
  const Rational step = plan::join(a, b).step;
  Sql left = in_steps(expr.args[0], step);
  Sql right = in_steps(expr.args[1], step);
  if (shape(expr).type != Type::kInteger) {
    return dialect_.quotient(std::move(left), std::move(right));
  }
  return expr.op == Op::kModulo
             ? dialect_.remainder(std::move(left), std::move(right), SqlType::kSteps)
             : dialect_.divided(std::move(left), std::move(right), SqlType::kSteps);
}

Sql ExpressionLowering::sum(const Expr& expr) const {
  const Rational step = shape(expr).grid->step;
  std::vector<Sql> sides;
  bool wide = false;
  for (const Expr& arg : expr.args) {
    wide = wide || !fits_bigint(largest(*shape(arg).grid) / step);
    sides.push_back(in_steps(arg, step));
  }
  const bool add = expr.op == Op::kAdd;
  if (!wide) {
    return dialect_.arithmetic(add ? Dialect::Sign::kPlus : Dialect::Sign::kMinus,
                               std::move(sides[0]), std::move(sides[1]));
  }
  return dialect_.cast(add ? Sql::infix("+", std::move(sides)) : Sql::infix("-", std::move(sides)),
                       SqlType::kSteps);
}

Sql ExpressionLowering::rounding(const Expr& expr) const {
  const Grid from = *shape(expr.args[0]).grid;
  const Grid to = *shape(expr).grid;
  IntegerMap::Formula formula;
  formula.low = static_cast<std::int64_t>(whole_of(to.low / to.step));
  formula.high = static_cast<std::int64_t>(whole_of(to.high / to.step));
  if (expr.op == Op::kBucket) {
    formula.slope = from.step / expr.grid->step;
    formula.offset = -expr.grid->low / expr.grid->step;
    formula.rounding = Rounding::kFloor;
    return dialect_.scaled(lower(expr.args[0]), formula, from);
  }
  if (from.step == to.step) return lower(expr.args[0]);  // it lies there already
  formula.slope = from.step / to.step;
  if (expr.op == Op::kFloor) formula.rounding = Rounding::kFloor;
  if (expr.op == Op::kCeiling) formula.rounding = Rounding::kCeiling;
  return dialect_.scaled(lower(expr.args[0]), formula, from);
}

Sql ExpressionLowering::calendar(const Expr& expr) const {
  const Shape& from = shape(expr.args[0]);
  DISCREET_CHECK(is_temporal(from.type));
  const bool date = from.type == Type::kDate;
  Sql steps = in_steps(expr.args[0], 1);
  if (date && (expr.name == "hour" || expr.name == "minute")) {  // of midnight
    return expr.op == Op::kDateTrunc
               ? steps
               : unless_null(steps, dialect_.number(0), dialect_.null(SqlType::kSteps));
  }
  if (expr.op == Op::kDatePart) return dialect_.date_part(expr.name, std::move(steps), date);
  Sql value = dialect_.date_trunc(expr.name, std::move(steps), date);
  const Rational step = shape(expr).grid->step;
  if (step == Rational(1)) return value;
  return dialect_.divided(std::move(value), dialect_.number(whole_of(step)), SqlType::kSteps);
}

// A constant is cut here, once, not in every row.
Sql ExpressionLowering::seen(const Expr& arg, std::int64_t count) const {
  if (arg.op != Op::kLiteral) return dialect_.cut(lower(arg), count);
  if (arg.value.is_null()) return lower(arg);
  return dialect_.text(
      std::string(first_characters(arg.value.text(), static_cast<std::size_t>(count))));
}

// From before the first character on: DuckDB would count such places from the end.
Sql ExpressionLowering::substring(const Expr& expr) const {
  const std::int64_t seen = plan::characters_seen(expr);
  auto first = static_cast<std::int64_t>(whole_of(expr.args[1].value.number()));
  auto count = static_cast<std::int64_t>(whole_of(expr.args[2].value.number()));
  if (first < 1) {
    count = std::max<std::int64_t>(0, count + first - 1);
    first = 1;
  }
  first = std::min(first, seen + 1);
  return dialect_.substring(lower(expr.args[0]), first, std::min(count, seen + 1 - first));
}

Sql ExpressionLowering::text(const Expr& expr) const {
  switch (expr.op) {
    case Op::kLower:
    case Op::kUpper:
      return dialect_.with_letters(lower(expr.args[0]), plan::characters_seen(expr),
                                   expr.op == Op::kUpper);
    case Op::kTrim:
      return dialect_.trim(seen(expr.args[0], plan::characters_seen(expr)));
    case Op::kLength:
      return dialect_.length(lower(expr.args[0]));
    case Op::kConcat: {
      std::vector<Sql> parts;
      for (const Expr& arg : expr.args) parts.push_back(seen(arg, plan::characters_seen(expr)));
      return Sql::infix("||", std::move(parts));
    }
    case Op::kSubstring:
      return substring(expr);
    default:
      DISCREET_CHECK(expr.op == Op::kToNumber && expr.grid.has_value());
      return dialect_.to_number(lower(expr.args[0]), *expr.grid);
  }
}

}  // namespace discreet::engine::lowering
