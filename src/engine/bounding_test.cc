// SPDX-License-Identifier: Apache-2.0
#include "engine/bounding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "engine/bounding_for_tests.h"
#include "engine/key.h"

namespace discreet::engine::bounding_test {
namespace {

using mechanism::Groups;
using mechanism::Runs;
using plan::MeasureKind;
using Random = std::mt19937_64;

constexpr Secret kSecret{{0x0123456789abcdef, 0xfedcba9876543210}};

std::int64_t below(Random& random, std::int64_t n) {
  return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random);
}

/// A group's integers and runs, by key.
struct Measured {
  std::int64_t units = 0;
  std::vector<Int128> integers;
  std::vector<Runs> runs;
  bool operator==(const Measured&) const = default;
};
using ByKey = std::map<std::string, Measured>;

ByKey by_key(const Groups& groups) {
  ByKey out;
  for (std::size_t g = 0; g < groups.keys.size(); ++g) {
    Measured measured{groups.units[g], {}, {}};
    for (const auto& column : groups.integers)
      measured.integers.push_back(column.empty() ? 0 : column[g]);
    for (const auto& column : groups.runs)
      measured.runs.push_back(column.empty() ? Runs{} : column[g]);
    EXPECT_TRUE(out.emplace(groups.keys[g], measured).second) << "a key came twice";
  }
  return out;
}

ByKey reference(const BoundingTask& task, const std::vector<PlainRow>& rows) {
  const RowLayout layout(task.wide_unit, task.contents);
  std::map<std::string, std::vector<const PlainRow*>> groups;
  for (std::size_t place :
       reference_kept(rows, layout, static_cast<std::size_t>(task.groups_per_unit),
                      static_cast<std::size_t>(task.rows_per_unit_and_group), kSecret,
                      static_cast<std::size_t>(task.candidates_per_unit))) {
    groups[rows[place].key].push_back(&rows[place]);
  }
  ByKey out;
  for (const auto& [key, kept] : groups) {
    std::set<std::vector<std::uint64_t>> units;
    for (const PlainRow* row : kept) units.insert(row->unit);
    Measured measured{static_cast<std::int64_t>(units.size()), {}, {}};
    for (const Measure& measure : task.measures) {
      Int128 integer = 0;
      std::map<std::int64_t, std::int64_t> tally;
      for (const PlainRow* row : kept) {
        if (!measure.content) {
          integer += 1;
        } else if (const auto& value = row->contents[*measure.content]) {
          const std::int64_t z = measure.map(*value);
          if (measure.kind == MeasureKind::kRows) integer += 1;
          if (measure.kind == MeasureKind::kSum) integer += z;
          if (measure.kind == MeasureKind::kSquares) integer += Int128{z} * z;
          if (measure.kind == MeasureKind::kQuantile) ++tally[z];
          if (measure.kind == MeasureKind::kDistinct) ++tally[*value];
        }
      }
      if (measure.kind == MeasureKind::kUnits) integer = measured.units;
      if (measure.kind == MeasureKind::kDistinct) integer = static_cast<Int128>(tally.size());
      const bool quantile = measure.kind == MeasureKind::kQuantile;
      measured.integers.push_back(quantile ? 0 : integer);
      measured.runs.push_back(quantile ? Runs(tally.begin(), tally.end()) : Runs{});
    }
    out.emplace(key, measured);
  }
  return out;
}

/// Key texts of one text column, or of a number and a text.
struct Keyed {
  std::optional<std::int64_t> number;
  std::optional<std::string> text;
};

struct Case {
  BoundingTask task;
  std::vector<PlainRow> rows;
  std::vector<Keyed> keys;  // of each row
};

std::string bytes(const Keyed& keyed, std::size_t columns) {
  std::string key;
  if (columns == 2) keyed.number ? append_number(key, *keyed.number) : append_null(key);
  if (columns >= 1) keyed.text ? append_text(key, *keyed.text) : append_null(key);
  return key;
}

/// Without room for more than a slab every row is written out before the next one comes.
struct Filled : Bounding {
  Filled(const Case& c, const std::vector<std::size_t>& order, std::size_t workers, bool on_disk)
      : Bounding(c.task, kSecret, on_disk ? 0 : RowRoom::kEndless,
                 std::filesystem::temp_directory_path(), std::size_t{2} << 20) {
    fill(c, order, workers);
  }
  void fill(const Case& c, const std::vector<std::size_t>& order, std::size_t workers);
};

Groups run(const Case& c, const std::vector<std::size_t>& order, std::size_t workers,
           std::size_t threads, bool on_disk = false) {
  Filled bounding(c, order, workers, on_disk);
  std::atomic<bool> stop{false};
  return bounding.finish(threads, stop).value();
}

void Filled::fill(const Case& c, const std::vector<std::size_t>& order, std::size_t workers) {
  std::vector<Bounding::Worker*> all;
  for (std::size_t w = 0; w < workers; ++w) all.push_back(&new_worker());
  for (std::size_t i = 0; i < order.size(); ++i) {
    Bounding::Worker& worker = *all[i % workers];
    const PlainRow& row = c.rows[order[i]];
    const Keyed& keyed = c.keys[order[i]];
    std::uint64_t* words = worker.rows.begin(1);
    for (std::size_t w = 0; w < row.unit.size(); ++w) words[w] = row.unit[w];
    std::uint32_t key = 0;
    std::size_t k = 0;
    if (c.task.keys.size() == 2) {
      key = worker.keys.extend(
          0, 0, keyed.number ? worker.keys.of_number(0, *keyed.number) : KeyIds::kNull);
      k = 1;
    }
    if (!c.task.keys.empty()) {
      key = worker.keys.extend(k, key,
                               keyed.text ? worker.keys.of_text(k, *keyed.text) : KeyIds::kNull);
    }
    words[layout().unit_words()] = key;
    for (std::size_t f = 0; f < row.contents.size(); ++f) {
      if (row.contents[f]) RowLayout::put(layout().field(f), words, *row.contents[f]);
    }
    worker.rows.commit();
  }
}

/// Few of them, so that measures share what they tally.
IntegerMap random_map(Random& random) {
  const std::int64_t which = below(random, 3);
  IntegerMap::Formula formula;
  formula.slope = Rational::ratio(1 + which, 3 - which);
  formula.offset = Rational(which - 1);
  formula.low = -10 * which;
  formula.high = 40;
  return IntegerMap(formula);
}

Case random_case(Random& random) {
  Case c;
  c.task.groups_per_unit = 1 + below(random, 4);
  c.task.rows_per_unit_and_group = 1 + below(random, 4);
  if (below(random, 2) == 0) c.task.candidates_per_unit = 1 + below(random, 20);
  c.task.wide_unit = below(random, 2) == 0;
  const auto columns = static_cast<std::size_t>(below(random, 3));
  if (columns == 2) c.task.keys.push_back(KeyKind::kNumber);
  if (columns >= 1) c.task.keys.push_back(KeyKind::kText);
  const std::vector<Content> kinds = {
      {0, 1}, {-3, 3}, {7, 7}, {0, 500'000}, {INT64_MIN, INT64_MAX}};
  auto contents = static_cast<std::size_t>(below(random, 5));
  if (below(random, 8) == 0) contents = static_cast<std::size_t>(8 + below(random, 40));
  for (std::size_t i = 0; i < contents; ++i) {
    c.task.contents.push_back(kinds[static_cast<std::size_t>(below(random, 5))]);
  }
  c.task.measures.push_back({MeasureKind::kRows, {}, {}});
  for (std::int64_t i = below(random, 7); i > 0; --i) {
    const auto kind = static_cast<MeasureKind>(below(random, 6));
    Measure measure{kind, {}, random_map(random)};
    const bool needs = kind != MeasureKind::kRows && kind != MeasureKind::kUnits;
    if (contents == 0 && needs) continue;
    if (needs)
      measure.content =
          static_cast<std::size_t>(below(random, static_cast<std::int64_t>(contents)));
    c.task.measures.push_back(measure);
  }
  const std::int64_t units = 1 + below(random, 12);
  for (std::int64_t n = below(random, 120); n > 0; --n) {
    PlainRow row;
    row.unit = {static_cast<std::uint64_t>(below(random, units))};
    if (c.task.wide_unit) row.unit.push_back(static_cast<std::uint64_t>(below(random, 2)));
    Keyed keyed;
    if (below(random, 5) != 0) keyed.number = below(random, 3) - 1;
    if (below(random, 5) != 0)
      keyed.text = std::string(static_cast<std::size_t>(below(random, 4)), 'x');
    row.key = bytes(keyed, columns);
    for (const Content& content : c.task.contents) {
      std::optional<std::int64_t> value;
      const bool full = content.low == INT64_MIN;
      const std::int64_t span = full ? 3 : std::min<std::int64_t>(content.high - content.low, 4);
      const std::int64_t step = below(random, span + 1);
      if (below(random, 6) != 0)
        value = below(random, 2) == 0 ? content.low + step : content.high - step;
      row.contents.push_back(value);
    }
    c.rows.push_back(std::move(row));
    c.keys.push_back(std::move(keyed));
  }
  return c;
}

std::vector<std::size_t> in_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  return order;
}

TEST(Bounding, KeepsWhatTheDefinitionKeepsInAnyOrderWithAnyThreads) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    const Case c = random_case(random);
    const ByKey expected = reference(c.task, c.rows);
    std::vector<std::size_t> order = in_order(c.rows.size());
    for (std::size_t workers : {1, 2, 5}) {
      for (std::size_t threads : {1, 2, 4}) {
        std::shuffle(order.begin(), order.end(), random);
        ASSERT_EQ(by_key(run(c, order, workers, threads)), expected) << "case " << i;
        if (threads != workers) continue;
        ASSERT_EQ(by_key(run(c, order, workers, threads, true)), expected) << "case " << i;
      }
    }
  }
}

