// SPDX-License-Identifier: Apache-2.0
// A daily question over real files: what it is bound to, when a day is over, who is counted again,
// what is left when a step dies, and files that somebody damaged.
#include "publish/daily.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "base/json.h"
#include "engine/duckdb/duckdb_engine.h"
#include "ledger/ledger_for_tests.h"
#include "ledger/scratch_for_tests.h"
#include "publish/daily_state.h"
#include "publish/sealed_file.h"

namespace discreet::publish::daily_test {
namespace {

namespace fs = std::filesystem;
using ledger::slurp;
using ledger::spill;
using policy::Policy;
using Code = discreet::Code;
using Files = std::map<std::string, std::string>;
using Random = std::mt19937_64;

constexpr std::int64_t kDay = 24 * 60 * 60 * 1000;
constexpr std::int64_t kFirst = 20'454;  // 2026-01-01
// Noise whose deviation is below 0.05: what is released is what was counted.
constexpr const char* kPolicy = R"(version: 1
snapshot: s
units:
  people:
    notion: zcdp
    budget: {rho: 100, delta: 1e-6}
    blocks: {column: people.joined, values: [2024, 2025]}
  clinics: {notion: zcdp, budget: {rho: 100, delta: 1e-6}}
tables:
  visits:
    source: visits.csv
    unit: {namespace: people, path: [visits.person -> people.id, people.name]}
    columns:
      day: {type: date, range: [2025-12-01, 2026-12-31]}
      seen: {type: date, range: [2025-12-01, 2026-12-31]}
      joined: {type: integer, range: [2000, 2100]}
  people:
    source: people.csv
    unit: {namespace: people, column: name}
    columns:
      joined: {type: integer, range: [2000, 2100]}
      since: {type: integer, range: [2000, 2100]}
daily:
  by_day: {table: visits, day: day, first: 2026-01-01, days: 4, days_per_unit: 2, rows_per_day: 2, rho: 1e4}
)";
constexpr const char* kPlain = R"(version: 1
snapshot: s
units:
  people: {notion: zcdp, budget: {rho: 100, delta: 1e-6}}
tables:
  visits:
    source: visits.csv
    unit: {namespace: people, column: person}
    columns:
      day: {type: date, range: [2026-01-01, 2026-12-31]}
      seen: {type: date, range: [2025-12-01, 2026-12-31]}
daily:
  by_day: {table: visits, day: day, first: 2026-01-01, days: 4, days_per_unit: 2, rows_per_day: 2, rho: 1e4}
)";

template <class T>
std::string words(const Result<T>& result) {
  return result ? "no error" : result.error().message;
}
template <class T>
Code code_of(const Result<T>& result) {
  return result ? Code::kBug : result.error().code;
}

/// "2026-01-01" and on.
std::string day(std::int64_t t) { return day_text(kFirst + t); }

struct Visit {
  std::string person;
  std::int64_t day;
};

class World {
 public:
  explicit World(const char* policy = kPlain) : scratch_(ledger::Scratch::Place::kMemory) {
    const policy::Reading reading = policy::read_policy(policy, scratch_.path());
    EXPECT_TRUE(reading.policy.has_value())
        << (reading.mistakes.empty() ? "" : reading.mistakes.front().message);
    policy_ = *reading.policy;
    ledger_ = *ledger::Ledger::create(
        {.path = scratch_ / "l.ledger", .key = scratch_ / "key", .witness = scratch_ / "witness"});
    for (const auto& [name, units] : policy_.units) {
      ledger::NamespaceTerms terms{
          .name = name,
          .notion = ledger::Notion::kZcdp,
          .cap = ledger::fixture::price("1e9", "1e-7"),
          .conversion_delta = *accounting::Amount::up(Rational::ratio(1, 1'000'000)),
          .block_attribute = units.block_column,
          .blocks = units.block_values,
          .analysts = {{"owner", ledger::fixture::price("1e9", "1e-7")}}};
      const auto added = ledger_->add_namespace(terms);
      EXPECT_TRUE(added.has_value()) << added.error().message;
    }
    write({});
    spill(scratch_ / "people.csv", "id,name,joined,since\na,ann,2024,2024\nb,bob,2025,2025\n");
  }

