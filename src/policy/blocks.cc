// SPDX-License-Identifier: Apache-2.0
// A namespace's blocks: which column says them, and that it keeps them apart. A block has a budget
// of its own, so a unit must never be taken for one of another block: not by a column of the same
// name elsewhere, and not by a range into which values are clamped and which may be widened later.
#include "base/suggest.h"
#include "policy/read.h"
#include "policy/value.h"

namespace discreet::policy {
namespace {

const char* const kOneForEver =
    "write table.column, such as patients.year, of a private table of this namespace whose unit is "
    "a column of its own; each unit must have exactly one value there for ever";

/// The table that says each unit's block, or nothing and a mistake.
const Table* find_table(const Policy& policy, const Units& units, const std::string& name,
                        const std::string& path, int line, Mistakes& mistakes) {
  const Table* const table = policy.find(name);
  const bool is_noted = table != nullptr && table->unit && table->unit->space.empty();
  if (is_noted) return nullptr;
  if (table == nullptr || table->is_public() || table->unit->space != units.name) {
    std::vector<std::string> names;
    for (const auto& [known, each] : policy.tables) {
      if (each.unit && each.unit->space == units.name) names.push_back(known);
    }
    mistakes.add(line,
                 path + ": " + in_quotes(name) + " is no private table of this namespace" +
                     did_you_mean(name, names),
                 kOneForEver);
    return nullptr;
  }
  if (table->unit->row_is_unit || !table->unit->steps.empty()) {
    mistakes.add(line,
                 path + ": the unit of table " + in_quotes(name) +
                     (table->unit->row_is_unit ? " is each row" : " is found by a path"),
                 kOneForEver);
    return nullptr;
  }
  return table;
}

/// All numbers that a column can be read as; its ends stand also for what lies beyond them.
Grid reach_of(const Column& column) {
  if (column.grid) return *column.grid;
  if (column.type == Type::kDate) {
    return {parse_value(Type::kDate, "0001-01-01")->number(),
            parse_value(Type::kDate, "9999-12-31")->number(), 1};
  }
  return {Rational(1) - power_of_two(62), power_of_two(62) - Rational(1), 1};
}

/// Whether the column is read as it is: no rounding, no value in the place of NULL.
bool check_column(const Column& column, const std::string& path, int line, Mistakes& mistakes) {
  const auto wrong = [&](const std::string& what, const std::string& fix) {
    mistakes.add(line, path + ": the column " + what, fix);
    return false;
  };
  if (column.type == Type::kDecimal || column.type == Type::kTimestamp) {
    return wrong("is " + to_string(column.type) + ", whose values are rounded",
                 "take a column of type text, boolean, integer or date");
  }
  if (column.null_rule != NullRule::kDrop) {
    return wrong("counts a missing value as " + in_quotes(to_string(column.fallback)),
                 "write \"null\": drop, so that a unit without a block is in none");
  }
  if (column.grid && column.grid->step != Rational(1)) {
    return wrong("has steps of " + step_text(column.type, column.grid->step) +
                     ", to which values are rounded",
                 "remove the step");
  }
  return true;
}

}  // namespace

void check_blocks(const Policy& policy, const Units& units, const Places::BlocksPlace& place,
                  Mistakes& mistakes) {
  if (units.block_column.empty()) return;  // noted already
  const std::string blocks = "units." + units.name + ".blocks";
  const std::string path = blocks + ".column";
  const auto named = split_at_dot(units.block_column);
  if (!named) {
    return mistakes.add(place.line, path + ": " + in_quotes(units.block_column) + " names no table",
                        kOneForEver);
  }
  const Table* const table = find_table(policy, units, named->first, path, place.line, mistakes);
  if (table == nullptr) return;
  const Column* const column = table->find(named->second);
  if (column == nullptr) {
    return mistakes.add(place.line,
                        path + ": table " + in_quotes(table->name) + " declares no column " +
                            in_quotes(named->second),
                        "declare it there, with its type; each unit must have exactly one value "
                        "there for ever");
  }
  if (!check_column(*column, path, place.line, mistakes)) return;
  std::vector<Value> seen;
  for (std::size_t i = 0; i < units.block_values.size(); ++i) {
    const std::string what = blocks + ".values: " + in_quotes(units.block_values[i]);
    const auto value = parse_value(column->type, units.block_values[i]);
    if (!value) {
      mistakes.add(place.value_lines[i], what + " is no " + to_string(column->type), value.error());
      continue;
    }
    for (const Value& other : seen) {
      if (other == *value) mistakes.add(place.value_lines[i], what + " is there twice", "keep one");
    }
    seen.push_back(*value);
    if (!has_range(column->type)) continue;
    const Grid reach = reach_of(*column);
    if (reach.low < value->number() && value->number() < reach.high) continue;
    mistakes.add(place.value_lines[i],
                 what +
                     " is not strictly inside the column's range, at whose ends all that lies "
                     "beyond is counted",
                 "widen the range of " + units.block_column + " by one step at least");
  }
}

}  // namespace discreet::policy
