// SPDX-License-Identifier: Apache-2.0
#include "engine/census.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace discreet::engine {
namespace {

constexpr Secret kSecret{{5, 6}};

struct Row {
  std::int64_t foreign;
  std::int64_t key;
};

BoundingTask task_of(std::int64_t groups, std::int64_t rows) {
  BoundingTask task;
  task.groups_per_unit = groups;
  task.rows_per_unit_and_group = rows;
  task.keys = {KeyKind::kNumber};
  return task;
}

void feed(Census& census, const std::vector<Row>& rows, std::size_t threads) {
  for (std::size_t t = 0; t < threads; ++t) {
    Census::Worker& worker = census.new_worker();
    std::vector<std::int64_t> foreign;
    std::vector<std::uint32_t> keys;
    for (std::size_t i = t; i < rows.size(); i += threads) {
      foreign.push_back(rows[i].foreign);
      keys.push_back(worker.keys.extend(0, 0, worker.keys.of_number(0, rows[i].key)));
    }
    worker.count(foreign, nullptr, keys);
  }
}

TEST(Census, KnowsWhetherSomethingIsCut) {
  std::mt19937 random(3);
  const auto below = [&](int n) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
  };
  int whole = 0;
  for (int round = 0; round < 400; ++round) {
    const int units = 1 + static_cast<int>(below(6));
    std::vector<std::int64_t> owners;  // of keys -3, -2, ...
    for (int i = 0; i < 12; ++i) owners.push_back(100 + below(units));
    std::vector<Row> rows;
    for (std::int64_t i = below(20); i >= 0; --i) rows.push_back({below(12) - 3, below(4)});
    const BoundingTask task = task_of(1 + below(4), 1 + below(5));
    Census census(task, kSecret);
    for (std::int64_t key = 0; key < 12; ++key) {
      const std::int64_t foreign = key - 3;
      census.add_owners({&foreign, 1}, &owners[static_cast<std::size_t>(key)]);
    }
    ASSERT_TRUE(census.begin());
    feed(census, rows, static_cast<std::size_t>(1 + below(3)));
    std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> counts;
    for (const Row& row : rows)
      ++counts[owners[static_cast<std::size_t>(row.foreign + 3)]][row.key];
    bool cut = false;
    std::map<std::int64_t, std::int64_t> units_of;
    for (const auto& [unit, groups] : counts) {
      cut = cut || static_cast<std::int64_t>(groups.size()) > task.groups_per_unit;
      for (const auto& [key, n] : groups) {
        cut = cut || n > task.rows_per_unit_and_group;
        ++units_of[key];
      }
    }
    const auto counted = census.finish();
    ASSERT_EQ(counted.has_value(), !cut);
    if (!counted) continue;
    ++whole;
    EXPECT_EQ(counted->rows, static_cast<std::int64_t>(rows.size()));
    std::multiset<std::int64_t> wanted, got;
    for (const auto& [key, n] : units_of) wanted.insert(n);
    for (const auto& [key, n] : counted->units) got.insert(n);
    EXPECT_EQ(got, wanted);
  }
  EXPECT_GT(whole, 50);
  EXPECT_LT(whole, 350);
}

TEST(Census, GivesUpOnWhatIsNobodysOrTwice) {
  const BoundingTask task = task_of(5, 5);
  const std::vector<std::int64_t> keys = {1, 2, 4};
  const std::vector<std::int64_t> units = {7, 7, 8};
  const auto owned = [&](Census& census) {
    census.add_owners(keys, units.data());
    return census.begin();
  };
  for (const std::int64_t foreign : {std::int64_t{3}, std::int64_t{0}, std::int64_t{5},
                                     std::numeric_limits<std::int64_t>::min()}) {
    Census census(task, kSecret);
    ASSERT_TRUE(owned(census));
    feed(census, {{1, 0}, {foreign, 0}}, 1);
    EXPECT_TRUE(census.abandoned());
    EXPECT_FALSE(census.finish().has_value());
  }
  Census null(task, kSecret);
  ASSERT_TRUE(owned(null));
  const std::int64_t foreign = 1;
  const std::uint64_t valid = 0;
  const std::uint32_t key = 0;
  null.new_worker().count({&foreign, 1}, &valid, {&key, 1});
  EXPECT_FALSE(null.finish().has_value());
  Census twice(task, kSecret);
  twice.add_owners({{1, 2, 1}}, units.data());
  EXPECT_FALSE(twice.begin());
  Census far(task, kSecret);
  far.add_owners({{1, std::int64_t{1} << 40}}, units.data());
  EXPECT_FALSE(far.begin());
  Census nobody(task, kSecret);
  EXPECT_FALSE(nobody.begin());
}

TEST(Census, GivesUpWhereThereAreTooManyGroups) {
  const BoundingTask task = task_of(1'000'000, 1'000'000);
  Census census(task, kSecret);
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < 5'000; ++i) keys.push_back(i);
  census.add_owners(keys, keys.data());
  ASSERT_TRUE(census.begin());
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < 2'000; ++i) rows.push_back({i, i});
  feed(census, rows, 1);
  EXPECT_FALSE(census.finish().has_value());
}

TEST(Census, CompletesGroupsOfTheSameRowsOnly) {
  Census::Counted counted;
  counted.units = {{"a", 2}, {"b", 1}};
  counted.rows = 5;
  EXPECT_TRUE(counted.only({"a", "b", "c"}));
  EXPECT_FALSE(counted.only({"a", "c"}));
  mechanism::Groups groups;
  groups.keys = {"b", "a"};
  groups.units = {1, 4};
  groups.integers = {{1, 4}, {10, 40}};
  ASSERT_TRUE(counted.complete(groups, {0}));
  EXPECT_EQ(groups.units, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(groups.integers[0], (std::vector<Int128>{1, 2}));
  EXPECT_EQ(groups.integers[1], (std::vector<Int128>{10, 40}));
  groups.units = {1, 3};
  EXPECT_FALSE(counted.complete(groups, {}));
  groups.units = {1, 4};
  groups.keys = {"b", "c"};
  EXPECT_FALSE(counted.complete(groups, {}));
  groups = {{"a"}, {5}, {{1}}, {{}}};
  EXPECT_FALSE(counted.complete(groups, {}));
}

}  // namespace
}  // namespace discreet::engine
