// SPDX-License-Identifier: Apache-2.0
#include "plan/shape.h"

#include <map>
#include <set>
#include <tuple>

#include "base/suggest.h"
#include "plan/calendar.h"
#include "plan/grid.h"
#include "plan/identity.h"
#include "plan/local_group.h"
#include "plan/shape_rules.h"

namespace discreet::plan {
namespace {

// What a type holds when the policy gives no range; expression.md, "Columns".
std::optional<Grid> widest(Type type) {
  switch (type) {
    case Type::kInteger:
      return Grid{Rational(1) - power_of_two(62), power_of_two(62) - Rational(1), 1};
    case Type::kDecimal:
      return Grid{-power_of_ten(12), power_of_ten(12), power_of_ten(-6)};
    case Type::kDate:
      return Grid{kFirstDay, kLastDay, 1};
    case Type::kTimestamp:
      return Grid{Rational(kFirstDay) * Rational(kMicrosecondsPerDay),
                  Rational(kLastDay + 1) * Rational(kMicrosecondsPerDay) - Rational(1), 1};
    case Type::kBoolean:
    case Type::kText:
      break;
  }
  return std::nullopt;
}

bool compares(Op op) {
  return op == Op::kEqual || op == Op::kLess || op == Op::kLessEqual || op == Op::kIn ||
         op == Op::kLike || op == Op::kIsNull;
}

Use compared(Use use) { return use == Use::kChecked ? use : Use::kFilter; }

// Fields of subqueries are looked at once for each use: what refers to a field a hundred times,
// eight subqueries deep, would else be looked at 10^16 times.
using FieldShapes = std::map<std::tuple<const TableUse*, std::string, Use>, Result<Shape>>;

class Shaper {
 public:
  /// `joining`: the expression belongs to the join of this table, and sees no later one.
  Shaper(const Source& source, const policy::Policy& policy, FieldShapes& fields,
         std::optional<std::size_t> joining = {})
      : source_(source), policy_(policy), fields_(fields), joining_(joining) {}

  Result<Shape> shape(const Expr& expr, Use use) const;

 private:
  Result<Shape> column(const Expr& expr, Use use) const;
  Result<Shape> field(const TableUse& table, const std::string& name, Use use) const;
  Result<Shape> field(const Part& part, const std::string& name, Use use) const;
  bool sees(std::size_t table) const;
  Result<Shape> finished(const Expr& expr, Result<Shape> shape) const;
  Result<Shape> choice(const Expr& expr, Use use) const;
  Result<std::vector<Shape>> all(const Expr& expr, Use use) const;
  Error complaint(const Expr& expr, const std::string& what) const {
    return invalid_input(in_quotes(to_string(expr, table_names(source_))) + ": " + what);
  }

