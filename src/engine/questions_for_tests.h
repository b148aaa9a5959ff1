// SPDX-License-Identifier: Apache-2.0
// Random questions over the test clinic, what they must give by the reference interpreter and the
// obvious bounding, and what an engine gave, as texts to be compared. For every engine's tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "engine/bounding_for_tests.h"
#include "engine/key.h"
#include "engine/lowering/plan.h"
#include "plan/random_for_tests.h"
#include "plan/reference_for_tests.h"

namespace discreet::engine {

using namespace plan;
using lowering::LoweredPlan;
using mechanism::Groups;

inline constexpr Secret kSecret{{11, 22}};

/// key bytes -> units, integers, runs; as text, to be compared and shown.
inline std::map<std::string, std::string> shown(const Groups& groups) {
  std::map<std::string, std::string> out;
  for (std::size_t g = 0; g < groups.keys.size(); ++g) {
    std::string line = "units " + std::to_string(groups.units[g]);
    for (std::size_t m = 0; m < groups.integers.size(); ++m) {
      line += " | ";
      if (!groups.integers[m].empty()) line += discreet::to_string(groups.integers[m][g]);
      if (groups.runs[m].empty()) continue;
      for (const auto& [value, count] : groups.runs[m][g]) {
        line += std::to_string(value) + "x" + std::to_string(count) + " ";
      }
    }
    EXPECT_TRUE(out.emplace(groups.keys[g], line).second) << "a key came twice";
  }
  return out;
}

inline std::uint64_t word(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// What the bounding sees of a row: contents as they are packed, texts hashed.
inline PlainRow plain(const Checked& checked, const BoundingTask& task, const OwnedRow& row,
                      const std::string& unit_text) {
  const Interpreter interpreter(checked.plan().source, checked.policy());
  PlainRow out;
  if (task.wide_unit) {
    const Hash128 hash = keyed_hash_wide(kSecret, unit_text);
    out.unit = {hash.low, hash.high};
  } else {
    out.unit = {word(std::stoll(unit_text))};
  }
  out.key = encode_key(row.key, checked.key_shapes());
  std::vector<Expr> seen;
  for (const plan::Step& step : checked.steps()) {
    if (!step.measurement.argument) continue;
    const Expr& argument = *step.measurement.argument;
    if (std::find(seen.begin(), seen.end(), argument) != seen.end()) continue;
    seen.push_back(argument);
    const Value value = interpreter.evaluate(argument, row.row);
    std::optional<std::int64_t> content;
    if (value.is_null()) {
    } else if (const bool* truth = std::get_if<bool>(&value.data)) {
      content = *truth ? 1 : 0;
    } else if (step.shape.grid) {
      content = Rational(value.number() / step.shape.grid->step).numerator().get_si();
    } else {
      content = static_cast<std::int64_t>(keyed_hash(kSecret, value.text()));
    }
    out.contents.push_back(content);
  }
  return out;
}

/// The text of a unit, from plan::tagged.
inline std::string unit_text(const std::string& tag) {
  if (tag[0] == 's') return tag.substr(tag.find(':') + 1);
  return tag.substr(1, tag.find('/') - 1);
}

inline std::map<std::string, std::string> expected(const Checked& checked,
                                                   const LoweredPlan& lowered,
                                                   const Database& database) {
  std::vector<OwnedRow> rows = owned_rows(checked, database);
  if (lowered.bounded) {
    const BoundingTask& task = lowered.bounded->task;
    std::vector<PlainRow> plains;
    for (const OwnedRow& row : rows) {
      plains.push_back(plain(checked, task, row, unit_text(row.unit)));
    }
    std::vector<OwnedRow> kept;
    for (std::size_t place : reference_kept(
             plains, RowLayout(task.wide_unit, task.contents),
             static_cast<std::size_t>(checked.plan().bounds.groups_per_unit),
             static_cast<std::size_t>(checked.plan().bounds.rows_per_unit_and_group), kSecret)) {
      kept.push_back(rows[place]);
    }
    rows = std::move(kept);
  }
  std::map<std::string, std::string> out;
  for (const auto& [name, group] : measure(checked, rows)) {
    std::string line = "units " + std::to_string(group.units.size());
    for (std::size_t m = 0; m < group.integers.size(); ++m) {
      line += " | ";
      if (checked.steps()[m].measurement.kind != MeasureKind::kQuantile) {
        line += group.integers[m].get_str();
      }
      for (const auto& [value, count] : group.runs[m]) {
        line += std::to_string(value) + "x" + std::to_string(count) + " ";
      }
    }
    out.emplace(encode_key(group.key, checked.key_shapes()), line);
  }
  return out;
}

inline Database random_clinic(Random& random, int size) {
  Database database;
  const int patients = 1 + size / 4;
  for (int i = 0; i < patients; ++i) {
    RawRow row;
    row["id"] = integer_value(i);
    row["cohort"] = integer_value(2019 + up_to(random, 6));
    row["zip"] =
        up_to(random, 5) == 0 ? null_value() : text_value("z" + std::to_string(up_to(random, 3)));
    row["weight"] = decimal_value(Rational::ratio(up_to(random, 250'000), 1'000));
    database["patients"].push_back(row);
  }
  for (int i = 0; i < size; ++i) {
    RawRow row = random_visit(random);
    row["id"] = integer_value(i);
    row["patient_id"] =
        up_to(random, 9) == 0 ? null_value() : integer_value(up_to(random, patients));
    row["note"] = text_value("n" + std::to_string(up_to(random, 2)));
    database["visits"].push_back(row);
  }
  for (int i = 0; i < size; ++i) {
    RawRow row;
    row["visit_id"] = up_to(random, 9) == 0 ? null_value() : integer_value(up_to(random, size + 1));
    row["value"] = integer_value(up_to(random, 200) - 80);
    database["labs"].push_back(row);
    database["events"].push_back({{"size", integer_value(up_to(random, 14))}});
  }
  for (int i = 0; i < 3; ++i) {
    database["zips"].push_back(
        {{"zip", text_value("z" + std::to_string(i))}, {"region", text_value(i == 0 ? "a" : "b")}});
  }
  return database;
}

inline Source random_source(Random& random) {
  switch (up_to(random, 5)) {
    case 0:
      return from("events");
    case 1:
      return from("labs");
    case 2:
      return visits_and_patients();
    case 3:
      return {{{"labs", "l", {}}, {"visits", "v", {{0, "visit_id", "id"}}}}};
    case 4:
      return {{{"patients", "p", {}}, {"zips", "z", {{0, "zip", "zip"}}}}};
    default:
      return from("visits");
  }
}

/// A column that can be added up, of the source's first table.
inline Expr number_of(Random& random, const Source& source) {
  const std::string& table = source.tables[0].table;
  if (table == "events") return col("size");
  if (table == "labs") return col("value");
  if (table == "patients") return up_to(random, 1) == 0 ? col("cohort") : col("weight");
  return col(one_of_these<std::string>(random, {"age", "change", "cost", "filled"}));
}

inline std::vector<Expr> keys_of(Random& random, const Source& source) {
  const std::string& table = source.tables[0].table;
  if (up_to(random, 3) == 0) return {};
  if (table == "events") return {col("size")};
  if (table == "labs") return {Expr::of(Op::kLess, {col("value"), num(10)})};
  if (table == "patients") return {col("zip")};
  switch (up_to(random, 4)) {
    case 0:
      return {col("clinic")};
    case 1:
      return {col("city")};
    case 2:
      return {col("urgent"), col("city")};
    case 3:
      return {Expr::of(Op::kDatePart, {col("day")}, "quarter"), col("urgent")};
    default:
      return {col("city"), col("age"), col("clinic")};
  }
}

inline Plan random_plan(Random& random) {
  Plan plan;
  plan.source = random_source(random);
  plan.delta = Delta::trusted(Rational::ratio(1, 1'000'000));
  plan.bounds = {1 + up_to(random, 3), 1 + up_to(random, 3), true};
  for (Expr& key : keys_of(random, plan.source)) plan.keys.push_back({std::move(key), "k"});
  if (plan.source.tables[0].table == "visits" && up_to(random, 1) == 0) {
    plan.filter = random_expression(random, 2);
  }
  plan.measurements.push_back(measurement(MeasureKind::kRows));
  for (int i = up_to(random, 4); i > 0; --i) {
    const auto kind = static_cast<MeasureKind>(up_to(random, 5));
    Measurement m = measurement(kind);
    if (kind != MeasureKind::kUnits) m.argument = number_of(random, plan.source);
    if (kind == MeasureKind::kDistinct && plan.source.tables[0].table == "visits") {
      m.argument =
          one_of_these<Expr>(random, {col("city"), col("urgent"), col("age"), col("cost")});
    }
    if (kind == MeasureKind::kQuantile) m.fractions = {Rational::ratio(1 + up_to(random, 2), 4)};
    if (kind == MeasureKind::kSum && up_to(random, 1) == 0) m.centre = Rational::ratio(7, 2);
    if (kind == MeasureKind::kSum && up_to(random, 2) == 0) m.clamp = Grid{-2, 30, 1};
    plan.measurements.push_back(std::move(m));
  }
  return plan;
}

}  // namespace discreet::engine
