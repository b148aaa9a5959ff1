// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/stored.h"

#include <vector>

#include "base/suggest.h"

namespace discreet::engine::lowering {

Result<const StoredColumn*> find_column(const Schemas& schemas, const std::string& table,
                                        const std::string& name) {
  const auto known = schemas.find(table);
  std::vector<std::string> names;
  if (known != schemas.end()) {
    for (const StoredColumn& column : known->second.columns) {
      if (column.name == name) return &column;
      names.push_back(column.name);
    }
  }
  return invalid_input("the source of table " + in_quotes(table) + " has no column " +
                       in_quotes(name) + did_you_mean(name, names) +
                       "; correct the policy or its source");
}

Result<void> check_identifiers(const policy::Policy& policy, const Schemas& schemas,
                               const std::function<bool(const StoredColumn&)>& can_identify) {
  const auto check = [&](const std::string& table, const std::string& name) -> Result<void> {
    DISCREET_ASSIGN(const StoredColumn* raw, find_column(schemas, table, name));
    if (can_identify(*raw)) return {};
    return invalid_input("column " + in_quotes(name) + " of table " + in_quotes(table) + " is " +
                         raw->type_name +
                         ", of which equal values may look different; a unit or a key must be a "
                         "whole number, a text, a uuid, a number or a date");
  };
  for (const auto& [name, table] : policy.tables) {
    if (!table.unit || table.unit->row_is_unit) continue;
    std::string at = table.name;
    for (const policy::UnitPath::Step& step : table.unit->steps) {
      DISCREET_TRY(check(at, step.column));
      DISCREET_TRY(check(step.table, step.key));
      at = step.table;
    }
    DISCREET_TRY(check(at, table.unit->column));
  }
  for (const auto& [name, units] : policy.units) {
    if (!units.within) continue;
    const auto named = policy::split_at_dot(units.within->column);
    if (named) DISCREET_TRY(check(named->first, named->second));
  }
  return {};
}

}  // namespace discreet::engine::lowering
