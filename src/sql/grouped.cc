// SPDX-License-Identifier: Apache-2.0
#include "sql/grouped.h"

#include <algorithm>
#include <utility>

#include "plan/grid.h"
#include "plan/identity.h"
#include "plan/locality.h"
#include "sql/aggregates.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::Field;
using plan::Fold;
using plan::Grid;
using plan::Part;
using policy::Type;

const char* const kKnown = "a subquery has the aggregates COUNT, SUM, AVG, MIN and MAX";

struct GroupKey {
  std::optional<Expr> expr;  ///< what expressions read
  Found found;               ///< of a column
  Visible column;            ///< its fields in the grouped part
};

class GroupBinder final : public Replacements {
 public:
  GroupBinder(const Node& select, const Scope& scope, Part rows, std::string alias)
      : select_(select),
        scope_(scope),
        rows_(scope),
        alias_(std::move(alias)),
        part_(std::move(rows)) {
    part_.grouped = true;
  }

  Result<Relation> run();
  Result<std::optional<Typed>> replace(const Node& node) const override;

 private:
  Result<void> bind_keys();
  Result<void> add_key(const Node& node);
  Result<Typed> fold(const Node& node) const;
  Result<Field> fold_field(const Call& call, Type& type) const;
  Result<Expr> argument(const Call& call, plan::Shape& shape) const;
  Result<Grid> number_range(const Call& call) const;
  Result<Grid> sum_range(const Call& call, const plan::Shape& shape) const;
  Result<std::int64_t> rows_most() const;
  const GroupKey* key_of(const Node& node) const;
  Error error(Code code, Place place, const std::string& message) const {
    return scope_.text().error(code, place, message);
  }

  const Node& select_;
  const Scope& scope_;
  Rows rows_;
  std::string alias_;
  mutable Part part_;
  std::vector<GroupKey> keys_;
};

Result<void> GroupBinder::add_key(const Node& node) {
  if (has_aggregate(node)) {
    return error(Code::kInvalidInput, node.place(), "an aggregate cannot be grouped by");
  }
  GroupKey key;
  const std::string name = "k" + std::to_string(keys_.size());
  if (node.is("ColumnRef")) {
    DISCREET_ASSIGN(key.found, scope_.find(node));
    key.column = {"", key.found.name, "", "", key.found.type};
    if (!key.found.value.empty()) key.expr = Expr::column(key.found.table, key.found.value);
    if (!key.found.identifier.empty()) {
      key.column.identifier = key.found.value.empty() ? key.found.name : key.found.name + " key";
      part_.fields.push_back({key.column.identifier,
                              Fold::kIdentifier,
                              Expr::column(key.found.table, key.found.identifier),
                              {}});
    }
    if (key.expr) key.column.value = key.found.name;
  } else {
    DISCREET_ASSIGN(Typed value, rows_.bind(node));
    if (value.is_literal()) {
      return error(Code::kInvalidInput, node.place(), "a constant cannot be grouped by");
    }
    key.column = {"", name, name, "", value.type};
    key.expr = std::move(value.expr);
  }
  if (key.expr) {
    if (plan::find_field(part_, key.column.value) != nullptr) key.column.value += " " + name;
    part_.fields.push_back({key.column.value, Fold::kValue, key.expr, {}});
  }
  keys_.push_back(std::move(key));
  return {};
}

