// SPDX-License-Identifier: Apache-2.0
#include "session/readings.h"

#include <gtest/gtest.h>

#include <limits>

namespace discreet::session::readings_test {
namespace {

sql::Output column(policy::Type type) {
  sql::Output output;
  output.name = "x";
  output.type = type;
  output.post = sql::Post::measurement(0);
  return output;
}

TEST(Readings, MarkAGroupWhoseNoiseIsMoreThanHalfOfItsValue) {
  const sql::Output count = column(policy::Type::kInteger);
  EXPECT_FALSE(is_small(sql::Number{100, 90, 110}, count));
  EXPECT_TRUE(is_small(sql::Number{15, 5, 25}, count));
  EXPECT_TRUE(is_small(sql::Number{3, 0, 13}, count));     // an interval that was cut at 0
  EXPECT_TRUE(is_small(sql::Number{-12, -12, 0}, count));  // noise far below 0, cut at both ends
  EXPECT_FALSE(is_small(sql::Number{-100, -110, -90}, count));
  EXPECT_FALSE(is_small(std::string("north"), count));
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_small(sql::Number{5, -kInf, kInf}, count));
}

TEST(Readings, ShowTwoDigitsOfTheInterval) {
  const auto shown = [](const sql::Number& number, policy::Type type) {
    const AnswerCell cell = cell_of(number, column(type));
    return cell.low.value_or("-") + " " + *cell.value + " " + cell.high.value_or("-");
  };
  EXPECT_EQ(shown({29.4567, 29.2111, 29.7023}, policy::Type::kDecimal), "29.21 29.46 29.70");
  EXPECT_EQ(shown({1234.5, 1000.25, 1468.75}, policy::Type::kDecimal), "1000 1234 1469");
  EXPECT_EQ(shown({-0.001, -4, 4}, policy::Type::kDecimal), "-4.0 0.0 4.0");
  EXPECT_EQ(shown({7, 5, 9}, policy::Type::kInteger), "5 7 9");
  EXPECT_EQ(shown({0, -1, 1}, policy::Type::kDate), "1969-12-31 1970-01-01 1970-01-02");
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(shown({2, -kInf, 5}, policy::Type::kDecimal), "- 2 5");
  EXPECT_FALSE(cell_of(sql::Cell{}, column(policy::Type::kText)).value.has_value());
}

}  // namespace
}  // namespace discreet::session::readings_test
