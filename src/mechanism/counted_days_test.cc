// SPDX-License-Identifier: Apache-2.0
// Who was counted on how many days: histories of rows that come, change and go, in two worlds that
// differ in one unit, in exact integers and against a slow reference.
#include "mechanism/counted_days.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "mechanism/prefix_stream.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/values_for_tests.h"
#include "mechanism/verbs.h"

namespace discreet::mechanism::counted_days_test {
namespace {

using Days = std::vector<std::int64_t>;
using Table = std::map<std::uint64_t, Days>;  // of each unit the days of its rows
using Random = std::mt19937_64;

std::int64_t below(std::int64_t n, Random& random) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

/// In a mixed-up order, as no engine promises one.
Sensitive<UnitRows> sealed(const Table& table, Random& random) {
  std::vector<std::uint64_t> units;
  for (const auto& [unit, days] : table) units.push_back(unit);
  std::shuffle(units.begin(), units.end(), random);
  UnitRows rows{.columns = 1, .cells = {}, .ends = {}};
  for (const std::uint64_t unit : units) {
    const Days& days = table.at(unit);
    rows.cells.insert(rows.cells.end(), days.begin(), days.end());
    rows.ends.push_back(rows.cells.size());
    rows.names.push_back({.low = unit * 0x9e3779b97f4a7c15, .high = unit});
  }
  return Sensitive(std::move(rows));
}

/// Counts are opened through a stream's own mechanism, with noise that is 0 but with probability
/// below 2^-10^10.
class Opened {
 public:
  Opened()
      : terms_(*PrefixStream::Terms::make(
            {.days = 64, .days_per_unit = 1, .reach = 1, .rho = rho_of("1e20")})) {}
  std::int64_t operator()(Sensitive<Int128> count) {
    if (left_-- == 0) {
      stream_.emplace(*PrefixStream::open(terms_, cli::OwnValues::for_use_of(terms_)));
      left_ = 63;
    }
    EXPECT_TRUE(stream_->prepare().value());
    return stream_->release(std::move(count))->value() / 65536;
  }

 private:
  PrefixStream::Terms terms_;
  std::optional<PrefixStream> stream_;
  int left_ = 0;
};

std::string bytes_of(const CountedDays& counted) {
  return *counted.sealed([](std::string_view bytes) { return Result(std::string(bytes)); });
}

CountedDays from_bytes(const std::string& bytes, std::int64_t days) {
  return *CountedDays::from(Sensitive(std::string(bytes)), days);
}

/// The rule, written down once more.
class Reference {
 public:
  std::int64_t count(const Table& table, const DayRule& rule) {
    std::int64_t total = 0;
    for (const auto& [unit, days] : table) {
      const std::int64_t n = std::count(days.begin(), days.end(), rule.day);
      if (n == 0 || counted_[unit] == rule.days) continue;
      total += std::min(n, rule.rows);
      ++counted_[unit];
    }
    return total;
  }

 private:
  std::map<std::uint64_t, std::int64_t> counted_;
};

/// A rule that remembers nothing, and looks at earlier rows instead: the planted fault.
std::int64_t forgetful(const Table& table, const DayRule& rule) {
  std::int64_t total = 0;
  for (const auto& [unit, days] : table) {
    std::set<std::int64_t> before;
    for (const std::int64_t day : days) {
      if (day >= rule.first && day < rule.day) before.insert(day);
    }
    const std::int64_t n = std::count(days.begin(), days.end(), rule.day);
    if (static_cast<std::int64_t>(before.size()) < rule.days) total += std::min(n, rule.rows);
  }
  return total;
}

Days random_days(std::int64_t most, std::int64_t days, Random& random) {
  Days out;
  for (std::int64_t n = below(most + 1, random); n > 0; --n) {
    out.push_back(below(20, random) == 0 ? kMissing : below(days, random));
  }
  return out;
}

/// What may become of a table until the next day.
void change(Table& table, std::int64_t days, bool only_grows, Random& random) {
  for (std::int64_t n = below(6, random); n > 0; --n) {
    const auto unit = static_cast<std::uint64_t>(1 + below(8, random));
    Days& of_unit = table[unit];
    switch (only_grows ? 0 : below(4, random)) {
      case 0:
      case 1: {
        const Days more = random_days(4, days, random);
        of_unit.insert(of_unit.end(), more.begin(), more.end());
        break;
      }
      case 2:
        of_unit = random_days(6, days, random);
        break;
      default:
        table.erase(unit);
    }
    if (table.contains(unit) && table[unit].empty()) table.erase(unit);
  }
}

struct Moved {
  std::int64_t days = 0;
  std::int64_t most = 0;  ///< on one day

