// SPDX-License-Identifier: Apache-2.0
#include "plan/calendar.h"

#include <gtest/gtest.h>

namespace discreet::plan::calendar_test {
namespace {

int days_in(std::int64_t year, int month) {
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (month == 2) return leap ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// Counts every day from the year 1 to 9999, as a wall calendar would.
TEST(Calendar, AgreesWithCountingEveryDay) {
  std::int64_t day = kFirstDay;
  int weekday = 0;  // 0001-01-01 was a Monday
  for (std::int64_t year = 1; year <= 9999; ++year) {
    std::int64_t of_year = 0;
    for (int month = 1; month <= 12; ++month) {
      for (int i = 1; i <= days_in(year, month); ++i) {
        ++of_year;
        if (i == 1 || i == days_in(year, month)) {
          const Civil civil = civil_of(day);
          ASSERT_TRUE(civil.year == year && civil.month == month && civil.day == i) << day;
          ASSERT_EQ(day_of(civil), day);
          ASSERT_EQ(date_part("isodow", {day, 0}), weekday + 1);
          ASSERT_EQ(date_part("dow", {day, 0}), (weekday + 1) % 7);
          ASSERT_EQ(date_part("doy", {day, 0}), of_year);
        }
        ++day;
        weekday = (weekday + 1) % 7;
      }
    }
  }
  EXPECT_EQ(day - 1, kLastDay);
}

TEST(Calendar, TruncatesToTheStart) {
  const std::int64_t day = day_of({2024, 8, 15});  // a Thursday
  const Moment moment{day, 47'123'456'789};
  EXPECT_EQ(date_trunc("year", moment).day, day_of({2024, 1, 1}));
  EXPECT_EQ(date_trunc("quarter", moment).day, day_of({2024, 7, 1}));
  EXPECT_EQ(date_trunc("month", moment).day, day_of({2024, 8, 1}));
  EXPECT_EQ(date_trunc("week", moment).day, day_of({2024, 8, 12}));
  EXPECT_EQ(date_trunc("day", moment).microsecond, 0);
  EXPECT_EQ(date_trunc("hour", moment).microsecond, 13 * 3'600'000'000);
  EXPECT_EQ(date_part("hour", moment), 13);
  EXPECT_EQ(date_part("minute", moment), 5);
  EXPECT_EQ(next_start("quarter", day_of({2024, 10, 1})), day_of({2025, 1, 1}));
}

}  // namespace
}  // namespace discreet::plan::calendar_test
