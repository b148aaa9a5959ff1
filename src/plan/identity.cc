// SPDX-License-Identifier: Apache-2.0
#include "plan/identity.h"

#include <algorithm>

namespace discreet::plan {
namespace {

using policy::Table;
using policy::UnitPath;

// What a row's owner is after its first step: the path of the table that the step leads to.
bool same_owner(const UnitPath& from, const UnitPath& to) {
  return from.space == to.space && from.column == to.column && !to.row_is_unit &&
         std::equal(from.steps.begin() + 1, from.steps.end(), to.steps.begin(), to.steps.end());
}

Identity of_key(const Table& table, const std::string& key) {
  const bool is_unit = table.unit->steps.empty() && table.unit->column == key;
  return is_unit ? Identity{"", table.unit->space} : Identity{table.name, key};
}

void add_identity(std::vector<Identity>& all, Identity identity) {
  if (std::find(all.begin(), all.end(), identity) == all.end()) all.push_back(std::move(identity));
}

std::vector<Identity> identities_of_table(const Table& table, const std::string& column,
                                          const policy::Policy& policy) {
  std::vector<Identity> all;
  if (!table.unit || table.unit->row_is_unit || column.empty()) return all;
  const UnitPath& path = *table.unit;
  if (path.steps.empty() && path.column == column) add_identity(all, {"", path.space});
  if (!path.steps.empty() && path.steps.front().column == column) {
    const UnitPath::Step& step = path.steps.front();
    const Table* const to = policy.find(step.table);
    if (to != nullptr && to->unit && same_owner(path, *to->unit))
      add_identity(all, of_key(*to, step.key));
  }
  // What the paths of other tables lead to is unique by the owner's word.
  for (const auto& [name, other] : policy.tables) {
    if (!other.unit) continue;
    for (const UnitPath::Step& step : other.unit->steps) {
      if (step.table == table.name && step.key == column) add_identity(all, of_key(table, column));
    }
  }
  return all;
}

std::vector<Identity> of_field(const Part& part, const std::string& name,
                               const policy::Policy& policy) {
  const Field* const field = find_field(part, name);
  const bool is_one = field != nullptr && field->fold == Fold::kIdentifier && field->expr &&
                      field->expr->op == Op::kColumn &&
                      field->expr->table < part.source.tables.size();
  if (!is_one) return {};
  return identities_of(part.source.tables[field->expr->table], field->expr->name, policy);
}

}  // namespace

const Field* find_field(const Part& part, const std::string& name) {
  const auto found = std::find_if(part.fields.begin(), part.fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == part.fields.end() ? nullptr : &*found;
}

std::vector<Identity> identities_of(const TableUse& use, const std::string& column,
                                    const policy::Policy& policy) {
  if (!use.is_subquery()) {
    const Table* const table = policy.find(use.table);
    return table == nullptr ? std::vector<Identity>{} : identities_of_table(*table, column, policy);
  }
  std::vector<Identity> all = of_field(use.parts.front(), column, policy);
  for (std::size_t i = 1; i < use.parts.size() && !all.empty(); ++i) {
    const std::vector<Identity> others = of_field(use.parts[i], column, policy);
    std::erase_if(all, [&](const Identity& one) {
      return std::find(others.begin(), others.end(), one) == others.end();
    });
  }
  return all;
}

bool shares_identity(const TableUse& left, const std::string& left_column, const TableUse& right,
                     const std::string& right_column, const policy::Policy& policy) {
  const std::vector<Identity> a = identities_of(left, left_column, policy);
  const std::vector<Identity> b = identities_of(right, right_column, policy);
  return std::any_of(a.begin(), a.end(), [&](const Identity& one) {
    return std::find(b.begin(), b.end(), one) != b.end();
  });
}

bool is_unit_itself(const TableUse& use, const std::string& column, const policy::Policy& policy) {
  const std::vector<Identity> all = identities_of(use, column, policy);
  return std::any_of(all.begin(), all.end(), [](const Identity& one) { return one.table.empty(); });
}

bool is_private(const TableUse& use, const policy::Policy& policy) {
  if (!use.is_subquery()) {
    const Table* const table = policy.find(use.table);
    return table != nullptr && table->unit.has_value();
  }
  return std::any_of(use.parts.begin(), use.parts.end(), [&](const Part& part) {
    return unit_table_of(part.source, policy).has_value();
  });
}

std::optional<std::size_t> unit_table_of(const Source& source, const policy::Policy& policy) {
  std::optional<std::size_t> best;
  std::size_t fewest = 0;
  for (std::size_t i = 0; i < source.tables.size(); ++i) {
    const TableUse& use = source.tables[i];
    if (use.join != JoinKind::kInner || !is_private(use, policy)) continue;
    const std::size_t steps = use.is_subquery() ? 0 : policy.find(use.table)->unit->steps.size();
    if (best && fewest <= steps) continue;
    best = i;
    fewest = steps;
  }
  return best;
}

std::string unit_column_of(const TableUse& use, const policy::Policy& policy) {
  return use.is_subquery() ? kUnitField : policy.find(use.table)->unit->column;
}

std::vector<std::string> identifiers_of(const TableUse& use, const policy::Policy& policy) {
  std::vector<std::string> names;
  const auto consider = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    if (!identities_of(use, name, policy).empty()) names.push_back(name);
  };
  if (use.is_subquery()) {
    for (const Field& field : use.parts.front().fields) consider(field.name);
    return names;
  }
  const Table* const table = policy.find(use.table);
  if (table == nullptr || !table->unit) return names;
  consider(table->unit->steps.empty() ? table->unit->column : table->unit->steps.front().column);
  for (const auto& [name, other] : policy.tables) {
    if (!other.unit) continue;
    for (const UnitPath::Step& step : other.unit->steps) {
      if (step.table == table->name) consider(step.key);
    }
  }
  return names;
}

}  // namespace discreet::plan
