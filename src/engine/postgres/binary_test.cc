// SPDX-License-Identifier: Apache-2.0
// Bytes of a field, random ones too, against the obvious reading of them; and that what one unit's
// fields hold changes nothing of another's. DISCREET_CASES=N tries N values of each kind.
#include "engine/postgres/binary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include "engine/postgres/feed.h"
#include "engine/postgres/fields_for_tests.h"

namespace discreet::engine::postgres::binary_test {
namespace {

using lowering::Sql;

const std::vector<unsigned int> kTypes = {kInt2,    kInt4,    kInt8,      kFloat4,
                                          kFloat8,  kDate,    kTimestamp, kTimestamptz,
                                          kNumeric, kNumeric, kNumeric,   kText};

const std::vector<Grid>& grids() {
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

TEST(PostgresFields, OfAnyBytesAreWhatTheirDefinitionSays) {
  Random random(29);
  int values = 0;
  const int most = field_cases(40'000);
  std::vector<std::vector<StoredForm>> forms;
  for (const unsigned int type : kTypes) {
    forms.emplace_back();
    for (const Grid& grid : grids()) forms.back().emplace_back(type, grid);
  }
  for (int i = 0; i < most; ++i) {
    const auto t = static_cast<std::size_t>(up_to(random, static_cast<int>(kTypes.size()) - 1));
    const auto g = static_cast<std::size_t>(up_to(random, static_cast<int>(grids().size()) - 1));
    const std::string bytes = random_field(random, kTypes[t], grids()[g]);
    const std::optional<std::int64_t> steps = forms[t][g].steps(bytes);
    const std::optional<std::int64_t> expected =
        kTypes[t] == kText ? std::nullopt : slow_steps(kTypes[t], bytes, grids()[g]);
    ASSERT_EQ(steps, expected) << "case " << i << ", type " << kTypes[t] << ", grid " << g;
    values += steps.has_value() ? 1 : 0;
  }
  EXPECT_GT(values, most / 3);
}

std::optional<std::string_view> view(const std::string& bytes) { return bytes; }

TEST(PostgresFields, WholeNumericsAreReadOrAreNothing) {
  Random random(30);
  const Rational limit = power_of_two(126);
  int values = 0;
  for (int i = 0; i < field_cases(20'000); ++i) {
    const std::string bytes = random_field(
        random, kNumeric, {Rational(-1'000), Rational(1'000), up_to(random, 1) == 0 ? 1 : 2});
    const std::optional<Int128> value = numeric_integer(view(bytes));
    const std::optional<Rational> exact = numeric_value(bytes);
    const bool is_whole = exact && exact->denominator() == 1 && exact->abs() < limit;
    ASSERT_EQ(value.has_value(), is_whole) << i;
    if (!is_whole) continue;
    ASSERT_EQ(to_integer(*value), exact->numerator()) << i;
    ++values;
  }
  EXPECT_GT(values, 100);
  const auto of = [](const Rational& whole) { return numeric_near(whole, 0, 0).bytes(); };
  EXPECT_FALSE(numeric_integer(view(of(limit))));
  EXPECT_TRUE(numeric_integer(view(of(limit - Rational(1)))));
  EXPECT_TRUE(numeric_integer(view(of(Rational(1) - limit))));
  EXPECT_FALSE(numeric_integer(std::nullopt));
}

// More digits than a signed word counts: the number is beyond every range.
TEST(PostgresFields, ANumericOf147456DigitsIsTheEndOfARange) {
  NumericField field;
  field.count = 36'864;
  field.weight = 32'767;
  field.digits.assign(field.count, 9'999);
  const StoredForm form(kNumeric, {0, 100, 1});
  EXPECT_EQ(form.steps(field.bytes()), 100);
  field.sign = 0x4000;
  EXPECT_EQ(form.steps(field.bytes()), 0);
  field.weight = -1;
  EXPECT_EQ(form.steps(field.bytes()), 0);
  field.count = 0x8fff;
  EXPECT_EQ(form.steps(field.bytes()), std::nullopt);
}

// The digits follow the expansion of a half of 3/7, so that the last one decides.
TEST(PostgresFields, TakeAWorkThatGrowsWithTheirBytesAlone) {
  const Grid grid{0, Rational::ratio(300, 7), Rational::ratio(3, 7)};
  const StoredForm form(kNumeric, grid);
  const auto took = [&](int places) {
    const std::string bytes = numeric_near(Rational::ratio(9, 14), places, 0).bytes();
    auto least = std::chrono::steady_clock::duration::max();
    for (int again = 0; again < 7; ++again) {
      const auto start = std::chrono::steady_clock::now();
      EXPECT_EQ(form.steps(bytes), 1);
      least = std::min(least, std::chrono::steady_clock::now() - start);
    }
    return std::chrono::duration<double>(least).count();
  };
  EXPECT_LT(took(30'000), 100 * took(1'500));  // 20 times the bytes; their square would be 400
}

TEST(PostgresRows, OfAnyBytesHaveFieldsInsideThem) {
  Random random(31);
  for (int i = 0; i < field_cases(20'000); ++i) {
    std::string row =
        up_to(random, 1) == 0
            ? random_bytes(random, 30)
            : row_of({random_bytes(random, 9), std::nullopt, random_bytes(random, 9)});
    if (!row.empty() && up_to(random, 1) == 0) {
      row[static_cast<std::size_t>(up_to(random, static_cast<int>(row.size()) - 1))] =
          static_cast<char>(up_to(random, 255));
    }
    FieldReader fields(row);
    const char* last = row.data();
    for (int f = 0; f < 5; ++f) {
      const std::optional<std::string_view> field = fields.next();
      if (!field) continue;
      ASSERT_GE(field->data(), last);
      last = field->data() + field->size();
      ASSERT_LE(last, row.data() + row.size());
    }
  }
}

lowering::RowField stored_field(unsigned int type, const std::string& type_name,
                                policy::Type declared, const Grid& grid) {
  return {"x", Sql::name({"x"}),
          lowering::ColumnRead{{"x", type_name, type}, Sql::name({"x"}), declared, grid, {}}};
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
    run.fields.push_back({"u", Sql::name({"u"}), std::nullopt});
    const auto stored = [&](unsigned int type, const std::string& name, policy::Type declared,
                            const Grid& grid) {
      const Quantizer quantizer(grid);
      add(stored_field(type, name, declared, grid), {quantizer.low(), quantizer.high()}, type,
          grid);
    };
    stored(kNumeric, "numeric(12,2)", policy::Type::kDecimal, grids()[1]);
    stored(kNumeric, "numeric(1000,500)", policy::Type::kDecimal, grids()[2]);
    stored(kFloat8, "double precision", policy::Type::kDecimal, grids()[0]);
    stored(kDate, "date", policy::Type::kDate, {18'262, 20'453, 1});
    const lowering::RowField computed{"c", Sql::name({"c"}), std::nullopt};
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

TEST(PostgresRows, OfOneUnitChangeNothingOfAnothers) {
  Random random(32);
  const int rounds = field_cases(18'000) / 120;  // of 20 rows with 6 fields
  for (int round = 0; round < rounds; ++round) {
    const AllForms run(round % 2 == 0);
    const auto unit = [](int i) { return big_endian_bytes(std::int64_t{i}); };
    std::vector<std::string> rows;
    for (int i = 0; i < 30; ++i) rows.push_back(run.row(random, unit(i % 7), false));
    const auto without = run.kept(rows);
    for (int i = 0; i < 20; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(up_to(random, static_cast<int>(rows.size())));
      rows.insert(rows.begin() + at, run.row(random, unit(99), up_to(random, 1) == 0));
    }
    const auto with = run.kept(rows);
    ASSERT_EQ(with.size(), without.size() + 1);
    ASSERT_TRUE(std::includes(with.begin(), with.end(), without.begin(), without.end())) << round;
  }
}

TEST(PostgresRows, WithoutAUnitAreNobodys) {
  Random random(33);
  const AllForms run(false);
  EXPECT_TRUE(run.kept({row_of({std::nullopt}), row_of({"short"}), row_of({}), "", "x",
                        row_of({big_endian_bytes(std::int64_t{1}) + "long"})})
                  .empty());
}

}  // namespace
}  // namespace discreet::engine::postgres::binary_test
