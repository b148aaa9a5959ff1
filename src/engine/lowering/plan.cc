// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/plan.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "engine/integer_map.h"
#include "engine/key.h"
#include "engine/lowering/expression.h"
#include "engine/lowering/relation.h"
#include "engine/lowering/unique_keys.h"
#include "plan/identity.h"

namespace discreet::engine::lowering {
namespace {

using plan::Checked;
using plan::Expr;
using plan::MeasureKind;
using plan::Shape;
using plan::Step;
using policy::Type;

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
  PlanLowering(const Checked& checked, const CutFacts& facts, const Dialect& dialect,
               const Schemas& schemas)
      : checked_(checked),
        plan_(checked.plan()),
        dialect_(dialect),
        schemas_(schemas),
        expressions_(dialect, plan_.source, checked.policy(), schemas),
        relations_(dialect, checked.policy(), schemas, checked.joined_rows(), facts) {}

  BoundedRun bounded(bool with_unit = true) const;
  BoundedRun fields() const;
  PushedRun pushed(bool only_listed = true) const;
  std::optional<CensusRun> census() const;

 private:
  Select source(bool only_listed = true) const;
  std::vector<KeyKind> key_kinds() const;
  Sql integer(const Step& step, const ExpressionLowering& expressions) const;
  Sql aggregate(const Step& step, const ExpressionLowering& expressions) const;
  std::vector<Sql> pushed_keys(const ExpressionLowering& expressions) const;

  const Checked& checked_;
  const plan::Plan& plan_;
  const Dialect& dialect_;
  const Schemas& schemas_;
  ExpressionLowering expressions_;
  RelationLowering relations_;
};

// FROM and WHERE, without the unit. `only_listed`: rows of keys that are not listed are left out.
Select PlanLowering::source(bool only_listed) const {
  std::optional<std::size_t> unit_table;
  if (!checked_.unit_column().empty()) unit_table = checked_.unit_table();
  Select select = relations_.source(plan_.source, unit_table, plan_.filter);
  if (plan_.filter) select.where.push_back(expressions_.lower(*plan_.filter));
  if (!checked_.listed() || !only_listed) return select;
  for (std::size_t i = 0; i < plan_.keys.size(); ++i) {
    const Shape& shape = checked_.key_shapes()[i];
    std::vector<Sql> outcomes;
    std::vector<std::string> texts;
    for (const policy::Value& value : *shape.outcomes) {
      outcomes.push_back(expressions_.constant(value, shape));
      if (std::holds_alternative<std::string>(value.data)) texts.push_back(value.text());
    }
    Sql key = expressions_.lower(plan_.keys[i].expr);
    select.where.push_back(texts.size() == outcomes.size()
                               ? dialect_.among(std::move(key), texts)
                               : Sql::in(std::move(key), std::move(outcomes)));
  }
  return select;
}

std::vector<KeyKind> PlanLowering::key_kinds() const {
  std::vector<KeyKind> kinds;
  for (const Shape& shape : checked_.key_shapes()) {
    kinds.push_back(key_kind(shape, checked_.listed().has_value()));
  }
  return kinds;
}

BoundedRun PlanLowering::bounded(bool with_unit) const {
  BoundedRun run{source(), {}, {}};
  Identifier unit{Sql::postfix(Sql::call("row_number", {}), "OVER ()"), true};  // a row is a unit
  if (with_unit && !checked_.unit_column().empty()) {
    unit = relations_.unit(plan_.source, checked_.unit_table(), checked_.unit_column(), run.rows);
    if (checked_.members()) relations_.counts(unit, *checked_.members(), run.rows);
  }
  run.task.wide_unit = !unit.whole;
  run.task.groups_per_unit = plan_.bounds.groups_per_unit;
  run.task.rows_per_unit_and_group = plan_.bounds.rows_per_unit_and_group;
  run.task.keys = key_kinds();

  std::vector<RowField>& row = run.fields;
  if (with_unit) row.push_back({"unit", std::move(unit.sql), std::nullopt});
  for (std::size_t i = 0; i < plan_.keys.size(); ++i) {
    row.push_back(expressions_.field("k" + std::to_string(i), plan_.keys[i].expr));
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
        row.push_back(expressions_.field("c" + std::to_string(run.task.contents.size()), argument));
        run.task.contents.push_back(content);
      }
    }
    run.task.measures.push_back(std::move(measure));
  }
  run.rows.outputs = dialect_.outputs(row);
  return run;
}