TEST(Bounding, KeptRowsOfOthersDoNotDependOnAUnit) {
  Random random(8);
  for (int i = 0; i < 200; ++i) {
    Case c = random_case(random);
    if (c.rows.empty()) continue;
    c.task.measures = {{MeasureKind::kRows, {}, {}}};
    const std::vector<std::uint64_t> gone = c.rows[0].unit;
    Case only = c;
    Case without = c;
    for (auto [rest, keep_it] : {std::pair(&only, true), std::pair(&without, false)}) {
      std::vector<PlainRow> rows;
      std::vector<Keyed> keys;
      for (std::size_t r = 0; r < c.rows.size(); ++r) {
        if ((c.rows[r].unit == gone) != keep_it) continue;
        rows.push_back(c.rows[r]);
        keys.push_back(c.keys[r]);
      }
      rest->rows = rows;
      rest->keys = keys;
    }
    const ByKey all = by_key(run(c, in_order(c.rows.size()), 2, 2));
    const ByKey theirs = by_key(run(without, in_order(without.rows.size()), 1, 2));
    const ByKey own = by_key(run(only, in_order(only.rows.size()), 3, 1));
    Int128 kept = 0;
    for (const auto& [key, measured] : all) {
      Int128 sum = 0;
      for (const ByKey* part : {&theirs, &own}) {
        if (auto found = part->find(key); found != part->end()) sum += found->second.integers[0];
      }
      EXPECT_EQ(measured.integers[0], sum);
    }
    for (const auto& [key, measured] : own) {
      EXPECT_LE(measured.integers[0], c.task.rows_per_unit_and_group);
      kept += measured.integers[0];
    }
    EXPECT_LE(own.size(), static_cast<std::size_t>(c.task.groups_per_unit));
    EXPECT_GT(kept, 0);
  }
}