  const Source& source_;
  const policy::Policy& policy_;
  FieldShapes& fields_;
  std::optional<std::size_t> joining_;
};

Error undeclared(const policy::Table& table, const std::string& name) {
  std::vector<std::string> names;
  for (const policy::Column& column : table.columns) names.push_back(column.name);
  return {Code::kRefused,
          "the policy declares no column " + in_quotes(name) + " in table " +
              in_quotes(table.name) + did_you_mean(name, names) +
              (names.empty() ? "; it declares none" : "; it declares " + one_of(names))};
}

Result<void> check_use(const policy::Column& column, const policy::Table& table, Use use) {
  const auto refuse = [&](const char* what, const char* entry) {
    return Error{Code::kRefused, "the policy does not let column " + in_quotes(column.name) +
                                     " of table " + in_quotes(table.name) + " be " + what +
                                     "; the owner can allow it with '" + entry + "'"};
  };
  switch (use) {
    case Use::kAggregate:
      if (!column.may_aggregate) return refuse("aggregated", "aggregate");
      break;
    case Use::kGroup:
      if (!column.may_group) return refuse("grouped by", "group");
      break;
    case Use::kFilter:
      if (!column.may_filter) return refuse("used in conditions", "filter");
      break;
    case Use::kChecked:
      break;
  }
  return {};
}

// What EXISTS looks at is seen by its own condition only.
bool Shaper::sees(std::size_t table) const {
  if (joining_ && table > *joining_) return false;
  const JoinKind join = source_.tables[table].join;
  const bool is_hidden = join == JoinKind::kSemi || join == JoinKind::kAnti;
  return !is_hidden || (joining_ && table == *joining_);
}

Result<Shape> Shaper::field(const Part& part, const std::string& name, Use use) const {
  const Field* const field = find_field(part, name);
  if (field == nullptr) {
    return Error{Code::kRefused, "the subquery has no column " + in_quotes(name)};
  }
  if (field->fold == Fold::kIdentifier) {
    return Error{Code::kRefused, in_quotes(name) +
                                     " tells whose row it is; it can be joined on, "
                                     "and units counted, nothing else"};
  }
  const Shaper inside(part.source, policy_, fields_);
  if (field->fold == Fold::kValue) {
    DISCREET_TRY(check_size(*field->expr));
    return inside.shape(*field->expr, use);
  }
  std::optional<Shape> argument;
  if (field->expr) {
    DISCREET_TRY(check_size(*field->expr));
    const Use folded = use == Use::kChecked ? use : Use::kAggregate;
    DISCREET_ASSIGN(argument, inside.shape(*field->expr, folded));
    // The largest of one row is that row's value: what it may not be used for, a fold may not.
    const bool counts = field->fold == Fold::kRows || field->fold == Fold::kDistinct;
    if (!counts) DISCREET_TRY(inside.shape(*field->expr, use));
  }
  return shape_of_fold(*field, argument);
}

Result<Shape> Shaper::field(const TableUse& table, const std::string& name, Use use) const {
  const auto known = fields_.find({&table, name, use});
  if (known != fields_.end()) return known->second;
  const auto shape = [&]() -> Result<Shape> {
    std::vector<Shape> shapes;
    for (const Part& part : table.parts) {
      DISCREET_ASSIGN(Shape one, field(part, name, use));
      shapes.push_back(std::move(one));
    }
    if (shapes.size() == 1) return std::move(shapes.front());
    DISCREET_ASSIGN(Shape either, shape_of_either(shapes));
    if (either.grid && !fits(*either.grid)) {
      return invalid_input("column " + in_quotes(name) +
                           " of a UNION ALL could need more than 62 bits; round() it");
    }
    return either;
  }();
  return fields_.emplace(std::tuple(&table, name, use), shape).first->second;
}

Result<Shape> Shaper::column(const Expr& expr, Use use) const {
  const bool seen =
      expr.table < source_.tables.size() && (use == Use::kChecked || sees(expr.table));
  if (!seen) {
    return invalid_input("column " + in_quotes(expr.name) + " names a table that is not in FROM");
  }
  const TableUse& from = source_.tables[expr.table];
  if (from.is_subquery()) {
    DISCREET_ASSIGN(Shape shape, field(from, expr.name, use));
    if (from.join == JoinKind::kLeft) shape.nullable = true;
    return shape;
  }
  const policy::Table* const table = policy_.find(source_.tables[expr.table].table);
  if (table == nullptr) return undeclared_table(source_.tables[expr.table].table, policy_);
  const policy::Column* const column = table->find(expr.name);
  if (column == nullptr) return undeclared(*table, expr.name);
  DISCREET_TRY(check_use(*column, *table, use));
  if (use == Use::kGroup && column->values.empty() && !column->values_from.empty()) {
    return Error{Code::kUnsupported, "the keys of column " + in_quotes(column->name) +
                                         " are listed in " + in_quotes(column->values_from) +
                                         ", which has not been read"};
  }
  return shape_of(*column);
}

Result<std::vector<Shape>> Shaper::all(const Expr& expr, Use use) const {
  std::vector<Shape> shapes;
  shapes.reserve(expr.args.size());
  for (const Expr& arg : expr.args) {
    DISCREET_ASSIGN(Shape one, shape(arg, use));
    shapes.push_back(std::move(one));
  }
  return shapes;
}

Result<Shape> Shaper::choice(const Expr& expr, Use use) const {
  if (expr.args.size() < 3 || expr.args.size() % 2 == 0) {
    return complaint(expr, "CASE needs conditions with their results, and an ELSE");
  }
  std::vector<Shape> results;
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    const bool is_condition = i % 2 == 0 && i + 1 < expr.args.size();
    DISCREET_ASSIGN(Shape one, shape(expr.args[i], is_condition ? compared(use) : use));
    if (!is_condition) {
      results.push_back(std::move(one));
    } else if (!is_boolean(one)) {
      return complaint(expr.args[i], "a condition of CASE must be true or false");
    }
  }
  return finished(expr, shape_of_either(results));
}

Result<Shape> Shaper::finished(const Expr& expr, Result<Shape> shape) const {
  if (!shape) return complaint(expr, shape.error().message);
  if (!shape->grid || fits(*shape->grid)) return shape;
  return complaint(expr, std::string("its numbers could need more than 62 bits; ") +
                             (shape->declared ? "narrow the ranges, or round() what goes into it"
                                              : "declare a range for its columns in the policy"));
}

Result<Shape> Shaper::shape(const Expr& expr, Use use) const {
  if (expr.op == Op::kColumn) return column(expr, use);
  if (expr.op == Op::kCase) return choice(expr, use);
  DISCREET_ASSIGN(const std::vector<Shape> args,
                  all(expr, compares(expr.op) ? compared(use) : use));
  return finished(expr, shape_of_operation(expr, args));
}

}  // namespace

