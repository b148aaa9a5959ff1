// SPDX-License-Identifier: Apache-2.0
// Bytes of a field, random ones too, against the obvious reading of them; and that what one unit's
// fields hold changes nothing of another's. DISCREET_CASES=N tries N values of each kind.
#include "engine/postgres/binary.h"

#include <gtest/gtest.h>

#include <chrono>

#include "engine/postgres/field_trial_for_tests.h"

namespace discreet::engine::postgres::binary_test {
namespace {

TEST(PostgresFields, OfAnyBytesAreWhatTheirDefinitionSays) {
  FieldTrial trial(29);
  const int most = field_cases(40'000);
  for (int i = 0; i < most; ++i) ASSERT_EQ(trial.value(), "") << "case " << i;
  EXPECT_GT(trial.read(), most / 3);
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

TEST(PostgresRows, OfOneUnitChangeNothingOfAnothers) {
  FieldTrial trial(32);
  const int rounds = field_cases(45'000) / FieldTrial::kValuesOfUnits;
  for (int i = 0; i < rounds; ++i) ASSERT_EQ(trial.units(), "") << "round " << i;
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
