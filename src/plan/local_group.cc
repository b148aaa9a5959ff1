// SPDX-License-Identifier: Apache-2.0
#include "plan/local_group.h"

#include <algorithm>

#include "plan/grid.h"
#include "plan/identity.h"
#include "plan/shape_rules.h"

namespace discreet::plan {
namespace {

bool is_whole(const Grid& grid) {
  return grid.step == Rational(1) && grid.low.denominator() == 1 && grid.high.denominator() == 1;
}

Result<Grid> given_range(const Field& field) {
  if (!field.grid || field.grid->low > field.grid->high || field.grid->step.sign() <= 0 ||
      !fits(*field.grid)) {
    return invalid_input("field " + in_quotes(field.name) + " of a subquery needs a range");
  }
  return *field.grid;
}

Result<Shape> shape_of_number(const Field& field) {
  DISCREET_ASSIGN(const Grid grid, given_range(field));
  if (!is_whole(grid) || grid.low.sign() < 0) {
    return invalid_input("the range of a number of rows has whole ends from 0");
  }
  Shape shape{.type = Type::kInteger, .grid = grid, .nullable = false, .outcomes = {}};
  if (grid.high - grid.low < Rational(static_cast<std::int64_t>(kOutcomesMax))) {
    std::vector<Value> outcomes;
    for (Rational n = grid.low; n <= grid.high; n = n + Rational(1)) {
      outcomes.push_back({n, Type::kInteger});
    }
    shape.outcomes = std::move(outcomes);
  }
  return shape;
}

Result<Shape> shape_of_sum(const Field& field, const Shape& argument) {
  DISCREET_ASSIGN(const Grid grid, given_range(field));
  const auto on_grid = [&](const Rational& end) {
    return (end / argument.grid->step).denominator() == 1;
  };
  if (grid.step != argument.grid->step || !on_grid(grid.low) || !on_grid(grid.high)) {
    return invalid_input("the range of the sum " + in_quotes(field.name) +
                         " must be in steps of what is added up, " +
                         argument.grid->step.to_string());
  }
  return Shape{.type = argument.type, .grid = grid, .nullable = true, .outcomes = {}};
}

Shape shape_of_mean(const Shape& argument) {
  Grid grid = *argument.grid;
  grid.step = common_step(grid.step, power_of_ten(-6));
  return Shape{.type = Type::kDecimal,
               .grid = grid,
               .nullable = true,
               .outcomes = {},
               .declared = argument.declared};
}

}  // namespace

Locality group_local(const Part& part, const Locality& source, const policy::Policy& policy) {
  Locality out = source;
  if (source.is_public()) return out;
  const bool only_units = std::all_of(part.fields.begin(), part.fields.end(), [&](const Field& f) {
    if (f.fold == Fold::kValue) return false;
    if (f.fold != Fold::kIdentifier) return true;
    // Beyond a left join the unit's name may be NULL in some rows and not in others.
    const TableUse& use = part.source.tables[f.expr->table];
    return use.join == JoinKind::kInner && is_unit_itself(use, f.expr->name, policy);
  });
  if (only_units) out.rows_max = 1;
  return out;
}

Result<Shape> shape_of_fold(const Field& field, const std::optional<Shape>& argument) {
  if (field.fold == Fold::kRows || (field.fold == Fold::kDistinct && argument)) {
    return shape_of_number(field);
  }
  if (!argument) return invalid_input("field " + in_quotes(field.name) + " lacks its argument");
  const bool needs_number = field.fold == Fold::kSum || field.fold == Fold::kMean;
  if (needs_number ? !is_number(*argument) : !argument->grid) {
    return invalid_input("field " + in_quotes(field.name) + " needs numbers" +
                         (needs_number ? "" : ", dates or timestamps") + ", not " +
                         policy::to_string(argument->type));
  }
  if (field.fold == Fold::kSum) return shape_of_sum(field, *argument);
  Shape shape = field.fold == Fold::kMean ? shape_of_mean(*argument) : *argument;
  shape.nullable = true;
  if (!fits(*shape.grid)) {
    return invalid_input("field " + in_quotes(field.name) +
                         ": its numbers could need more than 62 bits; narrow the ranges");
  }
  return shape;
}

}  // namespace discreet::plan
