// SPDX-License-Identifier: Apache-2.0
// Random fields of every type that is read, one by one against their definition, and as rows of
// several units with and without one unit's rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/postgres/feed.h"
#include "engine/postgres/fields_for_tests.h"

namespace discreet::engine::postgres {

inline const std::vector<unsigned int> kFieldTypes = {kInt2,    kInt4,    kInt8,      kFloat4,
                                                      kFloat8,  kDate,    kTimestamp, kTimestamptz,
                                                      kNumeric, kNumeric, kNumeric,   kText};

inline const std::vector<Grid>& field_grids() {
  const Rational big(std::int64_t{1} << 61);
  static const std::vector<Grid> made = {
      {0, 100, 1},
      {-50, 250, Rational::ratio(1, 100)},
      {Rational::ratio(-30, 7), Rational::ratio(300, 7), Rational::ratio(3, 7)},
      {-5, 40, Rational::ratio(5, 2)},
      {7, 9, Rational::ratio(1, 1'000'000)},
      {-big, big, 1},
      {-9, -3, 3},
      {Rational(0), Rational::ratio(1, 3) * power_of_ten(24),
       Rational::ratio(1, 3) * power_of_ten(22)},
      {-power_of_ten(-30) * Rational(8), power_of_ten(-30) * Rational(8), power_of_ten(-30)}};
  return made;
}

inline lowering::RowField stored_field(unsigned int type, const std::string& type_name,
                                       policy::Type declared, const Grid& grid) {
  return {
      "x", lowering::Sql::name({"x"}),
      lowering::ColumnRead{{"x", type_name, type}, lowering::Sql::name({"x"}), declared, grid, {}}};
}

/// A run without keys whose contents are one of each form, and the types of its fields.
struct AllForms {
  lowering::BoundedRun run;
  std::vector<std::pair<unsigned int, Grid>> fields;  // behind the unit's

  void add(const lowering::RowField& field, const Content& content, unsigned int type,
           const Grid& grid) {
    run.fields.push_back(field);
    run.task.contents.push_back(content);
    if (type != kText) {
      run.task.measures.push_back({plan::MeasureKind::kSum, run.task.contents.size() - 1, {}});
    }
    fields.emplace_back(type, grid);
  }
  explicit AllForms(bool wide_unit) {
    run.task.wide_unit = wide_unit;
    run.task.rows_per_unit_and_group = 3;
    run.fields.push_back({"u", lowering::Sql::name({"u"}), std::nullopt});
    const auto stored = [&](unsigned int type, const std::string& name, policy::Type declared,
                            const Grid& grid) {
      const Quantizer quantizer(grid);
      add(stored_field(type, name, declared, grid), {quantizer.low(), quantizer.high()}, type,
          grid);
    };
    stored(kNumeric, "numeric(12,2)", policy::Type::kDecimal, field_grids()[1]);
    stored(kNumeric, "numeric(1000,500)", policy::Type::kDecimal, field_grids()[2]);
    stored(kFloat8, "double precision", policy::Type::kDecimal, field_grids()[0]);
    stored(kDate, "date", policy::Type::kDate, {18'262, 20'453, 1});
    const lowering::RowField computed{"c", lowering::Sql::name({"c"}), std::nullopt};
    add(computed, {-5, 5}, kInt8, {-5, 5, 1});
    add(computed,
        {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}, kText,
        {-5, 5, 1});
  }

  std::string row(Random& random, const std::string& unit, bool mangled) const {
    std::vector<std::optional<std::string>> all = {unit};
    for (const auto& [type, grid] : fields) {
      all.push_back(type == kText ? random_bytes(random, 30) : random_field(random, type, grid));
      if (up_to(random, 9) == 0) all.back() = std::nullopt;
    }
    std::string bytes = row_of(all);
    if (mangled) {  // behind the unit
      const std::size_t behind = 2 + 4 + unit.size();
      bytes.resize(behind + static_cast<std::size_t>(
                                up_to(random, static_cast<int>(bytes.size() - behind))));
      bytes += random_bytes(random, 20);
    }
    return bytes;
  }

  /// The kept rows of each unit, in order.
  std::vector<std::vector<std::int64_t>> kept(const std::vector<std::string>& rows) const {
    Bounding bounding(run.task, Secret{{5, 6}});
    Feed feed(bounding, run);
    feed.take(std::vector<CopyRow>(rows.begin(), rows.end()));
    const std::atomic<bool> stop{false};
    const mechanism::UnitRows all =
        bounding.finish_rows(std::numeric_limits<std::int64_t>::min(), stop).value();
    std::vector<std::vector<std::int64_t>> units;
    std::size_t at = 0;
    for (const std::size_t end : all.ends) {
      std::vector<std::vector<std::int64_t>> of_unit;
      for (; at < end; ++at) of_unit.emplace_back(all.row(at).begin(), all.row(at).end());
      std::sort(of_unit.begin(), of_unit.end());
      units.emplace_back();
      for (const auto& row : of_unit)
        units.back().insert(units.back().end(), row.begin(), row.end());
    }
    std::sort(units.begin(), units.end());
    return units;
  }
};

class FieldTrial {
 public:
  explicit FieldTrial(Random::result_type seed) : random_(seed) {
    for (const unsigned int type : kFieldTypes) {
      forms_.emplace_back();
      for (const Grid& grid : field_grids()) forms_.back().emplace_back(type, grid);
    }
  }

  /// One value, of a random type and grid. Says what is wrong; "": nothing.
  std::string value() {
    const auto t = static_cast<std::size_t>(pick(kFieldTypes.size()));
    const auto g = static_cast<std::size_t>(pick(field_grids().size()));
    const unsigned int type = kFieldTypes[t];
    const std::string bytes = random_field(random_, type, field_grids()[g]);
    const std::optional<std::int64_t> steps = forms_[t][g].steps(bytes);
    const std::optional<std::int64_t> expected =
        type == kText ? std::nullopt : slow_steps(type, bytes, field_grids()[g]);
    read_ += steps.has_value() ? 1 : 0;
    if (steps == expected) return "";
    return "type " + std::to_string(type) + ", grid " + std::to_string(g) + ": a field of " +
           std::to_string(bytes.size()) + " bytes";
  }
  /// How many of them were numbers.
  int read() const { return read_; }

  static constexpr int kValuesOfUnits = 300;
  /// Rows of seven units, and of one more: 50 rows of 6 fields. Says what is wrong; "": nothing.
  std::string units() {
    const AllForms run(up_to(random_, 1) == 0);
    const auto unit = [](int i) { return big_endian_bytes(std::int64_t{i}); };
    std::vector<std::string> rows;
    for (int i = 0; i < 30; ++i) rows.push_back(run.row(random_, unit(i % 7), false));
    const auto without = run.kept(rows);
    for (int i = 0; i < 20; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(up_to(random_, static_cast<int>(rows.size())));
      rows.insert(rows.begin() + at, run.row(random_, unit(99), up_to(random_, 1) == 0));
    }
    const auto with = run.kept(rows);
    if (with.size() != without.size() + 1) return "another number of units";
    return std::includes(with.begin(), with.end(), without.begin(), without.end())
               ? ""
               : "other units' rows are not the same";
  }

 private:
  int pick(std::size_t below) { return up_to(random_, static_cast<int>(below) - 1); }

  Random random_;
  std::vector<std::vector<StoredForm>> forms_;
  int read_ = 0;
};

}  // namespace discreet::engine::postgres
