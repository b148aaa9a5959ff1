// SPDX-License-Identifier: Apache-2.0
// The rest of a question, slow and obvious: which rows there are and whose, a bounding that sees
// one unit's rows at a time, and the integers of every measurement. For property tests of the
// checker, and for engines to be compared with: give them the same kept rows, the same bits come.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/groups.h"
#include "plan/checker.h"
#include "plan/relation_for_tests.h"

namespace discreet::plan {

/// A row of the source that passed the filter, whose unit is known and whose key may be shown.
struct OwnedRow {
  std::string unit;        ///< a text that is another for every unit
  std::vector<Value> key;  ///< unlisted text cut to 256 characters
  JoinedRow row;
};

/// Those of whom a larger unit has at most so many (members.h); nothing: no limit. `most`: other
/// than the checked one only to show what no limit would do.
inline std::optional<std::set<std::string>> counted_members(const Checked& checked,
                                                            const Database& database,
                                                            std::int64_t most) {
  if (!checked.members()) return std::nullopt;
  const Members& members = *checked.members();
  std::map<std::string, std::pair<Value, Value>> least;  // unit -> itself, its larger unit
  const auto less = [](const Value& a, const Value& b) { return a.data < b.data; };
  const auto table = database.find(members.table);
  if (table != database.end()) {
    for (const RawRow& row : table->second) {
      const Value& unit = raw(row, members.unit);
      const Value& larger = raw(row, members.larger);
      if (unit.is_null() || larger.is_null()) continue;
      auto [entry, is_new] = least.try_emplace(tagged(unit), unit, larger);
      if (!is_new && less(larger, entry->second.second)) entry->second.second = larger;
    }
  }
  std::map<std::string, std::vector<Value>> inside;
  for (const auto& [name, both] : least) inside[tagged(both.second)].push_back(both.first);
  std::set<std::string> counted;
  for (auto& [larger, units] : inside) {
    std::sort(units.begin(), units.end(), less);
    for (std::size_t i = 0; i < units.size() && i < static_cast<std::size_t>(most); ++i) {
      counted.insert(tagged(units[i]));
    }
  }
  return counted;
}

/// `source` and `relations`: other than the checked ones only to show what a wrong rule would do.
inline std::vector<OwnedRow> owned_rows(const Checked& checked, const Source& source,
                                        const Relations& relations) {
  const Plan& plan = checked.plan();
  const Interpreter interpreter(source, checked.policy());
  std::vector<OwnedRow> owned;
  std::size_t number = 0;
  for (JoinedRow& row : relations.join(source)) {
    ++number;
    const Value unit = checked.unit_column().empty()
                           ? integer_value(static_cast<std::int64_t>(number))
                           : relations.unit(source, checked.unit_table(), row);
    if (unit.is_null()) continue;
    if (plan.filter) {
      const Value passes = interpreter.evaluate(*plan.filter, row);
      if (passes.is_null() || !std::get<bool>(passes.data)) continue;
    }
    OwnedRow one{tagged(unit), {}, std::move(row)};
    for (const Key& key : plan.keys) {
      Value value = interpreter.evaluate(key.expr, one.row);
      if (!checked.listed() && !value.is_null() && value.type == Type::kText) {
        value = text_value(characters(value.text(), 1, 256));
      }
      one.key.push_back(std::move(value));
    }
    const auto& listed = checked.listed();
    if (listed && std::find(listed->begin(), listed->end(), one.key) == listed->end()) continue;
    owned.push_back(std::move(one));
  }
  return owned;
}

inline std::vector<OwnedRow> owned_rows(const Checked& checked, const Database& database) {
  auto rows = owned_rows(checked, checked.plan().source, Relations(checked.policy(), database));
  const std::int64_t most = checked.members() ? checked.members()->most : 0;
  const auto counted = counted_members(checked, database, most);
  if (counted)
    std::erase_if(rows, [&](const OwnedRow& row) { return !counted->contains(row.unit); });
  return rows;
}

/// What of a row the measurements read.
inline std::string contents(const Checked& checked, const JoinedRow& row) {
  const Interpreter interpreter(checked.plan().source, checked.policy());
  std::string text;
  for (const Step& step : checked.steps()) {
    if (step.measurement.argument) {
      text += tagged(interpreter.evaluate(*step.measurement.argument, row));
    }
  }
  return text;
}

/// Of every unit at most groups_per_unit groups and rows_per_unit_and_group rows in each, chosen by
/// the secret, that unit's own rows and nothing else. Rows of two owners were limited before.
inline std::vector<OwnedRow> bounded(const Checked& checked, std::vector<OwnedRow> rows,
                                     std::uint64_t secret) {
  if (checked.pair()) return rows;
  const auto& bounds = checked.plan().bounds;
  std::map<std::string, std::map<std::string, std::vector<OwnedRow>>> units;
  for (OwnedRow& row : rows) {
    auto& group = units[row.unit][tagged(row.key)];
    group.push_back(std::move(row));
  }
  std::vector<OwnedRow> kept;
  for (auto& [unit, groups] : units) {
    std::vector<std::pair<std::uint64_t, std::string>> order;
    for (const auto& [key, group] : groups) order.emplace_back(mixed(secret, unit + key), key);
    std::sort(order.begin(), order.end());
    if (order.size() > static_cast<std::size_t>(bounds.groups_per_unit)) {
      order.resize(static_cast<std::size_t>(bounds.groups_per_unit));
    }
    for (const auto& [rank, key] : order) {
      std::map<std::string, int> occurrences;
      std::vector<std::pair<std::uint64_t, OwnedRow*>> lots;
      for (OwnedRow& row : groups[key]) {
        const std::string text = contents(checked, row.row);
        const std::string lot = unit + key + text + std::to_string(occurrences[text]++);
        lots.emplace_back(mixed(secret, lot), &row);
      }
      std::sort(lots.begin(), lots.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t i = 0; i < lots.size(); ++i) {
        if (i >= static_cast<std::size_t>(bounds.rows_per_unit_and_group)) break;
        kept.push_back(*lots[i].second);
      }
    }
  }
  return kept;
}

/// The integer that a row brings into a measurement; nothing if its argument is NULL.
inline std::optional<Integer> lowered_integer(const Step& step, const Value& argument) {
  if (argument.is_null()) return std::nullopt;
  const MeasureKind kind = step.measurement.kind;
  if (kind == MeasureKind::kRows || kind == MeasureKind::kUnits || kind == MeasureKind::kDistinct) {
    return Integer(1);
  }
  const Integer u = (argument.number() / step.shape.grid->step).numerator();
  const Lowered& lowered = step.lowered;
  Integer z = Rational::ratio(u * lowered.multiply - lowered.subtract, lowered.divide).round();
  z = std::clamp(z, Integer(lowered.low), Integer(lowered.high));
  return kind == MeasureKind::kSquares ? Integer(z * z) : z;
}

/// What is measured in one group.
struct MeasuredGroup {
  std::vector<Value> key;
  std::set<std::string> units;
  std::vector<Integer> integers;      ///< one for each step; a quantile's stays 0
  std::vector<mechanism::Runs> runs;  ///< one for each step; only a quantile's has entries
};

/// By tagged key; groups without a row are absent.
inline std::map<std::string, MeasuredGroup> measure(const Checked& checked,
                                                    const std::vector<OwnedRow>& kept) {
  const Interpreter interpreter(checked.plan().source, checked.policy());
  std::map<std::string, MeasuredGroup> groups;
  std::map<std::string, std::vector<std::set<std::string>>> different;
  std::map<std::string, std::vector<std::map<std::int64_t, std::int64_t>>> runs;
  const std::size_t count = checked.steps().size();
  for (const OwnedRow& row : kept) {
    const std::string name = tagged(row.key);
    MeasuredGroup& group = groups[name];
    group.key = row.key;
    group.units.insert(row.unit);
    group.integers.resize(count);
    different[name].resize(count);
    runs[name].resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Step& step = checked.steps()[i];
      const auto& argument = step.measurement.argument;
      const Value value = argument ? interpreter.evaluate(*argument, row.row) : truth_value(true);
      const auto integer = lowered_integer(step, value);
      if (!integer) continue;
      if (step.measurement.kind == MeasureKind::kQuantile) {
        ++runs[name][i][integer->get_si()];
      } else if (step.measurement.kind == MeasureKind::kDistinct) {
        different[name][i].insert(tagged(value));
      } else {
        group.integers[i] += *integer;
      }
    }
  }
  for (auto& [name, group] : groups) {
    group.runs.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const MeasureKind kind = checked.steps()[i].measurement.kind;
      if (kind == MeasureKind::kUnits) group.integers[i] = group.units.size();
      if (kind == MeasureKind::kDistinct) group.integers[i] = different[name][i].size();
      group.runs[i].assign(runs[name][i].begin(), runs[name][i].end());
    }
  }
  return groups;
}

}  // namespace discreet::plan