BoundedRun PlanLowering::fields() const {
  BoundedRun run = bounded();
  // Who counts of a larger unit stays a matter of rows.
  if (!checked_.members()) run.rows.where = source(false).where;
  if (!checked_.listed()) return run;
  for (const Shape& shape : checked_.key_shapes()) {
    std::vector<Sql>& outcomes = run.listed.emplace_back();
    for (const policy::Value& value : *shape.outcomes) {
      outcomes.push_back(expressions_.constant(value, shape));
    }
  }
  return run;
}

// The integer z of a row (plan/lowering.h), or NULL.
Sql PlanLowering::integer(const Step& step, const ExpressionLowering& expressions) const {
  const IntegerMap map = map_of(step.lowered);
  const policy::Grid& grid = *step.shape.grid;
  Sql argument = expressions.lower(*step.measurement.argument);
  if (map.is_identity_on(steps_of(grid.low, grid), steps_of(grid.high, grid))) return argument;
  return dialect_.scaled(std::move(argument), map.formula(), grid);
}

Sql PlanLowering::aggregate(const Step& step, const ExpressionLowering& expressions) const {
  const auto& argument = step.measurement.argument;
  const Sql zero = dialect_.number(0, SqlType::kWide);
  switch (step.measurement.kind) {
    case MeasureKind::kUnits:
      break;
    case MeasureKind::kRows:
      if (argument) return Sql::call("count", {expressions.lower(*argument)});
      break;
    case MeasureKind::kDistinct:
      return expressions.count_distinct(*argument);
    case MeasureKind::kSum:
      return Sql::call("coalesce", {Sql::call("sum", {integer(step, expressions)}), zero});
    case MeasureKind::kSquares: {
      const Sql z = integer(step, expressions);
      return Sql::call("coalesce", {Sql::call("sum", {Sql::infix("*", {z, z})}), zero});
    }
    case MeasureKind::kQuantile:
      DISCREET_CHECK(false);
  }
  return Sql::count_rows();
}