Result<void> GroupBinder::bind_keys() {
  const std::vector<Node> targets = select_.list("targetList");
  for (const Node& node : select_.list("groupClause")) {
    Node meant = node;
    if (node.is("GroupingSet")) {
      return error(Code::kUnsupported, node.place(),
                   "GROUPING SETS, ROLLUP and CUBE are not supported");
    }
    if (node.is("A_Const") && node.has("ival")) {
      const std::int64_t ordinal = node.part("ival").number("ival");
      if (ordinal < 1 || ordinal > static_cast<std::int64_t>(targets.size())) {
        return error(Code::kInvalidInput, node.place(),
                     "there is no column " + std::to_string(ordinal) + " in SELECT");
      }
      meant = targets[static_cast<std::size_t>(ordinal - 1)].child("val");
    } else if (node.is("ColumnRef") && !scope_.knows(node.names("fields"))) {
      for (const Node& target : targets) {
        if (std::vector{target.text("name")} == node.names("fields")) meant = target.child("val");
      }
    }
    DISCREET_TRY(add_key(meant));
  }
  const Place place = targets.empty() ? Place{} : targets.front().place();
  return check_has_unit(part_, scope_, "GROUP BY", place);
}

const GroupKey* GroupBinder::key_of(const Node& node) const {
  std::optional<Found> found;
  std::optional<Expr> expr;
  if (node.is("ColumnRef")) {
    if (const auto column = scope_.find(node)) found = *column;
  } else if (const auto value = rows_.bind(node)) {
    expr = value->expr;
  }
  for (const GroupKey& key : keys_) {
    const bool same_column = found && key.found.table == found->table && !key.found.name.empty() &&
                             key.found.name == found->name;
    if (same_column || (expr && key.expr == expr)) return &key;
  }
  return nullptr;
}

Result<std::optional<Typed>> GroupBinder::replace(const Node& node) const {
  if (node.is("A_Const")) return std::optional<Typed>();
  if (node.is("FuncCall") && is_aggregate(function_name(node))) {
    DISCREET_ASSIGN(Typed folded, fold(node));
    return std::optional(std::move(folded));
  }
  if (!has_aggregate(node)) {
    const GroupKey* const key = key_of(node);
    if (key != nullptr && key->column.value.empty()) {
      return error(Code::kRefused, node.place(),
                   "what tells whose row it is can be selected and joined on, nothing else");
    }
    if (key != nullptr) {
      return std::optional(
          Typed{Expr::column(0, key->column.value), key->column.type, node.place()});
    }
  }
  if (node.is("ColumnRef")) {
    return error(Code::kInvalidInput, node.place(),
                 "a column of a grouped subquery must be in its GROUP BY or inside an aggregate");
  }
  return std::optional<Typed>();
}

// How many rows of a unit its tables' bounds let count.
Result<std::int64_t> GroupBinder::rows_most() const {
  DISCREET_ASSIGN(const plan::Locality locality,
                  plan::locality_of(part_.source, scope_.policy(), 1));
  constexpr std::int64_t kMost = 1'000'000;
  if (locality.is_public()) return kMost;
  const auto& bounds = locality.bounds;
  return std::min(kMost, bounds.groups_per_unit * bounds.rows_per_unit_and_group);
}

