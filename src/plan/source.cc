// SPDX-License-Identifier: Apache-2.0
#include "plan/source.h"

#include <algorithm>

#include "base/suggest.h"
#include "plan/shape.h"
#include "plan/shape_rules.h"

namespace discreet::plan {
namespace {

constexpr std::size_t kTablesMax = 16;
constexpr std::int64_t kBoundMax = 1'000'000;

using policy::Table;
using policy::UnitPath;

// What a row's owner is after its first step: the path of the table that the step leads to.
bool same_owner(const UnitPath& from, const UnitPath& to) {
  return from.space == to.space && from.column == to.column && !to.row_is_unit &&
         std::equal(from.steps.begin() + 1, from.steps.end(), to.steps.begin(), to.steps.end());
}

// Whether `from`.`column` = `to`.`key` is the first step of from's path, so that both rows have the
// owner of the row of `to`.
bool is_step(const Table& from, const std::string& column, const Table& to,
             const std::string& key) {
  if (!from.unit || !to.unit || from.unit->steps.empty()) return false;
  const UnitPath::Step& step = from.unit->steps.front();
  return step.column == column && step.table == to.name && step.key == key &&
         same_owner(*from.unit, *to.unit);
}

bool is_unit_column(const Table& table, const std::string& column) {
  return table.unit && table.unit->steps.empty() && !table.unit->row_is_unit &&
         table.unit->column == column;
}

bool shares_owner(const Table& left, const std::string& left_column, const Table& right,
                  const std::string& right_column) {
  return (is_unit_column(left, left_column) && is_unit_column(right, right_column)) ||
         is_step(left, left_column, right, right_column) ||
         is_step(right, right_column, left, left_column);
}

class Joins {
 public:
  Joins(const Source& source, const policy::Policy& policy) : source_(source), policy_(policy) {}

  Result<void> load();
  Result<void> check() const;
  const std::vector<const Table*>& tables() const { return tables_; }

 private:
  Result<void> check_on(std::size_t index, const JoinOn& on) const;
  Result<void> check_owner(std::size_t index) const;
  std::string ways(const Table& table, std::size_t before) const;