std::vector<Sql> PlanLowering::pushed_keys(const ExpressionLowering& expressions) const {
  std::vector<Sql> keys;
  const std::vector<KeyKind> kinds = key_kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    Sql key = expressions.lower(plan_.keys[i].expr);
    if (kinds[i] == KeyKind::kCutText) {
      key = dialect_.first_characters(std::move(key), kKeyCharacters);
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

PushedRun PlanLowering::pushed(bool only_listed) const {
  PushedRun run{key_kinds(), {}, {}, {}};
  const Select rows = source(only_listed);
  Readings readings;
  const ExpressionLowering expressions(dialect_, plan_.source, checked_.policy(), schemas_,
                                       dialect_.reads_apart() ? &readings : nullptr);
  run.groups.outputs = pushed_keys(expressions);
  run.groups.group_by = run.groups.outputs.size();
  run.groups.outputs.push_back(dialect_.cast(Sql::count_rows(), SqlType::kSteps));
  std::vector<std::string> printed;  // of each tally's value
  for (std::size_t i = 0; i < checked_.steps().size(); ++i) {
    const Step& step = checked_.steps()[i];
    if (step.measurement.kind != MeasureKind::kQuantile) {
      run.groups.outputs.push_back(dialect_.cast(aggregate(step, expressions), SqlType::kWide));
      run.steps.push_back(i);
      continue;
    }
    Sql value = integer(step, expressions_);
    auto known = std::find(printed.begin(), printed.end(), value.print());
    auto tally = static_cast<std::size_t>(known - printed.begin());
    if (known == printed.end()) {
      printed.push_back(value.print());
      Select select = rows;
      select.outputs = pushed_keys(expressions_);
      select.where.push_back(Sql::postfix(value, "IS NOT NULL"));
      select.outputs.push_back(std::move(value));
      select.group_by = select.outputs.size();
      select.outputs.push_back(dialect_.cast(Sql::count_rows(), SqlType::kSteps));
      run.tallies.push_back({std::move(select), {}});
    }
    run.tallies[tally].steps.push_back(i);
  }
  if (readings.empty()) {
    run.groups.from = rows.from;
    run.groups.where = rows.where;
  } else {
    run.groups.from = {{readings.table(rows), Readings::kTable, {}}};
  }
  return run;
}

std::optional<CensusRun> PlanLowering::census() const {
  if (checked_.members()) return std::nullopt;
  const auto owners =
      relations_.owners(plan_.source, checked_.unit_table(), checked_.unit_column());
  if (!owners) return std::nullopt;
  constexpr std::size_t kListedMax = 10'000;
  const auto& listed = checked_.listed();
  const bool look_later = listed && listed->size() <= kListedMax;
  CensusRun run{owners->pairs, {}, {}, pushed(!look_later), {}, {}};
  if (look_later) {
    run.listed.emplace();
    for (const auto& tuple : *listed) {
      run.listed->insert(encode_key(tuple, checked_.key_shapes()));
    }
  }
  if (std::optional<Sql> counting = dialect_.census(owners->foreign)) {
    run.sums.groups.outputs.push_back(*std::move(counting));
  } else {
    run.fields.push_back({"owner", owners->foreign, std::nullopt});
    for (std::size_t i = 0; i < plan_.keys.size(); ++i) {
      run.fields.push_back(expressions_.field("k" + std::to_string(i), plan_.keys[i].expr));
    }
    run.rows = source(!look_later);
    run.rows->outputs = dialect_.outputs(run.fields);
  }
  for (std::size_t i = 0; i < checked_.steps().size(); ++i) {
    if (checked_.steps()[i].measurement.kind == MeasureKind::kUnits) run.unit_steps.push_back(i);
  }
  return run;
}

/// Rows that are units, and rows of two owners, are not bounded after the join.
bool is_bounded(const Checked& checked) {
  return !checked.unit_column().empty() && !checked.pair();
}

}  // namespace

LoweredPlan lower_plan(const Checked& checked, const Dialect& dialect, const Schemas& schemas) {
  return lower_plan(checked, CutFacts(), dialect, schemas);
}

LoweredPlan lower_plan(const Checked& checked, const CutFacts& facts, const Dialect& dialect,
                       const Schemas& schemas) {
  const PlanLowering lowering(checked, facts, dialect, schemas);
  LoweredPlan lowered;
  lowered.bounding_words = dialect.bounding_words();
  if (!is_bounded(checked)) {
    lowered.pushed = lowering.pushed();
  } else {
    lowered.census = lowering.census();
    lowered.bounded = lowering.bounded();
  }
  return lowered;
}

namespace {

/// FROM a table whose rows have owners, without rows of nobody; and whose they are.
std::pair<Select, Identifier> owned_rows(const std::string& table, const policy::Policy& policy,
                                         const Dialect& dialect, const Schemas& schemas) {
  const plan::JoinedRows no_cuts;
  const CutFacts no_facts;
  const plan::Source source{{{table, "", {}}}};
  const RelationLowering relations(dialect, policy, schemas, no_cuts, no_facts);
  Select rows = relations.source(source, {}, {});
  Identifier unit = relations.unit(source, 0, plan::unit_column_of(source.tables[0], policy), rows);
  return {std::move(rows), std::move(unit)};
}

}  // namespace

Select rows_of_nobody(const std::string& table, const policy::Policy& policy,
                      const Dialect& dialect, const Schemas& schemas) {
  Select owned = owned_rows(table, policy, dialect, schemas).first;
  owned.outputs = {Sql::as(Sql::count_rows(), "n")};
  Select all;
  all.outputs = owned.outputs;
  all.from = {{Sql::name(schemas.at(table).name), "t0", {}}};
  Select difference;
  difference.outputs = {Sql::infix("-", {Sql::name({"a", "n"}), Sql::name({"o", "n"})})};
  difference.from = {{Sql::subquery(all), "a", {}},
                     {Sql::subquery(owned), "o", {Sql::truth(true)}}};
  return difference;
}

Select most_and_nobody(const std::string& table, const policy::Policy& policy,
                       const Dialect& dialect, const Schemas& schemas) {
  auto [units, unit] = owned_rows(table, policy, dialect, schemas);
  units.outputs = {Sql::as(unit.sql, "unit"), Sql::as(Sql::count_rows(), "n")};
  units.group_by = 1;
  Select owned;
  for (const Word of : {Word("max"), Word("sum")}) {
    const Sql number =
        Sql::call("coalesce", {Sql::call(of, {Sql::name({"g", "n"})}), dialect.number(0)});
    owned.outputs.push_back(Sql::as(dialect.cast(number, SqlType::kSteps), of.text));
  }
  owned.from = {{Sql::subquery(units), "g", {}}};
  Select all;
  all.outputs = {Sql::as(Sql::count_rows(), "n")};
  all.from = {{Sql::name(schemas.at(table).name), "t0", {}}};
  Select both;
  both.outputs = {Sql::name({"o", "max"}),
                  Sql::infix("-", {Sql::name({"a", "n"}), Sql::name({"o", "sum"})})};
  both.from = {{Sql::subquery(all), "a", {}}, {Sql::subquery(owned), "o", {Sql::truth(true)}}};
  return both;
}

Select units_above(const std::string& table, std::int64_t rows, const policy::Policy& policy,
                   const Dialect& dialect, const Schemas& schemas) {
  auto [units, unit] = owned_rows(table, policy, dialect, schemas);
  units.outputs = {Sql::as(unit.sql, "unit"), Sql::as(Sql::count_rows(), "n")};
  units.group_by = 1;
  Select above;
  above.outputs = {dialect.cast(Sql::name({"g", "unit"}), SqlType::kText)};
  above.from = {{Sql::subquery(units), "g", {}}};
  above.where = {Sql::infix(">", {Sql::name({"g", "n"}), dialect.number(rows)})};
  return above;
}

BoundedRun lower_rows(const Checked& checked, const Dialect& dialect, const Schemas& schemas,
                      const CutFacts& facts) {
  return PlanLowering(checked, facts, dialect, schemas).bounded();
}

BoundedRun lower_fields(const Checked& checked, const Dialect& dialect, const Schemas& schemas) {
  const CutFacts no_facts;
  const PlanLowering lowering(checked, no_facts, dialect, schemas);
  return is_bounded(checked) ? lowering.fields() : lowering.bounded(false);
}

std::string LoweredPlan::print() const {
  std::string out;
  if (census) {
    out = census->owners.print() + ";\n";
    if (census->rows) out += census->rows->print() + ";\n";
    out += census->rows ? "-- counted by unit and group; where" : "-- if";
    out += " no unit has more than its bounds allow:\n" + census->sums.groups.print() + ";\n";
    for (const TallyQuery& tally : census->sums.tallies) out += tally.select.print() + ";\n";
    out += "-- otherwise:\n";
  }
  if (bounded) {
    out += bounded->rows.print() + ";\n-- " + bounding_words + "of every unit at most " +
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

}  // namespace discreet::engine::lowering
