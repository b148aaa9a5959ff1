// SPDX-License-Identifier: Apache-2.0
#include "plan/shape.h"

#include <algorithm>

#include "base/suggest.h"
#include "plan/calendar.h"
#include "plan/grid.h"
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

void add_outcome(std::vector<Value>& outcomes, Value value) {
  if (std::find(outcomes.begin(), outcomes.end(), value) == outcomes.end()) {
    outcomes.push_back(std::move(value));
  }
}

bool compares(Op op) {
  return op == Op::kEqual || op == Op::kLess || op == Op::kLessEqual || op == Op::kIn ||
         op == Op::kLike || op == Op::kIsNull;
}

Use compared(Use use) { return use == Use::kChecked ? use : Use::kFilter; }

class Shaper {
 public:
  Shaper(const Source& source, const policy::Policy& policy) : source_(source), policy_(policy) {}

  Result<Shape> shape(const Expr& expr, Use use) const;

 private:
  Result<Shape> column(const Expr& expr, Use use) const;
  Result<Shape> finished(const Expr& expr, Result<Shape> shape) const;
  Result<Shape> choice(const Expr& expr, Use use) const;
  Result<std::vector<Shape>> all(const Expr& expr, Use use) const;
  Error complaint(const Expr& expr, const std::string& what) const {
    return invalid_input(in_quotes(to_string(expr, table_names(source_))) + ": " + what);
  }

  const Source& source_;
  const policy::Policy& policy_;
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

Result<Shape> Shaper::column(const Expr& expr, Use use) const {
  if (expr.table >= source_.tables.size()) {
    return invalid_input("column " + in_quotes(expr.name) + " names a table that is not in FROM");
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
    for (const Value& value : column.values) {
      if (value.is_null()) continue;
      Value outcome = value;
      outcome.type = column.type;
      if (shape.grid) outcome.data = onto(*shape.grid, value.number());
      add_outcome(outcomes, std::move(outcome));
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
  return Shaper(source, policy).shape(expr, use);
}

}  // namespace discreet::plan