Error undeclared_table(const std::string& name, const policy::Policy& policy) {
  std::vector<std::string> names;
  for (const auto& [known, table] : policy.tables) names.push_back(known);
  return {Code::kRefused,
          "the policy declares no table " + in_quotes(name) + did_you_mean(name, names) +
              (names.empty() ? "; it declares none" : "; it declares " + one_of(names))};
}

Shape shape_of(const policy::Column& column) {
  Shape shape;
  shape.type = column.type;
  shape.grid = column.grid ? column.grid : widest(column.type);
  shape.declared = column.grid.has_value() || !shape.grid.has_value();
  shape.nullable = column.null_rule != policy::NullRule::kDefault;
  if (!column.values.empty()) {
    std::vector<Value> outcomes;
    std::set<decltype(Value::data)> seen;
    for (const Value& value : column.values) {
      if (value.is_null()) continue;
      Value outcome = value;
      outcome.type = column.type;
      if (shape.grid) outcome.data = onto(*shape.grid, value.number());
      if (seen.insert(outcome.data).second) outcomes.push_back(std::move(outcome));
    }
    shape.outcomes = std::move(outcomes);
  } else if (column.type == Type::kBoolean) {
    shape.outcomes = {Value{false, Type::kBoolean}, Value{true, Type::kBoolean}};
  }
  return shape;
}

std::vector<std::string> table_names(const Source& source) {
  std::vector<std::string> names;
  for (const TableUse& use : source.tables) {
    names.push_back(source.tables.size() == 1 ? "" : use.alias.empty() ? use.table : use.alias);
  }
  return names;
}

Result<Shape> shape_of(const Expr& expr, const Source& source, const policy::Policy& policy,
                       Use use) {
  DISCREET_TRY(check_size(expr));
  FieldShapes fields;
  return Shaper(source, policy, fields).shape(expr, use);
}

Result<Shape> shape_of_join(const Expr& expr, const Source& source, std::size_t index,
                            const policy::Policy& policy, Use use) {
  DISCREET_TRY(check_size(expr));
  FieldShapes fields;
  return Shaper(source, policy, fields, index).shape(expr, use);
}

}  // namespace discreet::plan
