// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb/lower_plan.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "engine/duckdb/lower_expression.h"
#include "engine/integer_map.h"
#include "engine/key.h"

namespace discreet::engine::duckdb {
namespace {

using plan::Checked;
using plan::Expr;
using plan::MeasureKind;
using plan::Shape;
using plan::Step;
using policy::Type;

/// Whole numbers of at most 64 bits are compared and kept as such; any other identifier as text, so
/// that no two become one on the way (a DOUBLE would merge 2^53 and 2^53 + 1).
bool is_whole(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
      return true;
    default:
      return false;
  }
}

KeyKind key_kind(const Shape& shape, bool listed) {
  if (shape.grid) return KeyKind::kNumber;
  if (shape.type == Type::kBoolean) return KeyKind::kBoolean;
  return listed ? KeyKind::kText : KeyKind::kCutText;
}

IntegerMap map_of(const plan::Lowered& lowered) {
  return IntegerMap({.slope = Rational::ratio(lowered.multiply, lowered.divide),
                     .offset = Rational::ratio(-lowered.subtract, lowered.divide),
                     .low = lowered.low,
                     .high = lowered.high});
}

std::int64_t steps_of(const Rational& end, const policy::Grid& grid) {
  return (end / grid.step).numerator().get_si();
}

class PlanLowering {
 public:
  PlanLowering(const Checked& checked, const Schemas& schemas)
      : checked_(checked),
        plan_(checked.plan()),
        expressions_(plan_.source, checked.policy(), schemas) {}

  BoundedRun bounded() const;
  PushedRun pushed() const;

 private:
  Select source() const;
  Sql equal_raw(const std::string& left_table, const std::string& left_alias,
                const std::string& left, const std::string& right_table,
                const std::string& right_alias, const std::string& right) const;
  struct Unit {
    std::string table;
    std::string alias;
  };
  /// Joins the tables of the unit's path that lead to its column; where that is.
  Unit follow_path(Select& select) const;
  std::vector<KeyKind> key_kinds() const;
  Sql integer(const Step& step) const;
  Sql aggregate(const Step& step) const;
  std::vector<Sql> pushed_keys() const;

  const Checked& checked_;
  const plan::Plan& plan_;
  ExpressionLowering expressions_;
};

Sql PlanLowering::equal_raw(const std::string& left_table, const std::string& left_alias,
                            const std::string& left, const std::string& right_table,
                            const std::string& right_alias, const std::string& right) const {
  const duckdb_type left_type = expressions_.raw_column(left_table, left).type;
  const duckdb_type right_type = expressions_.raw_column(right_table, right).type;
  Sql a = Sql::name({left_alias, left});
  Sql b = Sql::name({right_alias, right});
  const bool comparable = left_type == right_type || (is_whole(left_type) && is_whole(right_type));
  if (comparable) return Sql::infix("=", {std::move(a), std::move(b)});
  return Sql::infix("=", {Sql::cast(std::move(a), "VARCHAR"), Sql::cast(std::move(b), "VARCHAR")});
}

// FROM and WHERE, without the unit.
Select PlanLowering::source() const {
  Select select;
  const auto& tables = plan_.source.tables;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    FromTable from{Sql::name({tables[i].table}), ExpressionLowering::alias(i), {}};
    for (const plan::JoinOn& on : tables[i].on) {
      from.on.push_back(equal_raw(tables[on.left_table].table,
                                  ExpressionLowering::alias(on.left_table), on.left,
                                  tables[i].table, from.alias, on.right));
    }
    select.from.push_back(std::move(from));
  }
  if (plan_.filter) select.where.push_back(expressions_.lower(*plan_.filter));
  if (!checked_.listed()) return select;
  for (std::size_t i = 0; i < plan_.keys.size(); ++i) {
    const Shape& shape = checked_.key_shapes()[i];
    std::vector<Sql> outcomes;
    for (const policy::Value& value : *shape.outcomes) {
      outcomes.push_back(ExpressionLowering::constant(value, shape));
    }
    select.where.push_back(Sql::in(expressions_.lower(plan_.keys[i].expr), std::move(outcomes)));
  }
  return select;
}

