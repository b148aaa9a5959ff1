// SPDX-License-Identifier: Apache-2.0
#include "engine/tally.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "plan/random_for_tests.h"

namespace discreet::engine::tally_test {
namespace {

using mechanism::Runs;

// A table of 2^20 counters for one row of one person: 80 COUNT(DISTINCT ...) took 2 GB.
TEST(Tally, OneRowTakesOneRowsMemory) {
  Tally one(1, 0, (1 << 20) - 1);
  Tally other(1, 0, (1 << 20) - 1);
  EXPECT_EQ(one.bytes(), 0U);
  one.add(0, 1000);
  other.add(0, 7);
  one.merge(std::move(other));
  EXPECT_LT(one.bytes(), 200U);
  EXPECT_EQ(one.runs(), std::vector<Runs>{(Runs{{7, 1}, {1000, 1}})});
  EXPECT_LT(one.bytes(), 200U);
}

// One more row is never much more memory: also not the one with which entries become a table.
TEST(Tally, MemoryGrowsWithWhatWasAdded) {
  Tally tally(4, 0, 50'000);
  std::size_t before = 0;
  for (std::int64_t i = 0; i < 400'000; ++i) {
    tally.add(static_cast<std::uint32_t>(i % 4), i * 7 % 50'001);
    ASSERT_LE(tally.bytes(), 200U * static_cast<std::size_t>(i + 1)) << i;
    ASSERT_LE(tally.bytes(), std::max<std::size_t>(1'000, 4 * before)) << i;
    before = tally.bytes();
  }
  EXPECT_LE(tally.bytes(), 4 * 50'001 * sizeof(std::int64_t));  // it is a table at the end
}

struct Case {
  std::size_t groups;
  std::int64_t low;
  std::int64_t high;
};

/// By group and value how often it was added, by two threads.
void expect_as_counted(const Case& one, int count, plan::Random& random) {
  Tally mine(one.groups, one.low, one.high);
  Tally theirs(one.groups, one.low, one.high);
  std::map<std::pair<std::size_t, std::int64_t>, std::int64_t> counted;
  for (int i = 0; i < count; ++i) {
    const int group = plan::up_to(random, static_cast<int>(one.groups) - 1);
    const std::int64_t end = plan::up_to(random, 1'000'000);
    const std::int64_t value = plan::up_to(random, 1) == 0 ? std::min(one.low + end, one.high)
                                                           : std::max(one.high - end, one.low);
    (plan::up_to(random, 3) == 0 ? mine : theirs).add(static_cast<std::uint32_t>(group), value);
    ++counted[{static_cast<std::size_t>(group), value}];
  }
  std::vector<Runs> runs(one.groups);
  std::vector<std::int64_t> distinct(one.groups);
  for (const auto& [place, times] : counted) {
    runs[place.first].emplace_back(place.second, times);
    ++distinct[place.first];
  }
  mine.merge(std::move(theirs));
  EXPECT_EQ(mine.runs(), runs) << count;
  EXPECT_EQ(mine.distinct(), distinct) << count;
  EXPECT_EQ(mine.runs(), runs) << count;  // several quantiles share a tally
}

TEST(Tally, CountsTheSameHoweverItHoldsIt) {
  plan::Random random(20261118);
  const std::vector<Case> cases = {
      {1, 0, 0},       {3, -2, 5}, {5, 0, 9'999}, {1, 0, 100'000}, {2, INT64_MIN, INT64_MAX},
      {300'000, -4, 4}};
  for (const Case& one : cases) {
    for (const int count : {0, 1, 7, 1'000, 20'000}) expect_as_counted(one, count, random);
  }
  expect_as_counted({2, 0, 1 << 30}, 150'000, random);  // entries of one value become one
}

}  // namespace
}  // namespace discreet::engine::tally_test