  /// Their joined year is 2024; of no other table.
  void write(const std::vector<Visit>& visits, const std::string& file = "visits.csv") const {
    std::string rows = "person,day,seen,joined\n";
    for (const Visit& one : visits) {
      rows += one.person + "," + day(one.day) + "," + day(one.day) + ",2024\n";
    }
    spill(scratch_ / file, rows);
  }
  DailyStream stream() const {
    return {policy_, *ledger_, scratch_ / "daily", [this] { return now; }};
  }
  Result<bool> enroll() const { return stream().register_question("by_day", "owner"); }
  Result<DailyRow> step(const std::optional<std::string>& on = {}) const {
    auto engine = engine::duckdb::DuckDbEngine::open(policy_, {}, 1);
    EXPECT_TRUE(engine.has_value()) << engine.error().message;
    if (!engine) return engine.error();
    return stream().step("by_day", on, **engine, {});
  }
  /// The count of a step that must succeed, to the nearest row.
  std::int64_t counted() const {
    const auto row = step();
    EXPECT_TRUE(row.has_value()) << row.error().message;
    return row ? std::llround(row->count) : -1;
  }
  std::vector<DailyState::Day> released() const {
    const auto state = stream().state("by_day");
    EXPECT_TRUE(state.has_value()) << state.error().message;
    return state ? state->released : std::vector<DailyState::Day>();
  }

  Files files() const {
    Files out;
    for (const auto& entry : fs::directory_iterator(scratch_ / "daily")) {
      if (entry.path().extension() == ".lock") continue;
      out["daily/" + entry.path().filename().string()] = slurp(entry.path());
    }
    out["daily-by_day.witness"] = slurp(scratch_ / "daily-by_day.witness");
    return out;
  }
  void put(const Files& files) const {
    for (const auto& [name, bytes] : this->files()) fs::remove(scratch_ / name);
    for (const auto& [name, bytes] : files) spill(scratch_ / name, bytes);
  }
  ledger::OwnerKey key() const { return *ledger::OwnerKey::load(scratch_ / "key"); }
  Policy& policy() { return policy_; }

  std::int64_t now = (kFirst + 300) * kDay;

 private:
  ledger::Scratch scratch_;
  Policy policy_;
  std::unique_ptr<ledger::Ledger> ledger_;
};

policy::UnitPath row_unit() {
  return {.space = "people", .steps = {}, .column = "", .row_is_unit = true};
}

struct Edit {
  std::string field;  ///< as the refusal names it, with what it was
  std::function<void(Policy&)> make;
};

policy::Daily& daily_of(Policy& p) { return p.daily.at("by_day"); }
policy::Table& visits_of(Policy& p) { return p.tables.at("visits"); }
policy::Column& day_of(Policy& p) { return visits_of(p).columns.at(0); }