  void add(std::int64_t difference) {
    days += difference == 0 ? 0 : 1;
    most = std::max(most, std::abs(difference));
  }
};

constexpr std::uint64_t kOne = 100;
constexpr std::uint64_t kOther = 101;

TEST(CountedDays, OneUnitMovesAStreamByNoMoreThanItsDaysWhateverBecomesOfRows) {
  Random random(20261119);
  Opened opened;
  int beyond_bound = 0;  // of the forgetful rule
  bool reached_bound = false;
  for (int trial = 0; trial < 400; ++trial) {
    const std::int64_t days = 2 + below(7, random);
    DayRule rule{.days = 1 + below(std::min<std::int64_t>(days, 3), random),
                 .rows = 1 + below(3, random)};
    const bool replaces = trial % 2 == 1;
    Table table;
    std::string kept[2];
    Reference references[2];
    Moved moved;
    Moved forgets;
    for (rule.day = 0; rule.day < days; ++rule.day) {
      change(table, days, false, random);
      Table worlds[2] = {table, table};
      worlds[0][kOne] = random_days(6, days, random);
      if (replaces) worlds[1][kOther] = random_days(6, days, random);
      std::int64_t counts[2];
      for (int w = 0; w < 2; ++w) {
        if (below(4, random) == 0) {  // a try that dies; its counts are never used
          CountedDays lost = from_bytes(kept[w], rule.days);
          Table other = worlds[w];
          change(other, days, false, random);
          opened(lost.count(sealed(other, random), rule));
        }
        CountedDays counted = from_bytes(kept[w], rule.days);
        counts[w] = opened(counted.count(sealed(worlds[w], random), rule));
        EXPECT_EQ(counts[w], references[w].count(worlds[w], rule)) << trial;
        kept[w] = bytes_of(counted);
        EXPECT_LE(kept[w].size(), 20U * 10);
      }
      moved.add(counts[0] - counts[1]);
      forgets.add(forgetful(worlds[0], rule) - forgetful(worlds[1], rule));
    }
    const std::int64_t bound = rule.days * (replaces ? 2 : 1);
    EXPECT_LE(moved.days, bound) << trial;
    EXPECT_LE(moved.most, rule.rows) << trial;
    reached_bound = reached_bound || (moved.days == bound && moved.most == rule.rows);
    beyond_bound += forgets.days > bound ? 1 : 0;
  }
  EXPECT_TRUE(reached_bound) << "the bound is never reached: the histories show too little";
  EXPECT_GT(beyond_bound, 10) << "a rule that remembers nothing went unnoticed";
}

// A stream whose counts were not kept, over rows that were only added until then: from there on
// nobody is counted on more days in all than the rule says.
TEST(CountedDays, ArePresumedHighEnoughWhereTheyWereNotKept) {
  Random random(20261120);
  Opened opened;
  for (int trial = 0; trial < 200; ++trial) {
    const std::int64_t days = 2 + below(7, random);
    const std::int64_t kept_from = below(days, random);
    DayRule rule{.days = 1 + below(3, random), .rows = 1 + below(3, random)};
    Table table;
    Days own;
    std::optional<CountedDays> counted[2];
    Moved moved;
    for (rule.day = 0; rule.day < days; ++rule.day) {
      const bool is_older = rule.day < kept_from;
      change(table, days, is_older || rule.day == kept_from, random);
      const Days more = random_days(3, days, random);
      if (rule.day <= kept_from) {
        own.insert(own.end(), more.begin(), more.end());
      } else {
        own = more;
      }
      std::int64_t counts[2];
      for (int w = 0; w < 2; ++w) {
        Table world = table;
        if (w == 0) world[kOne] = own;
        if (is_older) {
          counts[w] = forgetful(world, rule);
          continue;
        }
        const Sensitive<UnitRows> rows = sealed(world, random);
        if (!counted[w]) counted[w] = CountedDays::presumed(rows, rule);
        counts[w] = opened(counted[w]->count(rows, rule));
      }
      moved.add(counts[0] - counts[1]);
    }
    EXPECT_LE(moved.days, rule.days) << trial;
    EXPECT_LE(moved.most, rule.rows) << trial;
  }
}

TEST(CountedDays, UnitsOfOneHashAreOneUnit) {
  Opened opened;
  const Sensitive<UnitRows> rows(UnitRows{.columns = 1,
                                          .cells = {0, 0, 0, 1},
                                          .ends = {2, 4},
                                          .names = {{.low = 7, .high = 7}, {.low = 7, .high = 7}}});
  CountedDays counted;
  EXPECT_EQ(opened(counted.count(rows, {.day = 0, .days = 1, .rows = 2})), 2);
  EXPECT_EQ(opened(counted.count(rows, {.day = 1, .days = 1, .rows = 2})), 0);
  EXPECT_EQ(bytes_of(counted).size(), 20U);
}

TEST(CountedDays, BytesThatNobodyWroteAreRefused) {
  Random random(20261121);
  Opened opened;
  Table table;
  for (std::uint64_t unit = 0; unit < 20; ++unit) table[unit] = {0, 0, 1};
  CountedDays counted;
  opened(counted.count(sealed(table, random), {.day = 0, .days = 2, .rows = 1}));
  opened(counted.count(sealed(table, random), {.day = 1, .days = 2, .rows = 1}));
  const std::string sound = bytes_of(counted);
  ASSERT_EQ(sound.size(), 400U);
  const auto code_of = [](const std::string& bytes, std::int64_t days) {
    const auto read = CountedDays::from(Sensitive(std::string(bytes)), days);
    return read ? Code::kBug : read.error().code;
  };
  EXPECT_EQ(code_of(sound, 2), Code::kBug);
  EXPECT_EQ(code_of(sound, 1), Code::kCorrupt) << "a count above the stream's days";
  for (std::size_t size = 0; size < sound.size(); ++size) {
    EXPECT_EQ(code_of(sound.substr(0, size), 2), size % 20 == 0 ? Code::kBug : Code::kCorrupt);
  }
  std::string swapped = sound.substr(20, 20) + sound.substr(0, 20) + sound.substr(40);
  EXPECT_EQ(code_of(swapped, 2), Code::kCorrupt);
  std::string twice = sound.substr(0, 20) + sound;
  EXPECT_EQ(code_of(twice, 2), Code::kCorrupt);
  std::string none = sound;
  none.replace(16, 4, 4, '\0');
  EXPECT_EQ(code_of(none, 2), Code::kCorrupt);
  for (int i = 0; i < 2'000; ++i) {  // whatever it says, it says something
    std::string bytes(static_cast<std::size_t>(below(100, random)), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    (void)code_of(bytes, 2);
  }
}

}  // namespace
}  // namespace discreet::mechanism::counted_days_test