  const Source& source_;
  const policy::Policy& policy_;
  std::vector<const Table*> tables_;
};

Result<void> Joins::load() {
  if (source_.tables.empty()) return invalid_input("a question needs a FROM");
  if (source_.tables.size() > kTablesMax) {
    return Error{Code::kUnsupported, "at most 16 tables can be joined"};
  }
  for (const TableUse& use : source_.tables) {
    const Table* const table = policy_.find(use.table);
    if (table == nullptr) return undeclared_table(use.table, policy_);
    tables_.push_back(table);
  }
  return {};
}

Result<void> Joins::check_on(std::size_t index, const JoinOn& on) const {
  if (on.left_table >= index) return invalid_input("a join refers to a table before it");
  const Table& left = *tables_[on.left_table];
  const Table& right = *tables_[index];
  if (shares_owner(left, on.left, right, on.right)) return {};
  // Any other equality must be one that the question could also ask in its WHERE.
  const Expr equality =
      Expr::of(Op::kEqual, {Expr::column(on.left_table, on.left), Expr::column(index, on.right)});
  DISCREET_TRY(shape_of(equality, source_, policy_, Use::kFilter));
  return {};
}

std::string Joins::ways(const Table& table, std::size_t before) const {
  std::vector<std::string> known;
  const auto propose = [&](const Table& a, const std::string& x, const Table& b,
                           const std::string& y) {
    if (shares_owner(a, x, b, y)) known.push_back(a.name + "." + x + " = " + b.name + "." + y);
  };
  for (std::size_t i = 0; i < before; ++i) {
    const Table& other = *tables_[i];
    if (!other.unit) continue;
    propose(other, other.unit->column, table, table.unit->column);
    if (!table.unit->steps.empty()) {
      propose(table, table.unit->steps[0].column, other, table.unit->steps[0].key);
    }
    if (!other.unit->steps.empty()) {
      propose(other, other.unit->steps[0].column, table, other.unit->steps[0].key);
    }
  }
  return known.empty() ? "the policy declares no way to join it to these tables"
                       : "join it on " + one_of(known);
}

// Every private table but the first is tied to an earlier one by an equality of owners, so that by
// induction all rows of a joined row have one owner.
Result<void> Joins::check_owner(std::size_t index) const {
  const Table& table = *tables_[index];
  if (table.is_public()) return {};
  const bool first = std::all_of(tables_.begin(), tables_.begin() + static_cast<long>(index),
                                 [](const Table* t) { return t->is_public(); });
  if (first) return {};
  const auto& on = source_.tables[index].on;
  const bool tied = std::any_of(on.begin(), on.end(), [&](const JoinOn& join) {
    return shares_owner(*tables_[join.left_table], join.left, table, join.right);
  });
  if (tied) return {};
  return Error{Code::kRefused, "the join with table " + in_quotes(table.name) +
                                   " could put rows of two people together; " + ways(table, index)};
}

Result<void> Joins::check() const {
  const Table* first_private = nullptr;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const TableUse& use = source_.tables[i];
    if (i == 0 && !use.on.empty()) return invalid_input("the first table has nothing to join to");
    if (i > 0 && use.on.empty()) {
      return Error{Code::kUnsupported,
                   "table " + in_quotes(use.table) + " is joined without a condition; add ON"};
    }
    for (const JoinOn& on : use.on) DISCREET_TRY(check_on(i, on));
    const Table& table = *tables_[i];
    if (table.is_public()) continue;
    if (table.unit->row_is_unit && tables_.size() > 1) {
      return Error{Code::kUnsupported, "each row of table " + in_quotes(table.name) +
                                           " is a unit of its own; such tables cannot be joined"};
    }
    if (first_private == nullptr) first_private = &table;
    if (table.unit->space != first_private->unit->space) {
      return Error{Code::kRefused, "tables " + in_quotes(first_private->name) + " and " +
                                       in_quotes(table.name) +
                                       " protect different units and cannot be joined"};
    }
    DISCREET_TRY(check_owner(i));
  }
  if (first_private == nullptr) {
    return Error{Code::kUnsupported,
                 "only public tables are asked about: they need no privacy; read them directly"};
  }
  return {};
}

}  // namespace

Result<Owner> check_source(const Source& source, const policy::Policy& policy) {
  Joins joins(source, policy);
  DISCREET_TRY(joins.load());
  DISCREET_TRY(joins.check());
  Owner owner;
  const Table* best = nullptr;
  owner.bounds = {0, 0, true};
  for (std::size_t i = 0; i < joins.tables().size(); ++i) {
    const Table& table = *joins.tables()[i];
    if (table.is_public()) continue;
    owner.bounds.groups_per_unit =
        std::max(owner.bounds.groups_per_unit, table.bounds.groups_per_unit);
    owner.bounds.rows_per_unit_and_group =
        std::max(owner.bounds.rows_per_unit_and_group, table.bounds.rows_per_unit_and_group);
    if (best != nullptr && best->unit->steps.size() <= table.unit->steps.size()) continue;
    best = &table;
    owner.unit_table = i;
  }
  const auto units = policy.units.find(best->unit->space);
  if (units == policy.units.end()) {
    return Error{Code::kRefused, "the policy declares no units " + in_quotes(best->unit->space)};
  }
  owner.space = units->first;
  owner.units = &units->second;
  owner.unit_column = best->unit->column;
  owner.row_is_unit = best->unit->row_is_unit;
  owner.units_max = best->rows_max ? Integer(*best->rows_max) : Integer(Integer(1) << 40);
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
  if (owner.row_is_unit) return policy::ContributionBounds{1, 1, true};
  if (keys && *keys < bounds.groups_per_unit) bounds.groups_per_unit = keys->get_si();
  return bounds;
}

}  // namespace discreet::plan
