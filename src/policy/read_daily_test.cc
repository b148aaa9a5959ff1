// SPDX-License-Identifier: Apache-2.0
// `daily:` is read, written back, and its mistakes are named with their lines.
#include <gtest/gtest.h>

#include "policy/policy.h"

namespace discreet::policy::read_daily_test {
namespace {

Reading reading(const std::string& daily) {
  return read_policy(
      "version: 1\nsnapshot: s\nunits: {people: {budget: {epsilon: 1, delta: 0}}}\n"
      "tables:\n  visits:\n    source: v.csv\n    unit: {namespace: people, column: id}\n"
      "    columns:\n      day: {type: date, range: [2026-01-01, 2026-12-31]}\n"
      "      age: {type: integer, range: [0, 9]}\n"
      "daily:\n  by_day: " +
          daily + "\n",
      ".");
}

TEST(ReadDaily, ReadsBackAsItWasWritten) {
  const Reading read = reading(
      "{table: visits, day: day, first: 2026-01-02, days: 30, days_per_unit: 3, rows_per_day: 2, "
      "rho: 0.05}");
  ASSERT_TRUE(read.policy);
  const Daily& daily = read.policy->daily.at("by_day");
  EXPECT_EQ(daily.days, 30);
  EXPECT_EQ(daily.days_per_unit, 3);
  EXPECT_EQ(daily.rows_per_day, 2);
  EXPECT_EQ(daily.rho, Rational::ratio(1, 20));
  EXPECT_EQ(to_string(Value{Rational(daily.first), Type::kDate}), "2026-01-02");
  EXPECT_EQ(*read_policy(write_policy(*read.policy), ".").policy, *read.policy);
}

TEST(ReadDaily, NamesWhatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"{table: visit, day: day, first: 2026-01-01, days: 3, rho: 1}", "did you mean visits?"},
      {"{table: visits, day: age, first: 2026-01-01, days: 3, rho: 1}", "no column of days"},
      {"{table: visits, day: day, first: 2026-01-01, days: 366, rho: 1}", "outside the declared"},
      {"{table: visits, day: day, first: 2025-12-31, days: 3, rho: 1}", "outside the declared"},
      {"{table: visits, day: day, first: soon, days: 3, rho: 1}", "is no day"},
      {"{table: visits, day: day, first: 2026-01-01, days: 0, rho: 1}", "whole number"},
      {"{table: visits, day: day, first: 2026-01-01, days: 3, days_per_unit: 4, rho: 1}",
       "more than there are days"},
      {"{table: visits, day: day, first: 2026-01-01, days: 3, rho: 0}", "above 0"},
      {"{table: visits, day: day, first: 2026-01-01, days: 3}", "has no rho"},
      {"often", "not a map"},
  };
  for (const auto& [daily, words] : cases) {
    const Reading read = reading(daily);
    ASSERT_FALSE(read.policy) << daily;
    bool found = false;
    for (const Mistake& mistake : read.mistakes) {
      found = found || (mistake.message + mistake.fix).find(words) != std::string::npos;
      EXPECT_GE(mistake.line, 11);
    }
    EXPECT_TRUE(found) << daily << ": " << read.mistakes.front().message;
  }
}

}  // namespace
}  // namespace discreet::policy::read_daily_test
