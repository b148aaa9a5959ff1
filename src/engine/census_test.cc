// SPDX-License-Identifier: Apache-2.0
#include "engine/census.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace discreet::engine::census_test {
namespace {

struct Row {
  std::int64_t foreign;
  std::int64_t key;
};

BoundingTask task_of(std::int64_t groups, std::int64_t rows) {
  BoundingTask task;
  task.groups_per_unit = groups;
  task.rows_per_unit_and_group = rows;
  return task;
}

using Keyed = std::vector<std::pair<std::string, const Census::Group*>>;

/// As `threads` would count it, and as parts of a group are united.
Keyed feed(Census& census, const std::vector<Row>& rows, std::size_t threads) {
  std::map<std::int64_t, Census::Group*> whole;
  for (std::size_t t = 0; t < threads; ++t) {
    std::map<std::int64_t, Census::Group*> seen;
    for (std::size_t i = t; i < rows.size(); i += threads) {
      Census::Group*& group = seen[rows[i].key];
      if (group == nullptr) group = census.new_group();
      std::uint32_t owner = 0;
      const bool fine = group != nullptr && census.find({&rows[i].foreign, 1}, &owner) &&
                        census.count(*group, owner);
      if (fine) continue;
      census.abandon();
      return {};
    }
    for (const auto& [key, group] : seen) {
      if (whole.contains(key)) {
        census.merge(*group, *whole[key]);
      } else {
        whole[key] = group;
      }
    }
  }
  Keyed keyed;
  for (const auto& [key, group] : whole) keyed.emplace_back(std::to_string(key), group);
  return keyed;
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
    Census census(task);
    for (std::int64_t key = 0; key < 12; ++key) {
      const std::int64_t foreign = key - 3;
      census.add_owners({&foreign, 1}, &owners[static_cast<std::size_t>(key)]);
    }
    ASSERT_TRUE(census.begin());
    const Keyed keyed = feed(census, rows, static_cast<std::size_t>(1 + below(3)));
    std::optional<KeySet> listed;  // key 3 may not count
    if (below(2) == 0) listed = KeySet{"0", "1", "2", "7"};
    std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> counts;
    for (const Row& row : rows)
      ++counts[owners[static_cast<std::size_t>(row.foreign + 3)]][row.key];
    bool cut = false;
    bool given_up = false;  // also what does not count may be too much for it
    std::int64_t all = 0;
    std::map<std::string, std::int64_t> units_of;
    for (const auto& [unit, groups] : counts) {
      std::int64_t counting = 0;
      for (const auto& [key, n] : groups) {
        given_up = given_up || n > task.rows_per_unit_and_group;
        if (listed && key == 3) continue;
        cut = cut || n > task.rows_per_unit_and_group;
        all += n;
        ++counting;
        ++units_of[std::to_string(key)];
      }
      cut = cut || counting > task.groups_per_unit;
    }
    const auto counted = census.finish(keyed, listed);
    if (cut) {
      ASSERT_FALSE(counted.has_value());
    } else if (!given_up) {
      ASSERT_TRUE(counted.has_value());
    }
    if (!counted) continue;
    ++whole;
    EXPECT_EQ(counted->rows, all);
    const std::map<std::string, std::int64_t> got(counted->units.begin(), counted->units.end());
    EXPECT_EQ(got, units_of);
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
    Census census(task);
    ASSERT_TRUE(owned(census));
    feed(census, {{1, 0}, {foreign, 0}}, 1);
    EXPECT_TRUE(census.abandoned());
    EXPECT_FALSE(census.finish({}, std::nullopt).has_value());
  }
  Census twice(task);
  twice.add_owners({{1, 2, 1}}, units.data());
  EXPECT_FALSE(twice.begin());
  Census far(task);
  far.add_owners({{1, std::int64_t{1} << 40}}, units.data());
  EXPECT_FALSE(far.begin());
  Census nobody(task);
  EXPECT_FALSE(nobody.begin());
}

TEST(Census, GivesUpWhereThereAreTooManyGroups) {
  const BoundingTask task = task_of(1'000'000, 1'000'000);
  Census census(task);
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < 50'000; ++i) keys.push_back(i);
  census.add_owners(keys, keys.data());
  ASSERT_TRUE(census.begin());
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < 2'000; ++i) rows.push_back({i, i});
  feed(census, rows, 1);
  EXPECT_TRUE(census.abandoned());
  EXPECT_FALSE(census.finish({}, std::nullopt).has_value());
}

TEST(Census, CompletesGroupsOfTheSameRowsOnly) {
  Census::Counted counted;
  counted.units = {{"a", 2}, {"b", 1}};
  counted.rows = 5;
  mechanism::Groups groups;
  const auto made = [&] {
    groups.keys = {"b", "x", "a"};
    groups.units = {1, 9, 4};
    groups.integers = {{1, 9, 4}, {10, 90, 40}, {}};
    groups.runs = {{}, {}, {{{1, 1}}, {{9, 9}}, {{4, 4}}}};
  };
  made();
  EXPECT_FALSE(counted.complete(groups, {0}, std::nullopt));  // x did not come
  made();
  EXPECT_FALSE(counted.complete(groups, {0}, KeySet{"a", "b", "x"}));
  made();
  ASSERT_TRUE(counted.complete(groups, {0}, KeySet{"a", "b", "c"}));
  EXPECT_EQ(groups.keys, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(groups.units, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(groups.integers[0], (std::vector<Int128>{1, 2}));
  EXPECT_EQ(groups.integers[1], (std::vector<Int128>{10, 40}));
  EXPECT_EQ(groups.runs[2], (std::vector<mechanism::Runs>{{{1, 1}}, {{4, 4}}}));
  EXPECT_TRUE(groups.integers[2].empty());
  groups = {{"b", "a"}, {1, 3}, {}, {}};
  EXPECT_FALSE(counted.complete(groups, {}, std::nullopt));
  groups = {{"a"}, {5}, {{1}}, {{}}};
  EXPECT_FALSE(counted.complete(groups, {}, std::nullopt));
}

}  // namespace
}  // namespace discreet::engine::census_test