// Which 2 of 5 groups: each pair as often as the next. 10 pairs, 20,000 units: chi square with 9
// degrees of freedom is above 60 with probability below 2e-9; one that took the first two by number
// would be at 180,000.
TEST(Bounding, ChoosesGroupsUniformly) {
  Case c;
  c.task.groups_per_unit = 2;
  c.task.keys = {KeyKind::kText};
  c.task.measures = {{MeasureKind::kRows, {}, {}}};
  constexpr std::uint64_t kUnits = 20'000;
  std::map<std::pair<std::string, std::string>, int> pairs;
  const RowLayout layout(false, {});
  for (std::uint64_t unit = 0; unit < kUnits; ++unit) {
    std::vector<PlainRow> rows;
    for (const char* text : {"a", "b", "c", "d", "e"}) {
      rows.push_back({{unit}, bytes({{}, text}, 1), {}});
    }
    const auto kept = reference_kept(rows, layout, 2, 1, kSecret);
    ++pairs[{rows[kept[0]].key, rows[kept[1]].key}];
  }
  ASSERT_EQ(pairs.size(), 10U);
  double chi_square = 0;
  for (const auto& [pair, count] : pairs) chi_square += (count - 2000.0) * (count - 2000.0) / 2000;
  EXPECT_LT(chi_square, 60);
}

// What is learnt from.
TEST(Bounding, KeepsTheSameRowsOnDisk) {
  Random random(11);
  for (int i = 0; i < 100; ++i) {
    Case c = random_case(random);
    if (!c.task.keys.empty() || c.task.contents.empty()) continue;
    c.task.measures = {{MeasureKind::kSum, 0, {}}};
    std::vector<std::vector<std::int64_t>> cells;
    for (const bool on_disk : {false, true}) {
      std::atomic<bool> stop{false};
      auto rows = Filled(c, in_order(c.rows.size()), 2, on_disk).finish_rows(INT64_MIN, stop);
      cells.emplace_back(rows->cells.begin(), rows->cells.end());
    }
    ASSERT_EQ(cells[0], cells[1]) << "case " << i;
  }
}

TEST(Bounding, StopsWhenToldTo) {
  Random random(9);
  const Case c = random_case(random);
  Bounding bounding(c.task, kSecret);
  std::atomic<bool> stop{true};
  EXPECT_FALSE(bounding.finish(2, stop).has_value());
}

