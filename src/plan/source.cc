// SPDX-License-Identifier: Apache-2.0
#include "plan/source.h"

#include <algorithm>

#include "base/suggest.h"
#include "plan/identity.h"
#include "plan/local_join.h"
#include "plan/shape.h"
#include "plan/shape_rules.h"

namespace discreet::plan {
namespace {

constexpr std::size_t kTablesMax = 16;
constexpr std::int64_t kBoundMax = 1'000'000;

// Fields of subqueries are in steps of their own: comparable if the steps are the same.
Result<void> check_fields(const Expr& equality, const Source& source,
                          const policy::Policy& policy) {
  std::vector<Shape> sides;
  for (const Expr& side : equality.args) {
    DISCREET_ASSIGN(Shape shape, shape_of(side, source, policy, Use::kFilter));
    sides.push_back(std::move(shape));
  }
  const auto step = [](const Shape& shape) { return shape.grid ? shape.grid->step : Rational(0); };
  if (sides[0].type != sides[1].type || step(sides[0]) != step(sides[1])) {
    return invalid_input("a join compares fields of one type and step; compare others in WHERE");
  }
  return {};
}

Result<void> check_on(const Source& source, std::size_t index, const JoinOn& on,
                      const policy::Policy& policy) {
  if (on.left_table >= index) return invalid_input("a join refers to a table before it");
  const TableUse& left = source.tables[on.left_table];
  const TableUse& right = source.tables[index];
  if (left.join == JoinKind::kSemi || left.join == JoinKind::kAnti) {
    return invalid_input("what EXISTS looks at cannot be joined to");
  }
  if (shares_identity(left, on.left, right, on.right, policy)) return {};
  // Any other equality must be one that the question could also ask in its WHERE.
  const Expr equality =
      Expr::of(Op::kEqual, {Expr::column(on.left_table, on.left), Expr::column(index, on.right)});
  DISCREET_TRY(shape_of_join(equality, source, index, policy));
  if (left.is_subquery() != right.is_subquery()) {
    return invalid_input("a table's column and a subquery's field are compared in WHERE");
  }
  if (left.is_subquery()) {
    Source two{{left, right}};
    two.tables[0].join = two.tables[1].join = JoinKind::kInner;
    return check_fields(Expr::of(Op::kEqual, {Expr::column(0, on.left), Expr::column(1, on.right)}),
                        two, policy);
  }
  return {};
}

Result<void> check_shape(const Source& source, std::size_t index, const policy::Policy& policy) {
  const TableUse& use = source.tables[index];
  if (index == 0 && (!use.on.empty() || use.condition || use.join != JoinKind::kInner)) {
    return invalid_input("the first table has nothing to join to");
  }
  if (index > 0 && use.on.empty() && !use.condition) {
    return Error{Code::kUnsupported,
                 "table " + in_quotes(name_of(use)) + " is joined without a condition; add ON"};
  }
  if (use.join != JoinKind::kInner && !use.is_subquery()) {
    return invalid_input("a join that is not an inner join takes a subquery");
  }
  for (const JoinOn& on : use.on) DISCREET_TRY(check_on(source, index, on, policy));
  if (!use.condition) return {};
  DISCREET_ASSIGN(const Shape shape, shape_of_join(*use.condition, source, index, policy));
  if (shape.type != Type::kBoolean) return invalid_input("ON needs a condition");
  return {};
}

Result<std::vector<Locality>> localities(const Source& source, const policy::Policy& policy,
                                         int depth) {
  if (source.tables.empty()) return invalid_input("a question needs a FROM");
  if (source.tables.size() > kTablesMax) {
    return Error{Code::kUnsupported, "at most 16 tables can be joined"};
  }
  std::vector<Locality> all;
  for (std::size_t i = 0; i < source.tables.size(); ++i) {
    DISCREET_ASSIGN(Locality one, locality_of(source.tables[i], policy, depth));
    if (one.row_is_unit && (source.tables.size() > 1 || depth > 0)) {
      return Error{Code::kUnsupported,
                   "each row of table " + in_quotes(name_of(source.tables[i])) +
                       " is a unit of its own; such tables cannot be joined or stand in a "
                       "subquery"};
    }
    all.push_back(std::move(one));
    DISCREET_TRY(check_shape(source, i, policy));
  }
  return all;
}

Result<Locality> joined(const Source& source, const std::vector<Locality>& tables,
                        const policy::Policy& policy) {
  Locality all = tables.front();
  for (std::size_t i = 1; i < tables.size(); ++i) {
    DISCREET_ASSIGN(all, join_local(source, i, all, tables, tables[i], policy));
  }
  return all;
}

}  // namespace

Result<Locality> locality_of(const Source& source, const policy::Policy& policy, int depth) {
  if (is_pair(source)) {
    return Error{Code::kUnsupported,
                 "a join of two people's rows cannot stand in a subquery; ask it directly"};
  }
  DISCREET_ASSIGN(const std::vector<Locality> tables, localities(source, policy, depth));
  return joined(source, tables, policy);
}

Result<Owner> check_source(const Source& source, const policy::Policy& policy) {
  DISCREET_ASSIGN(const std::vector<Locality> tables, localities(source, policy, 0));
  Owner owner;
  Locality all = tables.front();
  if (is_pair(source)) {
    DISCREET_ASSIGN(owner.pair, check_pair(source, tables, policy));
    owner.units_max = owner.pair->rows_max;
  } else {
    DISCREET_ASSIGN(all, joined(source, tables, policy));
    owner.units_max = all.units_max;
  }
  if (all.is_public()) {
    return Error{Code::kUnsupported,
                 "only public tables are asked about: they need no privacy; read them directly"};
  }
  const auto units = policy.units.find(all.space);
  if (units == policy.units.end()) {
    return Error{Code::kRefused, "the policy declares no units " + in_quotes(all.space)};
  }
  owner.space = units->first;
  owner.units = &units->second;
  owner.bounds = all.bounds;
  owner.row_is_unit = all.row_is_unit;
  owner.rows_max = all.rows_max;
  owner.unit_table = *unit_table_of(source, policy);
  owner.unit_column = unit_column_of(source.tables[owner.unit_table], policy);
  return owner;
}

Result<policy::ContributionBounds> bounds_of(const Plan& plan, const Owner& owner,
                                             const std::optional<Integer>& keys) {
  policy::ContributionBounds bounds = plan.bounds.declared ? plan.bounds : owner.bounds;
  bounds.declared = true;
  for (const std::int64_t bound : {bounds.groups_per_unit, bounds.rows_per_unit_and_group}) {
    if (bound < 1 || bound > kBoundMax) {
      return invalid_input("bounds on what a unit contributes must lie between 1 and 1000000");
    }
  }
  if (owner.pair) return policy::ContributionBounds{1, owner.pair->rows, true};
  if (owner.row_is_unit) return policy::ContributionBounds{1, 1, true};
  if (owner.rows_max) {
    bounds.groups_per_unit = std::min(bounds.groups_per_unit, *owner.rows_max);
    bounds.rows_per_unit_and_group = std::min(bounds.rows_per_unit_and_group, *owner.rows_max);
  }
  if (keys && *keys < bounds.groups_per_unit) bounds.groups_per_unit = keys->get_si();
  return bounds;
}

}  // namespace discreet::plan
