// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/fold.h"

#include <utility>

#include "base/check.h"
#include "plan/local_group.h"

namespace discreet::engine::lowering {
namespace {

using plan::Field;
using plan::Fold;
using plan::Shape;

/// NULL stays NULL. Of wide numbers, as steps.
Sql into_range(const Sql& value, const plan::Grid& grid, const Dialect& dialect) {
  const Sql low = dialect.number(whole_of(grid.low / grid.step), SqlType::kWide);
  const Sql high = dialect.number(whole_of(grid.high / grid.step), SqlType::kWide);
  return dialect.cast(Sql::choose({Sql::infix("<", {value, low}), low,
                                   Sql::infix(">", {value, high}), high, value}),
                      SqlType::kSteps);
}

/// round(sum * factor / count), halves away from zero. A group that has a sum has rows.
Sql mean(const Sql& sum, const Sql& count, Int128 factor, const Dialect& dialect) {
  const Sql zero = dialect.number(0, SqlType::kWide);
  const Sql two = dialect.number(2, SqlType::kWide);
  const Sql twice = Sql::infix("*", {sum, dialect.number(2 * factor, SqlType::kWide)});
  const Sql below = Sql::infix("*", {count, two});
  const auto nearest = [&](const Sql& above) {
    return dialect.divided(Sql::infix("+", {above, count}), below, SqlType::kWide);
  };
  return dialect.cast(
      Sql::choose({Sql::infix("<", {sum, zero}), Sql::prefix("-", nearest(Sql::prefix("-", twice))),
                   nearest(twice)}),
      SqlType::kSteps);
}

}  // namespace

FoldedField fold_field(const Field& field, const std::string& called, const Shape& to,
                       const ExpressionLowering& expressions) {
  const Dialect& dialect = expressions.dialect();
  const Sql name = Sql::name({"g", called});
  FoldedField out{{}, name};
  const auto add = [&](Sql aggregate, const std::string& as) {
    out.aggregates.push_back(Sql::as(std::move(aggregate), as));
  };
  const auto wide = [&](Sql sql) { return dialect.cast(std::move(sql), SqlType::kWide); };
  std::optional<Shape> argument;
  if (field.expr) argument = expressions.shape(*field.expr);
  const Shape own = plan::shape_of_fold(field, argument).value();
  switch (field.fold) {
    case Fold::kRows:
      add(wide(field.expr ? Sql::call("count", {expressions.lower(*field.expr)})
                          : Sql::count_rows()),
          called);
      break;
    case Fold::kDistinct:
      add(wide(expressions.count_distinct(*field.expr)), called);
      break;
    case Fold::kSum:
      add(wide(Sql::call("sum", {expressions.lower(*field.expr)})), called);
      break;
    case Fold::kLeast:
      add(Sql::call("min", {expressions.lower(*field.expr)}), called);
      break;
    case Fold::kGreatest:
      add(Sql::call("max", {expressions.lower(*field.expr)}), called);
      break;
    case Fold::kMean: {
      const std::string count = "~n~" + called;
      const Sql lowered = expressions.lower(*field.expr);
      add(wide(Sql::call("sum", {lowered})), called);
      add(wide(Sql::call("count", {lowered})), count);
      const Int128 factor = whole_of(argument->grid->step / own.grid->step);
      out.value = mean(name, Sql::name({"g", count}), factor, dialect);
      break;
    }
    case Fold::kValue:
    case Fold::kIdentifier:
      DISCREET_CHECK(false);
  }
  if (field.grid) out.value = into_range(name, *own.grid, dialect);
  if (to.grid && own.grid && to.grid->step != own.grid->step && !is_nought(*own.grid)) {
    out.value =
        Sql::infix("*", {out.value, dialect.number(whole_of(own.grid->step / to.grid->step))});
  }
  return out;
}

Select grouped(Select rows, const std::vector<GroupKey>& keys, const plan::TableUse& use,
               const plan::Part& part, bool shows_unit, const std::vector<FoldedField>& folded,
               const Dialect& dialect) {
  Select outside;
  if (shows_unit) outside.outputs.push_back(Sql::name({"g", plan::kUnitField}));
  std::size_t next = 0;
  for (const Field& field : part.fields) {
    const bool is_key = field.fold == Fold::kValue || field.fold == Fold::kIdentifier;
    const std::string name = sql_name(use, field.name);
    outside.outputs.push_back(is_key ? Sql::name({"g", name})
                                     : Sql::as(folded[next++].value, name));
  }
  std::vector<Sql> texts;
  std::vector<Sql> numbers;
  for (const GroupKey& key : keys) {
    const bool is_text = key.kind == GroupKey::Kind::kText;
    std::optional<Sql> named = is_text ? dialect.named(key.value) : std::nullopt;
    if (named) {  // any of the group's texts, which are equal
      rows.group_more.push_back(*std::move(named));
      texts.push_back(Sql::as(Sql::call("any_value", {key.value}), key.called));
      continue;
    }
    if (key.kind == GroupKey::Kind::kNumber) numbers.push_back(key.value);
    rows.outputs.push_back(Sql::as(key.value, key.called));
  }
  rows.group_by = rows.outputs.size();
  if (!numbers.empty()) {
    if (std::optional<Sql> keyed = dialect.keyed(std::move(numbers))) {
      rows.group_more.push_back(*std::move(keyed));
    }
  }
  rows.outputs.insert(rows.outputs.end(), texts.begin(), texts.end());
  for (const FoldedField& fold : folded) {
    rows.outputs.insert(rows.outputs.end(), fold.aggregates.begin(), fold.aggregates.end());
  }
  outside.from = {{Sql::subquery(rows), "g", {}}};
  return outside;
}

}  // namespace discreet::engine::lowering