TEST(Bounding, OfNoRowsGivesNoGroups) {
  Bounding bounding({1, 1, false, {}, {}, {{MeasureKind::kRows, {}, {}}}}, kSecret);
  std::atomic<bool> stop{false};
  EXPECT_TRUE(bounding.finish(2, stop)->keys.empty());
}

/// 30,000 rows in random order, two thirds of them one unit's, many of them equal.
Case heavy_case(Random& random) {
  Case c;
  c.task.groups_per_unit = 1 + below(random, 3);
  c.task.rows_per_unit_and_group = 1 + below(random, 40);
  c.task.candidates_per_unit = 100;
  c.task.keys = {KeyKind::kText};
  c.task.contents = {{0, 1000}};
  c.task.measures = {{MeasureKind::kRows, {}, {}},
                     {MeasureKind::kSum, 0, IntegerMap({.low = 0, .high = 1000})}};
  const std::int64_t different = 1 + below(random, 1'000);
  for (int i = 0; i < 30'000; ++i) {
    const bool heavy = below(random, 3) != 0;
    Keyed keyed{{}, std::to_string(below(random, 7))};
    c.rows.push_back({{static_cast<std::uint64_t>(heavy ? 1 : 2 + below(random, 3'000))},
                      bytes(keyed, 1),
                      {below(random, heavy ? different : 9)}});
    c.keys.push_back(keyed);
  }
  return c;
}

// Its rows are dropped while they come, in whatever order, by whatever threads.
TEST(Bounding, OfAUnitWithVeryManyRowsKeepsWhatTheDefinitionKeeps) {
  Random random(12);
  for (int i = 0; i < 6; ++i) {
    const Case c = heavy_case(random);
    const ByKey expected = reference(c.task, c.rows);
    std::vector<std::size_t> order = in_order(c.rows.size());
    for (const bool on_disk : {false, true}) {
      std::shuffle(order.begin(), order.end(), random);
      ASSERT_EQ(by_key(run(c, order, 1 + static_cast<std::size_t>(i % 3), 2, on_disk)), expected);
    }
  }
}

// What waits does not grow with one unit's rows: 3 * 10^6 of 16 bytes in 8 MiB, without a disk.
TEST(Bounding, OfAUnitWithVeryManyRowsFewWait) {
  Case c;
  c.task.rows_per_unit_and_group = 100;
  c.task.contents = {{0, 1 << 30}};
  c.task.measures = {{MeasureKind::kSum, 0, IntegerMap({.low = 0, .high = 1 << 30})}};
  for (const bool learned : {false, true}) {
    Bounding bounding(c.task, kSecret, 0, "/nowhere/at/all", std::size_t{8} << 20);
    Bounding::Worker& worker = bounding.new_worker();
    for (std::int64_t i = 0; i < 3'000'000; i += 2'000) {
      std::uint64_t* words = worker.rows.begin(2'000);
      for (std::int64_t j = 0; j < 2'000; ++j, words += bounding.layout().words()) {
        words[0] = 7;
        RowLayout::put(bounding.layout().field(0), words, i + j);
      }
      ASSERT_NO_THROW(worker.rows.commit()) << i;
    }
    std::atomic<bool> stop{false};
    if (learned) {
      EXPECT_EQ(bounding.finish_rows(INT64_MIN, stop)->cells.size(), 100U);
    } else {
      // 100 of the numbers below 3 * 10^6, about 1.5 * 10^6 each: 8 standard deviations of a sum of
      // numbers that are chosen without regard to their size.
      const double sum = static_cast<double>(bounding.finish(1, stop)->integers[0][0]);
      EXPECT_NEAR(sum, 1.5e8, 8 * 8.7e6);
    }
  }
}

// A unit with many rows does not go through the small sort.
TEST(Bounding, HandlesUnitsWithManyRowsAndManyUnits) {
  Random random(10);
  Case c;
  c.task = {
      3,
      5,
      false,
      {KeyKind::kText},
      {{0, 1000}},
      {{MeasureKind::kRows, {}, {}}, {MeasureKind::kSum, 0, IntegerMap({.low = 0, .high = 1000})}}};
  for (int i = 0; i < 20'000; ++i) {
    Keyed keyed{{}, std::to_string(below(random, 50))};
    const std::int64_t unit = below(random, 4) == 0 ? 1 : below(random, 3'000);
    c.rows.push_back({{static_cast<std::uint64_t>(unit)}, bytes(keyed, 1), {below(random, 9)}});
    c.keys.push_back(keyed);
  }
  const ByKey expected = reference(c.task, c.rows);
  for (std::size_t threads : {1, 3}) {
    EXPECT_EQ(by_key(run(c, in_order(c.rows.size()), 2, threads)), expected);
    EXPECT_EQ(by_key(run(c, in_order(c.rows.size()), 2, threads, true)), expected);
  }
}

}  // namespace
}  // namespace discreet::engine::bounding_test
