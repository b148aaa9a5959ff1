// SPDX-License-Identifier: Apache-2.0
// Units within larger ones: persons in households. Which larger unit a unit is in is a function of
// its own rows, so that removing a larger unit removes its members and touches nobody else
// (plan/members.h).
#include "base/suggest.h"
#include "policy/read.h"

namespace discreet::policy {
namespace {

const char* const kOwnColumn =
    "write table.column, such as people.household, of a private table of this namespace whose unit "
    "is a column of its own";

std::vector<std::string> other_namespaces(const Policy& policy, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, units] : policy.units) {
    if (known != name) names.push_back(known);
  }
  return names;
}

/// What is wrong with the larger units' namespace; no message if nothing is.
Mistake wrong_space(const Policy& policy, const Units& units, const Units& larger) {
  if (larger.within) {
    return {0, "is itself within " + in_quotes(larger.within->space), "declare one level only"};
  }
  if (larger.notion != units.notion) {
    return {0, "has another notion, " + to_string(larger.notion),
            "give both namespaces the same notion: one noise is paid for by both"};
  }
  for (const Units* each : {&units, &larger}) {
    if (each->neighbours != Neighbours::kAddRemove) {
      return {0, "or this one protects against replacing one",
              "use neighbours: add-remove in both"};
    }
  }
  if (!units.block_column.empty()) {
    return {0, "cannot be combined with blocks: who counts depends on members in other blocks",
            "remove blocks, or within"};
  }
  for (const auto& [name, table] : policy.tables) {
    if (!table.unit || table.unit->space != units.name || !table.unit->row_is_unit) continue;
    return {0, "needs units with a name, but each row of table " + in_quotes(name) + " is one",
            "give the table a unit's column"};
  }
  return {};
}

}  // namespace

void check_within(const Policy& policy, const Units& units, int line, Mistakes& mistakes) {
  const std::string path = "units." + units.name + ".within";
  const auto larger = policy.units.find(units.within->space);
  if (larger == policy.units.end() || larger->first == units.name) {
    return mistakes.add(line,
                        path + ": there is no other namespace " + in_quotes(units.within->space) +
                            did_you_mean(units.within->space, other_namespaces(policy, units.name)),
                        "declare the larger units under units, with a budget of their own");
  }
  const Mistake wrong = wrong_space(policy, units, larger->second);
  if (!wrong.message.empty()) {
    return mistakes.add(line, path + ": " + in_quotes(larger->first) + " " + wrong.message,
                        wrong.fix);
  }
  const auto named = split_at_dot(units.within->column);
  const Table* const table = named ? policy.find(named->first) : nullptr;
  const bool is_noted = table != nullptr && table->unit && table->unit->space.empty();
  if (is_noted) return;
  if (table == nullptr || table->is_public() || table->unit->space != units.name ||
      !table->unit->steps.empty() || table->unit->column == named->second) {
    mistakes.add(line,
                 path + ".column: " + in_quotes(units.within->column) +
                     " does not say in which larger unit a unit is",
                 kOwnColumn);
  }
}

}  // namespace discreet::policy
