// SPDX-License-Identifier: Apache-2.0
#include "engine/lowering/unique_keys.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"

namespace discreet::engine::lowering {

Select largest_number(const Select& groups, const Dialect& dialect) {
  Select most;
  most.outputs = {dialect.cast(
      Sql::call("coalesce", {Sql::call("max", {Sql::name({"g", "n"})}), dialect.number(0)}),
      SqlType::kSteps)};
  most.from.push_back({Sql::subquery(groups), "g", {}});
  return most;
}

namespace {

Select most_of(const std::string& table, const std::string& key, const Dialect& dialect,
               const Schemas& schemas) {
  const StoredTable& stored = schemas.at(table);
  const auto column = std::find_if(stored.columns.begin(), stored.columns.end(),
                                   [&](const StoredColumn& one) { return one.name == key; });
  DISCREET_CHECK(column != stored.columns.end());
  const Sql raw = Sql::name({"t0", key});
  Select groups;
  groups.outputs = {Sql::as(dialect.identifier(*column, raw), "value"),
                    Sql::as(Sql::count_rows(), "n")};
  groups.from.push_back({Sql::name(stored.name), "t0", {}});
  groups.where = {Sql::postfix(raw, "IS NOT NULL")};
  groups.group_by = 1;
  const bool whole = dialect.is_whole(*column);
  const Sql value = dialect.identifier(*column, raw);
  if (auto spread = whole ? dialect.keyed({value}) : dialect.named(value)) {
    groups.group_more.push_back(*std::move(spread));
  }
  return largest_number(groups, dialect);
}

}  // namespace

Select most_equal(const std::string& table, const std::vector<std::string>& columns,
                  const Dialect& dialect, const Schemas& schemas) {
  Select groups;
  for (const std::string& column : columns) {
    const Sql raw = Sql::name({"t0", column});
    groups.outputs.push_back(Sql::as(raw, "k" + std::to_string(groups.outputs.size())));
    groups.where.push_back(Sql::postfix(raw, "IS NOT NULL"));
  }
  groups.group_by = columns.size();
  groups.outputs.push_back(Sql::as(Sql::count_rows(), "n"));
  groups.from.push_back({Sql::name(schemas.at(table).name), "t0", {}});
  return largest_number(groups, dialect);
}

std::vector<UniqueKey> unique_keys(const policy::Policy& policy, const Dialect& dialect,
                                   const Schemas& schemas) {
  std::set<std::pair<std::string, std::string>> keys;
  for (const auto& [name, table] : policy.tables) {
    if (!table.unit) continue;
    for (const policy::UnitPath::Step& step : table.unit->steps) {
      const policy::UnitPath& unit = *policy.find(step.table)->unit;
      const bool is_unit = unit.steps.empty() && unit.column == step.key;
      if (!is_unit) keys.emplace(step.table, step.key);
    }
  }
  std::vector<UniqueKey> out;
  for (const auto& [table, key] : keys) {
    out.push_back({table + "." + key, most_of(table, key, dialect, schemas)});
  }
  return out;
}

}  // namespace discreet::engine::lowering
