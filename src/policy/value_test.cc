// SPDX-License-Identifier: Apache-2.0
#include "policy/value.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace discreet::policy::value_test {
namespace {

Rational number(const std::string& text) { return *Rational::parse(text); }

TEST(Value, ReadsEveryTypeExactly) {
  EXPECT_EQ(parse_value(Type::kDecimal, "0.1")->number(), Rational::ratio(1, 10));
  EXPECT_EQ(parse_value(Type::kInteger, "1e6")->number(), Rational(1000000));
  EXPECT_EQ(parse_value(Type::kDate, "1970-01-02")->number(), Rational(1));
  EXPECT_EQ(parse_value(Type::kDate, "1969-12-31")->number(), Rational(-1));
  EXPECT_EQ(parse_value(Type::kDate, "2024-02-29")->number(), Rational(19782));
  EXPECT_EQ(parse_value(Type::kTimestamp, "1970-01-01 00:00:01.5")->number(), Rational(1500000));
  EXPECT_EQ(parse_value(Type::kTimestamp, "1970-01-02T00:00Z")->number(), number("86400000000"));
  EXPECT_EQ(parse_value(Type::kText, "0.10")->text(), "0.10");
  EXPECT_EQ(*parse_value(Type::kBoolean, "true"), (Value{true, Type::kBoolean}));
}

TEST(Value, RefusesWhatIsNotOfItsType) {
  const std::vector<std::pair<Type, std::string>> cases{
      {Type::kBoolean, "yes"},
      {Type::kInteger, "1.5"},
      {Type::kInteger, "9223372036854775808"},
      {Type::kInteger, "nan"},
      {Type::kInteger, ""},
      {Type::kDecimal, "inf"},
      {Type::kDecimal, "1/3"},
      {Type::kDecimal, "1e18"},
      {Type::kDecimal, "1e-19"},
      {Type::kDate, "2023-02-29"},
      {Type::kDate, "2023-2-1"},
      {Type::kDate, "0000-01-01"},
      {Type::kDate, "2023-01-01x"},
      {Type::kTimestamp, "2023-01-01 24:00:00"},
      {Type::kTimestamp, "2023-01-01 10:00:00+01"},
      {Type::kTimestamp, "2023-01-01 10:00:00.1234567"},
      {Type::kTimestamp, "2023-01-01 10:00:00."},
      {Type::kTimestamp, "2023-01-01 "},
  };
  for (const auto& [type, text] : cases) {
    const auto value = parse_value(type, text);
    ASSERT_FALSE(value.has_value()) << to_string(type) << " " << text;
    EXPECT_EQ(value.error().code, Code::kInvalidInput);
    EXPECT_NE(value.error().message.find("; write"), std::string::npos) << value.error().message;
  }
}

TEST(Value, DatesAndTimestampsReadBackAsTheyAreWritten) {
  rc::check("calendar", [] {
    // 0001-01-01 to 9999-12-31.
    const std::int64_t day = *rc::gen::inRange<std::int64_t>(-719162, 2932897);
    const Value date{Rational(day), Type::kDate};
    RC_ASSERT(*parse_value(Type::kDate, to_string(date)) == date);
    const std::int64_t time = *rc::gen::inRange<std::int64_t>(0, 86'400'000'000);
    const Value timestamp{Rational(day * 86'400'000'000 + time), Type::kTimestamp};
    RC_ASSERT(*parse_value(Type::kTimestamp, to_string(timestamp)) == timestamp);
  });
  EXPECT_EQ(to_string(Value{Rational(-1), Type::kTimestamp}), "1969-12-31 23:59:59.999999");
}

TEST(Value, StepsHaveUnits) {
  EXPECT_EQ(*parse_step(Type::kDate, "7 days"), Rational(7));
  EXPECT_EQ(*parse_step(Type::kDate, "1"), Rational(1));
  EXPECT_EQ(*parse_step(Type::kTimestamp, "1"), Rational(1000000));
  EXPECT_EQ(*parse_step(Type::kTimestamp, "0.5"), Rational(500000));
  EXPECT_EQ(*parse_step(Type::kTimestamp, "15 min"), Rational(900000000));
  EXPECT_EQ(*parse_step(Type::kDecimal, "0.01"), Rational::ratio(1, 100));
  for (const auto& [type, text] :
       std::vector<std::pair<Type, std::string>>{{Type::kDate, "0.5"},
                                                 {Type::kDate, "7 dayz"},
                                                 {Type::kTimestamp, "1e-9"},
                                                 {Type::kTimestamp, "-1 s"},
                                                 {Type::kInteger, "0.5"},
                                                 {Type::kInteger, "0"},
                                                 {Type::kDecimal, "-0.01"},
                                                 {Type::kDecimal, "1/3"}}) {
    EXPECT_FALSE(parse_step(type, text).has_value()) << text;
  }
  rc::check("round trip", [] {
    const Rational step(*rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000));
    for (const Type type : {Type::kInteger, Type::kDate, Type::kTimestamp}) {
      RC_ASSERT(*parse_step(type, step_text(type, step)) == step);
    }
  });
}

TEST(Value, AGridHoldsItsMultiplesBetweenItsEnds) {
  const Grid grid{Rational(0), Rational(1), Rational::ratio(1, 4)};
  EXPECT_TRUE(contains(grid, Rational::ratio(3, 4)));
  EXPECT_TRUE(contains(grid, 1));
  EXPECT_FALSE(contains(grid, Rational::ratio(1, 3)));
  EXPECT_FALSE(contains(grid, Rational::ratio(5, 4)));
}

}  // namespace
}  // namespace discreet::policy::value_test