PlanLowering::Unit PlanLowering::follow_path(Select& select) const {
  const std::size_t first = checked_.unit_table();
  Unit at{plan_.source.tables[first].table, ExpressionLowering::alias(first)};
  const policy::UnitPath& path = *checked_.policy().find(at.table)->unit;
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const policy::UnitPath::Step& step = path.steps[i];
    const std::string alias = "u" + std::to_string(i);
    select.from.push_back(
        {Sql::name({step.table}),
         alias,
         {equal_raw(at.table, at.alias, step.column, step.table, alias, step.key)}});
    at = {step.table, alias};
  }
  return at;
}

std::vector<KeyKind> PlanLowering::key_kinds() const {
  std::vector<KeyKind> kinds;
  for (const Shape& shape : checked_.key_shapes()) {
    kinds.push_back(key_kind(shape, checked_.listed().has_value()));
  }
  return kinds;
}

BoundedRun PlanLowering::bounded() const {
  BoundedRun run{source(), {}};
  const Unit unit = follow_path(run.keep);
  const Sql raw = Sql::name({unit.alias, checked_.unit_column()});
  run.task.wide_unit = !is_whole(expressions_.raw_column(unit.table, checked_.unit_column()).type);
  run.task.groups_per_unit = plan_.bounds.groups_per_unit;
  run.task.rows_per_unit_and_group = plan_.bounds.rows_per_unit_and_group;
  run.task.keys = key_kinds();
  run.keep.where.push_back(Sql::postfix(raw, "IS NOT NULL"));

  std::vector<std::pair<std::string, Sql>> row;
  row.emplace_back("unit",
                   run.task.wide_unit ? Sql::cast(raw, "VARCHAR") : Sql::cast(raw, "BIGINT"));
  for (std::size_t i = 0; i < plan_.keys.size(); ++i) {
    row.emplace_back("k" + std::to_string(i), expressions_.lower(plan_.keys[i].expr));
  }
  std::vector<const Expr*> arguments;  // equal ones are read once
  for (const Step& step : checked_.steps()) {
    Measure measure{step.measurement.kind, {}, map_of(step.lowered)};
    if (step.measurement.argument) {
      const Expr& argument = *step.measurement.argument;
      auto known = std::find_if(arguments.begin(), arguments.end(),
                                [&](const Expr* other) { return *other == argument; });
      measure.content = static_cast<std::size_t>(known - arguments.begin());
      if (known == arguments.end()) {
        arguments.push_back(&argument);
        Content content{0, 1};
        if (step.shape.grid) {
          content = {steps_of(step.shape.grid->low, *step.shape.grid),
                     steps_of(step.shape.grid->high, *step.shape.grid)};
        } else if (step.shape.type == Type::kText) {
          content = {std::numeric_limits<std::int64_t>::min(),
                     std::numeric_limits<std::int64_t>::max()};
        }
        row.emplace_back("c" + std::to_string(run.task.contents.size()),
                         expressions_.lower(argument));
        run.task.contents.push_back(content);
      }
    }
    run.task.measures.push_back(std::move(measure));
  }
  run.keep.outputs = {Sql::call("keep", {Sql::row(std::move(row))})};
  return run;
}

// The integer z of a row (plan/lowering.h), or NULL.
Sql PlanLowering::integer(const Step& step) const {
  const IntegerMap map = map_of(step.lowered);
  const policy::Grid& grid = *step.shape.grid;
  Sql argument = expressions_.lower(*step.measurement.argument);
  if (map.is_identity_on(steps_of(grid.low, grid), steps_of(grid.high, grid))) return argument;
  return Sql::call("scaled", {std::move(argument), Sql::text(to_string(map.formula()))});
}

