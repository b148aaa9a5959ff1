// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/suggest.h"
#include "policy/embedded.h"
#include "policy/read.h"

namespace discreet::policy {
namespace {

/// What is left of `unit` after its first `done` steps: the unit of a row of the table there.
UnitPath rest_of(const UnitPath& unit, std::size_t done) {
  UnitPath rest = unit;
  rest.steps.erase(rest.steps.begin(), rest.steps.begin() + static_cast<std::ptrdiff_t>(done));
  return rest;
}

/// A row of the table and the row that its path leads to must have the same owner, else a join of
/// the two would have two. So the rest of the path must be the other table's own unit.
void check_path(const Policy& policy, const Table& table, int line, Mistakes& mistakes) {
  const UnitPath& unit = *table.unit;
  if (unit.space.empty()) return;  // noted already
  const std::string path = "tables." + table.name + ".unit";
  for (std::size_t i = 0; i < unit.steps.size(); ++i) {
    const std::string& name = unit.steps[i].table;
    const Table* next = policy.find(name);
    if (next == nullptr || next->is_public()) {
      std::vector<std::string> names;
      for (const auto& [known, each] : policy.tables) {
        if (!each.is_public()) names.push_back(known);
      }
      return mistakes.add(line,
                          path + " leads to " + in_quotes(name) + ", which is not under tables" +
                              (next == nullptr ? did_you_mean(name, names) : ""),
                          "declare it there with a unit of its own");
    }
    if (next->unit->space.empty()) return;  // noted already
    const UnitPath rest = rest_of(unit, i + 1);
    if (*next->unit == rest) continue;
    const std::string other =
        next->unit->row_is_unit ? "each row a unit of its own" : path_text(name, *next->unit);
    return mistakes.add(
        line,
        path + " goes on from " + name + " by " + path_text(name, rest) + ", but " + name +
            " says of itself " + other +
            (next->unit->space == rest.space ? "" : " in " + in_quotes(next->unit->space)),
        "rows of both must belong to the same unit: let one follow the other");
  }
}

void check_values_from(const Policy& policy, const Places::ColumnPlace& place, Mistakes& mistakes) {
  const Table* table = policy.find(place.table);
  const Column* column = table == nullptr ? nullptr : table->find(place.column);
  if (column == nullptr) return;
  const std::string path = place.table + "." + place.column + ".values_from";
  const auto named = split_at_dot(column->values_from);
  if (!named) {
    return mistakes.add(place.line, path + ": " + in_quotes(column->values_from) + " is no column",
                        "write table.column, of a table under public");
  }
  const Table* source = policy.find(named->first);
  if (source == nullptr || !source->is_public()) {
    return mistakes.add(place.line, path + ": there is no public table " + in_quotes(named->first),
                        "declare it under public; a list of keys must not come from the data");
  }
  if (source->columns.empty()) return;  // all of its columns are public
  const Column* keys = source->find(named->second);
  if (keys == nullptr) {
    mistakes.add(place.line,
                 path + ": " + named->first + " declares no column " + in_quotes(named->second),
                 "declare it under public." + named->first + ".columns");
  } else if (keys->type != column->type) {
    mistakes.add(
        place.line,
        path + " is " + to_string(keys->type) + ", but the column is " + to_string(column->type),
        "give both the same type");
  }
}

/// Where a source's rows lie: a file, and a table in it or of the engine. Two texts that name the
/// same place give the same pair.
std::pair<std::string, std::string> place_of(const Policy& policy, const std::string& source) {
  std::string small = source;
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!is_embedded(policy.engine)) {
    if (small.starts_with("public.")) small.erase(0, 7);  // the schema when none is named
    return {"", small};
  }
  std::string file = source;
  std::string table;
  for (const std::string_view ending : {".duckdb:", ".db:"}) {
    const std::size_t at = small.find(ending);
    if (at == std::string::npos) continue;
    file = source.substr(0, at + ending.size() - 1);
    table = small.substr(at + ending.size());
    if (table.starts_with("main.")) table.erase(0, 5);  // the schema when none is named
    break;
  }
  const std::filesystem::path named = std::filesystem::path(policy.directory) / file;
  std::error_code failed;
  const std::filesystem::path followed = std::filesystem::weakly_canonical(named, failed);
  return {(failed ? named.lexically_normal() : followed).string(), table};
}

/// What is public is answered from without noise: the same rows must not be protected elsewhere.
void check_public_sources(const Policy& policy, const Places& places, Mistakes& mistakes) {
  std::map<std::pair<std::string, std::string>, std::string> owned;
  for (const auto& [name, table] : policy.tables) {
    if (!table.is_public() && !table.source.empty()) {
      owned.emplace(place_of(policy, table.source), name);
    }
  }
  for (const auto& [name, line] : places.public_lines) {
    const Table* const table = policy.find(name);
    if (table == nullptr || !table->is_public() || table->source.empty()) continue;
    const auto same = owned.find(place_of(policy, table->source));
    if (same == owned.end()) continue;
    mistakes.add(
        line, "public." + name + " has the source of the private table " + in_quotes(same->second),
        "remove it: a public table is about nobody");
  }
}

}  // namespace

std::string path_text(const std::string& table, const UnitPath& unit) {
  std::string at = table;
  std::string out = "[";
  for (const UnitPath::Step& step : unit.steps) {
    out += at + "." + step.column + " -> " + step.table + "." + step.key + ", ";
    at = step.table;
  }
  return out + at + "." + unit.column + "]";
}

void check_connections(const Policy& policy, const Places& places, Mistakes& mistakes) {
  for (const auto& [name, line] : places.unit_lines) {
    const Table* table = policy.find(name);
    if (table != nullptr && table->unit) check_path(policy, *table, line, mistakes);
  }
  for (const Places::ColumnPlace& place : places.values_from) {
    check_values_from(policy, place, mistakes);
  }
  for (const auto& [name, place] : places.blocks) {
    const auto units = policy.units.find(name);
    if (units != policy.units.end()) check_blocks(policy, units->second, place, mistakes);
  }
  for (const auto& [name, line] : places.within_lines) {
    const auto units = policy.units.find(name);
    if (units != policy.units.end()) check_within(policy, units->second, line, mistakes);
  }
  check_public_sources(policy, places, mistakes);
}

}  // namespace discreet::policy