/// Every field of the entry, its table, the way to the unit and the unit's namespace.
std::vector<Edit> edits(Random& random) {
  const auto some = [&](std::int64_t most) {
    return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
  };
  std::vector<Edit> out = {
      {"table was 'visits' and is 'people'",
       [](Policy& p) {
         daily_of(p).table = "people";
         p.tables.at("people").columns.push_back(day_of(p));
       }},
      {"source was 'visits.csv' and is 'other.csv'",
       [](Policy& p) { visits_of(p).source = "other.csv"; }},
      {"source of people was 'people.csv' and is 'other.csv'",
       [](Policy& p) { p.tables.at("people").source = "other.csv"; }},
      {"engine was 'duckdb' and is 'postgres://db/clinic'",
       [](Policy& p) { p.engine = "postgres://me:secret@db/clinic?sslmode=require"; }},
      {"unit was 'person -> people.id, name' and is 'person -> people.id, id'",
       [](Policy& p) { visits_of(p).unit->column = "id"; }},
      {"unit was 'person -> people.id, name' and is 'person -> people.name, name'",
       [](Policy& p) { visits_of(p).unit->steps[0].key = "name"; }},
      {"unit was 'person -> people.id, name' and is 'joined -> people.id, name'",
       [](Policy& p) { visits_of(p).unit->steps[0].column = "joined"; }},
      {"unit was 'person -> people.id, name' and is 'person'",
       [](Policy& p) { visits_of(p).unit = {.space = "people", .steps = {}, .column = "person"}; }},
      {"unit was 'person -> people.id, name' and is 'row: true'",
       [](Policy& p) { visits_of(p).unit = row_unit(); }},
      {"namespace was 'people' and is 'clinics'",
       [](Policy& p) {
         for (const char* const each : {"visits", "people"})
           p.tables.at(each).unit->space = "clinics";
       }},
      {"neighbours was 'add or remove one' and is 'replace one'",
       [](Policy& p) { p.units.at("people").neighbours = Neighbours::kReplaceOne; }},
      {"blocks was 'people.joined' and is 'people.since'",
       [](Policy& p) { p.units.at("people").block_column = "people.since"; }},
      {"day was 'day' and is 'seen'", [](Policy& p) { daily_of(p).day = "seen"; }},
      {"range of day was 'before first to after last' and is '2026-01-01 to after last'",
       [](Policy& p) { day_of(p).grid->low = Rational(kFirst); }},
      {"range of day was 'before first to after last' and is 'before first to 2026-01-04'",
       [](Policy& p) { day_of(p).grid->high = Rational(kFirst + 3); }},
      {"null of day was 'drop' and is '2026-01-02'",
       [](Policy& p) {
         day_of(p).null_rule = policy::NullRule::kDefault;
         day_of(p).fallback = {Rational(kFirst + 1), policy::Type::kDate};
       }},
  };
  for (int i = 0; i < 3; ++i) {
    const std::int64_t by = some(20);
    out.push_back({"first was '2026-01-01' and is '" + day(-by) + "'",
                   [by](Policy& p) { daily_of(p).first -= by; }});
    out.push_back({"first was '2026-01-01' and is '" + day(by) + "'",
                   [by](Policy& p) { daily_of(p).first += by; }});
    out.push_back({"days was '4' and is '" + std::to_string(4 + by) + "'",
                   [by](Policy& p) { daily_of(p).days += by; }});
    out.push_back({"rows_per_day was '2' and is '" + std::to_string(2 + by) + "'",
                   [by](Policy& p) { daily_of(p).rows_per_day += by; }});
    out.push_back({"rho was '10000' and is '" + std::to_string(10'000 + by) + "'",
                   [by](Policy& p) { daily_of(p).rho = Rational(10'000 + by); }});
  }
  for (const std::int64_t days : {1, 3, 4}) {
    out.push_back({"days_per_unit was '2' and is '" + std::to_string(days) + "'",
                   [days](Policy& p) { daily_of(p).days_per_unit = days; }});
  }
  return out;
}

// After no day and after one; each edit alone; asking by all three verbs.
TEST(DailyQuestion, AnyEditIsRefusedByTheNameOfItsField) {
  Random random(20261119);
  World world(kPolicy);
  world.write({{"a", 0}, {"b", 1}});
  world.write({{"a", 0}, {"b", 1}}, "other.csv");
  ASSERT_EQ(words(world.enroll()), "no error");
  const Policy registered = world.policy();
  for (int steps = 0; steps < 2; ++steps) {
    if (steps > 0) {
      EXPECT_EQ(world.counted(), 1);
    }
    const Files before = world.files();
    for (const Edit& edit : edits(random)) {
      world.policy() = registered;
      edit.make(world.policy());
      const auto again = world.enroll();
      EXPECT_NE(words(again).find(edit.field), std::string::npos) << edit.field << "\n"
                                                                  << words(again);
      EXPECT_EQ(code_of(again), Code::kRefused) << edit.field;
      const auto shown = world.stream().rows("by_day");
      EXPECT_EQ(words(shown), words(again));
      // Whatever the engine is: it is not asked.
      struct Nothing final : engine::Engine {
        Result<Sensitive<mechanism::Groups>> run(const plan::Checked&,
                                                 const engine::OwnerLog&) override {
          return engine::interrupted();
        }
        std::string explain(const plan::Checked&) const override { return ""; }
        void interrupt() override {}
        Result<std::vector<std::string>> public_values(const Policy&, const std::string&,
                                                       const std::string&, std::size_t,
                                                       const engine::OwnerLog&) override {
          return engine::interrupted();
        }
        Result<std::int64_t> multiplicity(const Policy&, const std::string&,
                                          const std::vector<std::string>&,
                                          const engine::OwnerLog&) override {
          return engine::interrupted();
        }
      } nothing;
      const auto step = world.stream().step("by_day", std::nullopt, nothing, {});
      EXPECT_EQ(words(step), words(again));
      EXPECT_EQ(words(step).find("secret"), std::string::npos);
    }
    EXPECT_TRUE(world.files() == before);
    world.policy() = registered;
  }
  EXPECT_EQ(world.counted(), 1) << "what was put back goes on";
}

TEST(DailyQuestion, WhatCannotMatterMayChangeFromDayToDay) {
  World world(kPolicy);
  world.write({{"a", 0}, {"b", 1}, {"a", 2}, {"b", 3}});
  ASSERT_EQ(words(world.enroll()), "no error");
  const Policy registered = world.policy();
  const std::vector<std::function<void(Policy&)>> harmless = {
      [](Policy& p) { p.snapshot = "another"; },
      [](Policy& p) { p.ledger = "ff"; },
      [](Policy& p) { p.engine = "duckdb?memory=4GB"; },
      [](Policy& p) { day_of(p).grid->high = day_of(p).grid->high + Rational(365); },
      [](Policy& p) { day_of(p).grid->low = Rational(kFirst - 1); },
      [](Policy& p) { p.units.at("people").block_values.push_back("2026"); },
      [](Policy& p) { p.units.at("people").budget.epsilon = Rational(5'000'000); },
      [](Policy& p) { visits_of(p).bounds = {.groups_per_unit = 3, .declared = true}; },
      [](Policy& p) { visits_of(p).rows_max = 17; },
      [](Policy& p) { visits_of(p).columns.pop_back(); },
      [](Policy& p) { p.noise = policy::NoisePreference::kLaplace; },
      [](Policy& p) { p.other_releases = {"a census"}; },
  };
  for (std::size_t i = 0; i < harmless.size(); ++i) {
    world.policy() = registered;
    harmless[i](world.policy());
    EXPECT_EQ(code_of(world.enroll()), Code::kBug) << i << ": " << words(world.enroll());
    if (i % 3 == 0) {
      EXPECT_EQ(world.counted(), 1) << i;
    }  // with a changed policy, too
  }
  EXPECT_EQ(world.released().size(), 4U);
}

TEST(DailyClock, ReleasesADayWhenItIsOverInUtcAndNoOther) {
  World world;
  world.write({{"a", 0}, {"b", 1}});
  ASSERT_EQ(words(world.enroll()), "no error");
  struct Case {
    std::int64_t now;
    std::string on;    ///< --day; empty: none
    Code code;         ///< kBug: released
    std::string says;  ///< part of the refusal
  };
  const auto at = [](std::int64_t t, std::int64_t ms = 0) { return (kFirst + t) * kDay + ms; };
  const std::string first_ends = "Come again after 2026-01-02 00:00:00 UTC";
  const std::string second_ends = "Come again after 2026-01-03 00:00:00 UTC";
  const std::vector<Case> cases = {
      {at(-400), "", Code::kInvalidInput, first_ends},
      {at(0), "", Code::kInvalidInput, "day 2026-01-01 is not over"},
      {at(0, 1), "2026-01-01", Code::kInvalidInput, "clock says 2026-01-01 00:00:00 UTC"},
      {at(1, -1), "", Code::kInvalidInput, "clock says 2026-01-01 23:59:59 UTC"},
      {at(1, -1), "2026-01-02", Code::kInvalidInput, "day 2026-01-01 is missing"},
      {at(1), "", Code::kBug, ""},
      {at(1), "", Code::kInvalidInput, second_ends},  // cron's second try
      {at(1, 1), "2026-01-01", Code::kInvalidInput, "was released before"},
      {at(1, 1), "2026-01-02", Code::kInvalidInput, second_ends},
      {at(1, -1), "", Code::kStorage, "set the clock right"},  // a clock that was set back
      {at(-4000), "2026-01-02", Code::kStorage, "come again after 2026-01-03 00:00:00 UTC"},
      {at(2, -1), "", Code::kInvalidInput, second_ends},
      {at(7), "2026-01-02", Code::kBug, ""},  // late, and the next ones after it
      {at(7), "", Code::kBug, ""},
      {at(7), "2026-01-03", Code::kInvalidInput, "was released before"},
      {at(7), "", Code::kBug, ""},
      {at(7), "", Code::kBudget, "all 4 days"},
      {at(1), "", Code::kStorage, "set the clock right"},
  };
  std::size_t days = 0;
  for (const Case& each : cases) {
    world.now = each.now;
    const auto row = world.step(each.on.empty() ? std::optional<std::string>() : each.on);
    const std::string what = to_utc(each.now) + " " + each.on + ": " + words(row);
    EXPECT_EQ(code_of(row), each.code) << what;
    EXPECT_NE(words(row).find(each.says), std::string::npos) << what;
    if (row) {
      EXPECT_EQ(row->day, day(static_cast<std::int64_t>(days++)));
    }
    EXPECT_EQ(world.released().size(), days) << what;
  }
}

TEST(DailyRows, NobodyIsCountedAgainWhenRowsVanish) {
  World world;
  ASSERT_EQ(words(world.enroll()), "no error");
  world.write({{"a", 0}, {"a", 0}, {"a", 0}, {"b", 0}});
  EXPECT_EQ(world.counted(), 3);      // two of a's three
  world.write({{"a", 1}, {"c", 1}});  // the first day's rows are gone
  EXPECT_EQ(world.counted(), 2);
  world.write({{"a", 2}, {"b", 2}});  // and the second day's
  EXPECT_EQ(world.counted(), 1);      // a was counted on two days
  world.write({{"a", 3}, {"b", 3}, {"c", 3}, {"c", 0}, {"d", 3}});
  EXPECT_EQ(world.counted(), 2);  // b was, too; a late row uses up no day of c's
}

TEST(DailyRows, KeepTheirUnitWhenItsColumnChangesItsType) {
  World world;
  world.policy().tables.at("visits").source = "visits.parquet";
  // A column of numbers, and then of text.
  const auto write = [&](const std::string& type, std::int64_t t) {
    const auto connection = engine::duckdb::Connection::open(1, {});
    const std::string file = world.policy().directory + "/visits.parquet";
    const auto done = (*connection)
                          ->query("COPY (SELECT CAST(7 AS " + type + ") AS person, DATE '" +
                                      day(t) + "' AS day, DATE '" + day(t) + "' AS seen) TO '" +
                                      file + "' (FORMAT parquet)",
                                  {});
    EXPECT_TRUE(done.has_value());
  };
  write("INTEGER", 0);
  ASSERT_EQ(words(world.enroll()), "no error");
  EXPECT_EQ(world.counted(), 1);
  write("VARCHAR", 1);
  EXPECT_EQ(world.counted(), 1);
  write("BIGINT", 2);
  EXPECT_EQ(world.counted(), 0);
}

// A step writes five times. It may die before each of them.
TEST(DailyCrash, WhateverDiesBetweenTwoWritesIsDoneAgainAsItWas) {
  World world;
  const std::vector<Visit> all = {{"a", 0}, {"a", 1}, {"a", 2}, {"a", 3}, {"b", 1}, {"b", 2}};
  world.write(all);
  ASSERT_EQ(words(world.enroll()), "no error");
  EXPECT_EQ(world.counted(), 1);
  const Files before = world.files();
  EXPECT_EQ(world.counted(), 2);
  const Files after = world.files();
  const auto second_day = world.released().at(1);
  const std::string counts = "daily/by_day.counted";
  using Write = std::function<void(Files&)>;
  const auto of = [&](const std::string& name) -> Write {
    return [&after, name](Files& files) { files[name] = after.at(name); };
  };
  const std::vector<Write> writes = {
      of("daily/by_day.noise"),
      [&](Files& files) { files[counts + ".next"] = after.at(counts); },
      of("daily/by_day.released"),
      of("daily-by_day.witness"),
      [&](Files& files) {
        files[counts] = files.at(counts + ".next");
        files.erase(counts + ".next");
      },
  };
  Files died = before;
  for (std::size_t n = 0; n <= writes.size(); ++n) {
    if (n > 0) writes[n - 1](died);
    for (const bool is_torn : {false, true}) {  // what was being written is beside it
      for (const bool is_shown : {false, true}) {
        world.put(died);
        if (is_torn) {
          Files torn = died;
          for (const auto& [name, bytes] : died) torn[name + ".new"] = bytes.substr(0, 5);
          world.put(torn);
        }
        const bool is_kept = n >= 3;
        const std::string what = std::to_string(n) + " writes";
        if (is_shown) {
          EXPECT_EQ(world.released().size(), is_kept ? 2U : 1U) << what;
          // What was shown is not taken back.
          Files old = world.files();
          for (const char* const name : {"daily/by_day.noise", "daily/by_day.released"}) {
            old[name] = before.at(name);
          }
          const Files now = world.files();
          if (is_kept) {
            world.put(old);
            EXPECT_NE(words(world.stream().rows("by_day")).find("rolled back"), std::string::npos);
            world.put(now);
          }
        }
        if (!is_kept) {
          EXPECT_EQ(world.counted(), 2) << what;
          // With the noise that was drawn, if it was.
          if (n >= 1) {
            EXPECT_EQ(world.files().at("daily/by_day.noise"), after.at("daily/by_day.noise"));
            EXPECT_EQ(world.released().at(1), second_day) << what;
          }
        } else {
          EXPECT_EQ(world.released().at(1), second_day) << what;
        }
        // a was counted on two days, and b on one.
        EXPECT_EQ(world.counted(), 1) << what;
        EXPECT_EQ(world.counted(), 0) << what;
        EXPECT_EQ(world.files().contains(counts + ".next"), false) << what;
      }
    }
  }
}

// Counts of another day, although everything is signed and sealed by the owner.
TEST(DailyFiles, OfAnotherDayDoNotFit) {
  World world;
  world.write({{"a", 0}, {"a", 1}, {"a", 2}});
  ASSERT_EQ(words(world.enroll()), "no error");
  EXPECT_EQ(world.counted(), 1);
  const Files first = world.files();
  EXPECT_EQ(world.counted(), 1);
  const Files second = world.files();
  for (const char* const name :
       {"daily/by_day.noise", "daily/by_day.counted", "daily/by_day.released"}) {
    Files mixed = second;
    mixed[name] = first.at(name);
    world.put(mixed);
    const auto step = world.step();
    EXPECT_EQ(code_of(step), Code::kCorrupt) << name << ": " << words(step);
    mixed.erase(name);
    world.put(mixed);
    EXPECT_NE(code_of(world.step()), Code::kBug) << name;
  }
  world.put(second);
  EXPECT_EQ(world.counted(), 0);
}

TEST(DailyFiles, DamagedAnywhereAreRefused) {
  Random random(20261119);
  World world;
  world.write({{"a", 0}, {"b", 0}, {"a", 1}});
  ASSERT_EQ(words(world.enroll()), "no error");
  EXPECT_EQ(world.counted(), 2);
  const Files sound = world.files();
  const auto engine = engine::duckdb::DuckDbEngine::open(world.policy(), {}, 1);
  const auto try_all = [&](const std::string& name, const std::string& bytes) {
    if (bytes == sound.at(name)) return;
    Files files = sound;
    files[name] = bytes;
    world.put(files);
    const auto step = world.stream().step("by_day", std::nullopt, **engine, {});
    EXPECT_EQ(code_of(step), Code::kCorrupt) << name << ": " << words(step);
    const bool is_seen = name.ends_with("released") || name.ends_with("witness");
    EXPECT_EQ(code_of(world.stream().rows("by_day")), is_seen ? Code::kCorrupt : Code::kBug);
    EXPECT_EQ(code_of(world.enroll()), is_seen ? Code::kCorrupt : Code::kBug);
    // Nothing was written but noise, which is drawn before the counts are used.
    EXPECT_EQ(world.files().at("daily/by_day.released"), files.at("daily/by_day.released"));
  };
  for (const auto& [name, bytes] : sound) {
    try_all(name, "");
    for (int i = 0; i < 12; ++i) try_all(name, bytes.substr(0, random() % (bytes.size() - 1)));
    for (int i = 0; i < 40; ++i) {
      std::string flipped = bytes;
      // But for bit 5: a signature's letters are as good in capitals.
      flipped[random() % (bytes.size() - 1)] ^= "\x01\x02\x04\x08\x10\x40\x80"[random() % 7];
      try_all(name, flipped);
    }
    for (int i = 0; i < 6; ++i) {
      std::string noise(random() % 300, '\0');
      for (char& byte : noise) byte = static_cast<char>(random());
      try_all(name, noise);
    }
  }
  world.put(sound);
  EXPECT_EQ(world.counted(), 1);
}

/// The state as a program before format 2 kept it.
void make_first_format(const World& world) {
  const auto state = world.stream().state("by_day");
  ASSERT_TRUE(state.has_value());
  std::vector<std::int64_t> numbers;
  for (const DailyState::Day& each : state->released) numbers.push_back(each.number);
  Json json = {{"name", state->name}, {"receipt", state->receipt},         {"noise", state->noise},
               {"unit", state->unit}, {"event_level", state->event_level}, {"released", numbers}};
  json.sort_keys();
  Files files = world.files();
  files["daily/by_day.released"] = sign_text(world.key(), "released days", json.dump());
  files.erase("daily/by_day.counted");
  world.put(files);
}

TEST(DailyUpgrade, BindsAnOlderStateAtItsNextStep) {
  World world;
  world.write({{"a", 0}, {"b", 0}});
  ASSERT_EQ(words(world.enroll()), "no error");
  EXPECT_EQ(world.counted(), 2);
  world.write({{"a", 0}, {"b", 0}, {"a", 1}});
  EXPECT_EQ(world.counted(), 1);
  const auto numbers = world.released();
  make_first_format(world);
  const Policy registered = world.policy();
  EXPECT_EQ(world.released(), numbers) << "with the days that the policy says";
  // What the ledger was charged for is known of an older state, too.
  for (const auto& edit : std::vector<std::function<void(Policy&)>>{
           [](Policy& p) { daily_of(p).first += 1; }, [](Policy& p) { daily_of(p).days += 1; },
           [](Policy& p) { daily_of(p).day = "seen"; },
           [](Policy& p) { visits_of(p).unit = row_unit(); }}) {
    world.policy() = registered;
    edit(world.policy());
    EXPECT_EQ(code_of(world.step()), Code::kRefused) << words(world.step());
    EXPECT_EQ(code_of(world.stream().rows("by_day")), Code::kRefused);
  }
  world.policy() = registered;
  world.write({{"a", 0}, {"b", 0}, {"a", 1}, {"a", 2}, {"b", 2}});
  EXPECT_EQ(world.counted(), 1) << "a was counted on two days, which its rows tell";
  const auto state = world.stream().state("by_day");
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->format, 2);
  EXPECT_EQ(std::vector(state->released.begin(), state->released.begin() + 2), numbers);
  world.policy().tables.at("visits").source = "other.csv";
  EXPECT_NE(words(world.stream().rows("by_day")).find("source was 'visits.csv'"),
            std::string::npos);
  world.policy() = registered;
  world.write({{"a", 3}, {"b", 3}, {"c", 3}});  // from here on rows may go
  EXPECT_EQ(world.counted(), 1);
}

TEST(DailyUpgrade, ANewerFormatIsRefusedByItsNumber) {
  World world;
  ASSERT_EQ(words(world.enroll()), "no error");
  auto state = world.stream().state("by_day");
  ASSERT_TRUE(state.has_value());
  state->format = 3;
  Files files = world.files();
  files["daily/by_day.released"] = sign_text(world.key(), "released days", to_text(*state));
  world.put(files);
  const auto step = world.step();
  EXPECT_EQ(code_of(step), Code::kUnsupported);
  EXPECT_NE(words(step).find("has format 3, but discreet"), std::string::npos) << words(step);
  EXPECT_NE(words(step).find("formats up to 2; use a newer program"), std::string::npos);
}

// Where a row is a unit: no counts, and the number of rows.
TEST(DailyRows, AreUnitsOfTheirOwnWhereThePolicySaysSo) {
  World world;
  visits_of(world.policy()).unit = row_unit();
  world.write({{"a", 0}, {"a", 0}, {"a", 0}, {"b", 1}});
  ASSERT_EQ(words(world.enroll()), "no error");
  EXPECT_EQ(world.counted(), 3);
  world.write({{"a", 1}, {"b", 1}});
  EXPECT_EQ(world.counted(), 2);
  EXPECT_FALSE(world.files().contains("daily/by_day.counted"));
}

// The interval of a day's count is that of its own noise: W = C^-1 z, so the first day's deviation
// is sigma and later ones are larger, by less than 1.13.
TEST(DailyRows, HaveIntervalsOfTheirOwn) {
  World world;
  daily_of(world.policy()).rho = Rational::ratio(1, 2);
  world.write({});
  ASSERT_EQ(words(world.enroll()), "no error");
  for (int t = 0; t < 4; ++t) ASSERT_TRUE(world.step().has_value());
  const auto rows = world.stream().rows("by_day");
  ASSERT_TRUE(rows.has_value());
  EXPECT_DOUBLE_EQ((*rows)[0].count_deviation, (*rows)[0].total_deviation);
  for (std::size_t t = 1; t < 4; ++t) {
    EXPECT_GT((*rows)[t].count_deviation, (*rows)[t - 1].count_deviation);
    EXPECT_LT((*rows)[t].count_deviation, 1.13 * (*rows)[0].count_deviation);
    EXPECT_LT((*rows)[t].count_deviation, 1e-4 + (*rows)[t].total_deviation);
  }
}

}  // namespace
}  // namespace discreet::publish::daily_test