Sql PlanLowering::aggregate(const Step& step) const {
  const auto& argument = step.measurement.argument;
  const Sql zero = Sql::number(0, "HUGEINT");
  switch (step.measurement.kind) {
    case MeasureKind::kUnits:
      break;
    case MeasureKind::kRows:
      if (argument) return Sql::call("count", {expressions_.lower(*argument)});
      break;
    case MeasureKind::kDistinct:
      return Sql::count_distinct(expressions_.lower(*argument));
    case MeasureKind::kSum:
      return Sql::call("coalesce", {Sql::call("sum", {integer(step)}), zero});
    case MeasureKind::kSquares: {
      const Sql z = integer(step);
      return Sql::call("coalesce", {Sql::call("sum", {Sql::infix("*", {z, z})}), zero});
    }
    case MeasureKind::kQuantile:
      DISCREET_CHECK(false);
  }
  return Sql::count_rows();
}

std::vector<Sql> PlanLowering::pushed_keys() const {
  std::vector<Sql> keys;
  const std::vector<KeyKind> kinds = key_kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    Sql key = expressions_.lower(plan_.keys[i].expr);
    if (kinds[i] == KeyKind::kCutText) {
      const Sql most = Sql::number(static_cast<Int128>(kKeyCharacters));
      key = Sql::choose({Sql::infix(">", {Sql::call("strlen", {key}), most}),
                         Sql::call("left", {key, most}), key});
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

PushedRun PlanLowering::pushed() const {
  PushedRun run{key_kinds(), source(), {}, {}};
  const Select rows = run.groups;
  run.groups.outputs = pushed_keys();
  run.groups.group_by = run.groups.outputs.size();
  run.groups.outputs.push_back(Sql::cast(Sql::count_rows(), "BIGINT"));
  std::vector<std::string> printed;  // of each tally's value
  for (std::size_t i = 0; i < checked_.steps().size(); ++i) {
    const Step& step = checked_.steps()[i];
    if (step.measurement.kind != MeasureKind::kQuantile) {
      run.groups.outputs.push_back(Sql::cast(aggregate(step), "HUGEINT"));
      run.steps.push_back(i);
      continue;
    }
    Sql value = integer(step);
    auto known = std::find(printed.begin(), printed.end(), value.print());
    auto tally = static_cast<std::size_t>(known - printed.begin());
    if (known == printed.end()) {
      printed.push_back(value.print());
      Select select = rows;
      select.outputs = pushed_keys();
      select.where.push_back(Sql::postfix(value, "IS NOT NULL"));
      select.outputs.push_back(std::move(value));
      select.group_by = select.outputs.size();
      select.outputs.push_back(Sql::cast(Sql::count_rows(), "BIGINT"));
      run.tallies.push_back({std::move(select), {}});
    }
    run.tallies[tally].steps.push_back(i);
  }
  return run;
}

}  // namespace

LoweredPlan lower_plan(const Checked& checked, const Schemas& schemas) {
  const PlanLowering lowering(checked, schemas);
  LoweredPlan lowered;
  if (checked.unit_column().empty()) {
    lowered.pushed = lowering.pushed();
  } else {
    lowered.bounded = lowering.bounded();
  }
  return lowered;
}

std::string LoweredPlan::print() const {
  std::string out;
  if (bounded) {
    out = bounded->keep.print() + ";\n-- keep() is ours: of every unit at most " +
          std::to_string(bounded->task.groups_per_unit) + " groups, in each at most " +
          std::to_string(bounded->task.rows_per_unit_and_group) +
          " rows, chosen by a keyed hash of that unit's own rows; then counts and sums of "
          "integers.\n";
  }
  if (pushed) {
    out += pushed->groups.print() + ";\n";
    for (const TallyQuery& tally : pushed->tallies) out += tally.select.print() + ";\n";
  }
  return out;
}

}  // namespace discreet::engine::duckdb