Result<Grid> GroupBinder::number_range(const Call& call) const {
  DISCREET_ASSIGN(std::optional<BoundsPair> bounds, read_bounds(call, rows_, scope_.text()));
  if (scope_.context().dialect->count_races.contains(call.place.value_or(0))) {
    return no_private_choice(scope_.text(), call.place);
  }
  const auto& stars = scope_.context().dialect->count_bounds;
  if (const auto star = stars.find(call.place.value_or(0)); star != stars.end()) {
    bounds = star->second;
  }
  if (bounds) {
    const bool whole = bounds->low.denominator() == 1 && bounds->high.denominator() == 1;
    if (!whole || bounds->low.sign() < 0 || bounds->high > Rational(1'000'000'000)) {
      return error(Code::kInvalidInput, bounds->place, "the bounds of a COUNT are whole numbers");
    }
    return Grid{bounds->low, bounds->high, 1};
  }
  DISCREET_ASSIGN(const std::int64_t most, rows_most());
  scope_.context().notes->push_back(
      "a count in a subquery goes up to " + std::to_string(most) +
      ", by the policy's bounds; COUNT(x, contribution_bounds_per_group => (0, n)) sets others");
  return Grid{0, most, 1};
}

Result<Grid> GroupBinder::sum_range(const Call& call, const plan::Shape& shape) const {
  DISCREET_ASSIGN(const std::optional<BoundsPair> bounds, read_bounds(call, rows_, scope_.text()));
  if (!shape.grid) {
    return error(Code::kInvalidInput, call.place, "SUM needs numbers");
  }
  const Rational& step = shape.grid->step;
  if (bounds) {
    return Grid{Rational((bounds->low / step).floor()) * step,
                Rational((bounds->high / step).ceil()) * step, step};
  }
  if (!shape.declared) {
    return error(Code::kRefused, call.place,
                 "the policy declares no range for this; write SUM(..., "
                 "contribution_bounds_per_group => (low, high))");
  }
  DISCREET_ASSIGN(const std::int64_t most, rows_most());
  const Grid grid = {std::min(shape.grid->low, Rational(0)) * Rational(most),
                     std::max(shape.grid->high, Rational(0)) * Rational(most), step};
  scope_.context().notes->push_back("a sum in a subquery lies between " + grid.low.to_string() +
                                    " and " + grid.high.to_string() +
                                    ", by the policy's bounds; SUM(x, "
                                    "contribution_bounds_per_group => (low, high)) sets others");
  return grid;
}

Result<Expr> GroupBinder::argument(const Call& call, plan::Shape& shape) const {
  DISCREET_ASSIGN(Typed value, rows_.bind(call.args.front()));
  if (call.filter) {
    DISCREET_ASSIGN(Typed kept, rows_.condition(call.filter));
    const Expr null = Expr::literal({{}, value.type});
    value.expr = Expr::of(plan::Op::kCase, {std::move(kept.expr), std::move(value.expr), null});
  }
  DISCREET_ASSIGN(shape, rows_.shape(value, plan::Use::kAggregate));
  return std::move(value.expr);
}

Result<Field> GroupBinder::fold_field(const Call& call, Type& type) const {
  Field field;
  type = Type::kInteger;
  plan::Shape shape;
  const bool one = call.args.size() == 1 && !call.star && !call.within;
  if (call.name == "count") {
    const bool constant = one && call.args.front().is("A_Const") && !call.distinct;
    if (!one && !call.star) return error(Code::kInvalidInput, call.place, "write COUNT(x)");
    field.fold = call.distinct ? Fold::kDistinct : Fold::kRows;
    if ((call.star || constant) && call.filter) {
      DISCREET_ASSIGN(Typed kept, rows_.condition(call.filter));
      field.expr =
          Expr::of(plan::Op::kCase, {std::move(kept.expr), Expr::literal({true, Type::kBoolean}),
                                     Expr::literal({{}, Type::kBoolean})});
    } else if (!call.star && !constant) {
      DISCREET_ASSIGN(field.expr, argument(call, shape));
    }
    DISCREET_ASSIGN(field.grid, number_range(call));
    return field;
  }
  if (!one || call.distinct) {
    return error(Code::kUnsupported, call.place, "write " + call.name + "(x); " + kKnown);
  }
  DISCREET_ASSIGN(field.expr, argument(call, shape));
  type = shape.type;
  if (call.name == "sum") {
    field.fold = Fold::kSum;
    DISCREET_ASSIGN(field.grid, sum_range(call, shape));
  } else if (call.name == "avg") {
    field.fold = Fold::kMean;
    type = Type::kDecimal;
  } else if (call.name == "min") {
    field.fold = Fold::kLeast;
  } else if (call.name == "max") {
    field.fold = Fold::kGreatest;
  } else {
    return error(Code::kUnsupported, call.place, kKnown);
  }
  return field;
}

Result<Typed> GroupBinder::fold(const Node& node) const {
  DISCREET_ASSIGN(const Call call, read_call(node, scope_.text()));
  Type type = Type::kInteger;
  DISCREET_ASSIGN(Field field, fold_field(call, type));
  for (const Field& known : part_.fields) {  // asked for twice, computed once
    field.name = known.name;
    if (known == field) return Typed{Expr::column(0, known.name), type, call.place};
  }
  field.name = "a" + std::to_string(part_.fields.size()) + " " + call.name;
  plan::TableUse use;
  use.parts = {part_};
  use.parts.front().fields = {field};
  const plan::Source one{{use}};
  auto shape =
      plan::shape_of(Expr::column(0, field.name), one, scope_.policy(), plan::Use::kChecked);
  if (!shape) return error(shape.error().code, call.place, shape.error().message);
  part_.fields.push_back(field);
  return Typed{Expr::column(0, field.name), type, call.place};
}

Result<Relation> GroupBinder::run() {
  if (select_.has("distinctClause")) {
    return Error{Code::kUnsupported, "DISTINCT beside GROUP BY is not supported; leave it out"};
  }
  DISCREET_TRY(bind_keys());
  Relation out;
  Part shown;  // over the groups
  // While targets are bound folds are added to part_; what they refer to is its fields.
  const auto visible = [&](const std::string& name, std::string value, std::string identifier,
                           Type type) {
    out.columns.push_back({alias_, name, std::move(value), std::move(identifier), type});
  };
  bool is_plain = !select_.child("havingClause");
  const Rows over(scope_, this);
  for (const Node& target : select_.list("targetList")) {
    const Node value = target.child("val");
    const std::string name = target.text("name").empty() ? output_name(value) : target.text("name");
    const GroupKey* const key = value.is("ColumnRef") ? key_of(value) : nullptr;
    if (key != nullptr) {
      visible(name, key->column.value, key->column.identifier, key->column.type);
      continue;
    }
    DISCREET_ASSIGN(Typed bound, over.bind(value));
    if (bound.expr.op == plan::Op::kColumn) {
      visible(name, bound.expr.name, "", bound.type);
      continue;
    }
    is_plain = false;
    const std::string field = "e" + std::to_string(out.columns.size());
    shown.fields.push_back({field, Fold::kValue, std::move(bound.expr), {}});
    visible(name, field, "", bound.type);
  }
  if (const Node having = select_.child("havingClause")) {
    DISCREET_ASSIGN(Typed condition, over.condition(having));
    shown.filter = std::move(condition.expr);
  }
  if (is_plain) {  // fields under the names that people gave
    for (Visible& column : out.columns) {
      const bool is_fold = column.identifier.empty() && column.value.starts_with('a') &&
                           column.value.find(' ') != std::string::npos;
      if (!is_fold || plan::find_field(part_, column.name) != nullptr) continue;
      for (Field& field : part_.fields) {
        if (field.name == column.value) field.name = column.name;
      }
      const std::string before = column.value;
      for (Visible& same : out.columns) {
        if (same.value == before) same.value = column.name;
      }
    }
    out.parts = {part_};
    return out;
  }
  for (const Field& field : part_.fields) {
    const Fold as = field.fold == Fold::kIdentifier ? Fold::kIdentifier : Fold::kValue;
    shown.fields.push_back({field.name, as, Expr::column(0, field.name), {}});
  }
  plan::TableUse groups;
  groups.alias = "groups";
  groups.parts = {part_};
  shown.source.tables = {std::move(groups)};
  out.parts = {std::move(shown)};
  return out;
}

}  // namespace

bool is_grouped(const Node& select) {
  if (!select.list("groupClause").empty() || select.child("havingClause")) return true;
  return std::ranges::any_of(select.list("targetList"),
                             [](const Node& target) { return has_aggregate(target.child("val")); });
}

Result<Relation> bind_grouped(const Node& select, const Scope& scope, Part rows,
                              const std::string& alias) {
  return GroupBinder(select, scope, std::move(rows), alias).run();
}

}  // namespace discreet::sql
