// SPDX-License-Identifier: Apache-2.0
// Publishing as a user does: a workload, one charge, files; a count of every day.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/json.h"
#include "cli/process_for_tests.h"
#include "publish/registry_for_tests.h"

namespace discreet::cli::publish_test {
namespace {

using Words = std::vector<std::string>;
constexpr const char* kPolicy = R"(version: 1
snapshot: s1
units: {people: {notion: zcdp, budget: {rho: 100, delta: 1e-6}, analysts: {ann: {rho: 1, delta: 0}}}}
tables:
  people:
    source: people.csv
    unit: {namespace: people, column: id}
    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 2}
    columns:
      sex: {type: text, values: [f, m]}
      age: {type: integer, range: [0, 99]}
      pay: {type: decimal, range: [0, 1000], step: 1}
      tract: {type: integer, range: [0, 3]}
      day: {type: date, range: [2026-01-01, 2026-12-31]}
daily:
  by_day: {table: people, day: day, first: 2026-01-01, days: 3, days_per_unit: 1, rows_per_day: 1, rho: 1}
)";

constexpr const char* kWorkload = R"(about: {name: people of the town, curator: Office of tests}
table: people
rho: 20
nonnegative: true
columns: {age: {bins: 25}}
tables:
  total: []
  pairs: [sex, age]
  pay_by_sex: {columns: [sex], sum: pay}
ranges: {ages: {column: age}}
hierarchies: {places: {column: tract, parents: places.csv}}
invariants: {places/top: 1000}
)";

class World {
 public:
  World() : folder_(::testing::TempDir() + "publish_" + std::to_string(::getpid())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    setenv("XDG_STATE_HOME", (folder_ + "/state").c_str(), 1);
    std::string rows = "id,sex,age,pay,tract,day\n";
    for (int i = 0; i < 1'000; ++i) {
      rows += std::to_string(i) + (i % 4 == 0 ? ",f," : ",m,") + std::to_string(i % 100) + ",500," +
              std::to_string(i % 4) + ",2026-01-0" + std::to_string(1 + i % 3) + "\n";
    }
    write("people.csv", rows);
    write("policy.yaml", kPolicy);
    write("w.yaml", kWorkload);
    write("places.csv", "child,parent\n0,a\n1,a\n2,b\n3,b\na,top\nb,top\n");
    const Finished made =
        discreet({"ledger", "init", "--policy", at("policy.yaml"), "--ledger", at("l.ledger")});
    EXPECT_EQ(made.status, 0) << made.err;
  }
  ~World() { std::filesystem::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream out;
    out << std::ifstream(at(name), std::ios::binary).rdbuf();
    return out.str();
  }
  Finished run(Words words) const {
    words.insert(words.begin(), "publish");
    words.insert(words.end(), {"--policy", at("policy.yaml"), "--ledger", at("l.ledger")});
    return discreet(words, "");
  }
  std::string spent() const {
    const Finished budget = discreet({"budget", "--ledger", at("l.ledger"), "--json"}, "");
    EXPECT_EQ(budget.status, 0) << budget.err;
    return budget.out;
  }

 private:
  std::string folder_;
};

// Half widths at rho 20 are below 3, so that a tolerance of 40 is passed by luck with probability
// below 1e-50: what is off is a bug.
TEST(Publish, ChargesOnceAndWritesTablesThatAgree) {
  const World world;
  const std::string before = world.spent();
  const Finished plan = world.run({world.at("w.yaml"), "--dry-run"});
  EXPECT_EQ(plan.status, 0) << plan.err;
  EXPECT_NE(plan.out.find("NOT PROTECTED (published as it is): places/top = 1000"),
            std::string::npos)
      << plan.out;
  EXPECT_EQ(world.spent(), before);  // nothing was charged
  const Finished first = world.run({world.at("w.yaml"), "--json"});
  ASSERT_EQ(first.status, 0) << first.err;
  const Json published = Json::parse(first.out).value();
  const Json& record = published["certificate"];
  EXPECT_EQ(publish::breaches_of(record), std::vector<std::string>());
  EXPECT_EQ(record["url_slug"], "people-of-the-town");
  EXPECT_EQ(record["deployment"]["basic"]["data_curators"], Json::array({"Office of tests"}));
  EXPECT_EQ(record["deployment"]["privacy_loss"]["privacy_parameters"], (Json{{"rho", 20.0}}));
  EXPECT_EQ(record["deployment"]["dp_variant"]["unprotected_quantities"], "places/top = 1000");
  std::map<std::string, Json> tables;
  for (const Json& table : published["tables"].items()) {
    tables[table["name"].text()] = table["rows"];
  }
  const auto near = [](const Json& cell, double value) { EXPECT_NEAR(cell.number(), value, 40); };
  ASSERT_EQ(tables["pairs"].size(), 8U);
  double sum = 0;
  double whole = 0;
  for (const Json& row : tables["pairs"].items()) {
    near(row[2], row[0] == "f" ? 62.5 : 187.5);
    sum += row[2].number();
    whole += row.back().number();
  }
  EXPECT_NEAR(sum, tables["total"][0][0].number(), 1e-6);  // they agree
  EXPECT_EQ(whole, tables["total"][0].back());
  // So do the parts: running sums, areas and tables are read off one estimate.
  double below_50 = 0;
  for (const Json& row : tables["pairs"].items()) {
    if (row[1] == "0 to 24" || row[1] == "25 to 49") below_50 += row[2].number();
  }
  EXPECT_NEAR(tables["ages"][1][1].number(), below_50, 1e-6);
  EXPECT_NEAR(tables["ages"][3][1].number(), tables["total"][0][0].number(), 1e-6);
  EXPECT_EQ(tables["total"][0][0], 1'000.0);  // the top is an invariant, and the total is the top
  EXPECT_EQ(tables["total"][0][1], 0.0);      // its deviation
  EXPECT_EQ(tables["ages"][3].back(), 1'000.0);
  EXPECT_NEAR(tables["pay_by_sex"][0][1].number(), 250 * 500, 20'000);
  const Json& places = tables["places"];
  ASSERT_EQ(places.size(), 7U);
  EXPECT_EQ(places[0][3], 1'000.0);  // the invariant
  EXPECT_NEAR(places[1][3].number() + places[2][3].number(), 1'000, 1e-6);
  EXPECT_EQ(places[3].back().number() + places[4].back().number(), places[1].back());
  // The same again is free, and other post-processing too.
  const std::string after = world.spent();
  EXPECT_NE(after, before);
  const Finished again = world.run({world.at("w.yaml"), "--output", world.at("out")});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(world.spent(), after);
  EXPECT_NE(again.err.find("free"), std::string::npos);
  EXPECT_TRUE(world.read("out/pairs.csv").starts_with("sex,age,value,deviation,value_low"));
  const std::string page = world.read("out/report.html");
  EXPECT_NE(page.find("Who is hidden by the noise"), std::string::npos);
  EXPECT_NE(page.find("NOT PROTECTED"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_EQ(
      world.run({world.at("w.yaml"), "--output", world.at("out"), "--format", "parquet"}).status,
      0);
  EXPECT_TRUE(world.read("out/pairs.parquet").starts_with("PAR1"));
  const Finished curve = discreet({"curve", world.at("w.yaml"), "--policy", world.at("policy.yaml"),
                                   "--format", "csv", "--plot", world.at("c.png")},
                                  "");
  EXPECT_EQ(curve.status, 0) << curve.err;
  EXPECT_TRUE(curve.out.starts_with("epsilon,rho,"));
  EXPECT_GT(world.read("c.png").size(), 1'000U);
}

// Each row a unit of its own, because the policy says so: every answer says it too.
TEST(Publish, EventLevelIsSaidOnEveryAnswer) {
  const World world;
  std::string policy = kPolicy;
  const std::string unit = "column: id";
  policy.replace(policy.find(unit), unit.size(), "row: true");
  world.write("policy.yaml", policy);
  world.write("e.yaml", "table: people\nrho: 20\ntables: {a: [sex]}\n");
  const Finished table = world.run({world.at("e.yaml"), "--json"});
  ASSERT_EQ(table.status, 0) << table.err;
  const Json published = Json::parse(table.out).value();
  EXPECT_EQ(published["certificate"]["deployment"]["privacy_loss"]["privacy_unit"],
            "Event-level (each row is a unit)");
  EXPECT_NEAR(published["tables"][0]["rows"][0][1].number(), 250, 20);
  const Finished registered = world.run({"daily", "register", "by_day"});
  ASSERT_EQ(registered.status, 0) << registered.err;
  EXPECT_NE(registered.out.find("EVENT-LEVEL"), std::string::npos) << registered.out;
  const Finished step = world.run({"daily", "step", "by_day", "--json"});
  ASSERT_EQ(step.status, 0) << step.err;
  EXPECT_NEAR(Json::parse(step.out).value()[0]["total"].number(), 334, 40);
  EXPECT_EQ(Json::parse(step.out).value()[0]["protects"], "single rows (EVENT-LEVEL)");
  EXPECT_NE(step.err.find("EVENT-LEVEL"), std::string::npos) << step.err;
}

TEST(Publish, BadInputIsNamedAndNothingIsCharged) {
  const World world;
  const std::string before = world.spent();
  const Finished poor = world.run({world.at("w.yaml"), "--analyst", "ann"});
  EXPECT_EQ(poor.status, 4);
  EXPECT_NE(poor.err.find("rho 1 "), std::string::npos) << poor.err;  // what would fit
  EXPECT_NE(poor.err.find("fits with a largest half width of"), std::string::npos) << poor.err;
  world.write("bad.yaml", "table: people\nrho: 1\ntables: {a: [sxe]}\n");
  const Finished bad = world.run({world.at("bad.yaml")});
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("line 3"), std::string::npos) << bad.err;
  EXPECT_NE(bad.err.find("did you mean sex?"), std::string::npos) << bad.err;
  EXPECT_EQ(world.run({world.at("gone.yaml")}).status, 2);
  EXPECT_EQ(world.run({}).status, 2);
  world.write("places.csv", "child,parent\n0,a\n1,a\n2,b\na,top\nb,top\n");
  const Finished orphan = world.run({world.at("w.yaml")});
  EXPECT_EQ(orphan.status, 2);
  EXPECT_NE(orphan.err.find("'3' is an orphan"), std::string::npos) << orphan.err;
  EXPECT_EQ(world.spent(), before);
}

TEST(Daily, IsChargedWholeAtRegistrationAndGoesOnDayByDay) {
  const World world;
  const Words name{"daily", "step", "by_day"};
  const auto daily = [&](const std::string& verb, const Words& more = {}) {
    Words words{"daily", verb, "by_day"};
    words.insert(words.end(), more.begin(), more.end());
    return world.run(words);
  };
  EXPECT_EQ(daily("step").status, 2) << "it is not registered";
  const Finished registered = daily("register");
  ASSERT_EQ(registered.status, 0) << registered.err;
  EXPECT_NE(registered.out.find("asking anew each day"), std::string::npos);
  const std::string after = world.spent();
  EXPECT_EQ(daily("register").status, 0);  // again: nothing is charged
  EXPECT_EQ(world.spent(), after);

  const Finished early = daily("step", {"--day", "2026-01-02"});
  EXPECT_EQ(early.status, 2);
  EXPECT_NE(early.err.find("day 2026-01-01 is missing"), std::string::npos) << early.err;
  const std::string first_state = world.read("daily/by_day.released");
  const Finished one = daily("step", {"--day", "2026-01-01", "--json"});
  ASSERT_EQ(one.status, 0) << one.err;
  EXPECT_NE(one.err.find("on at most 1 days"), std::string::npos) << one.err;
  EXPECT_EQ(Json::parse(one.out).value()[0]["protects"], "units");
  const Finished twice = daily("step", {"--day", "2026-01-01"});
  EXPECT_EQ(twice.status, 2);
  EXPECT_NE(twice.err.find("was released before"), std::string::npos) << twice.err;
  // The counts are 334, 333, 333; the deviation of a total is about 2.
  EXPECT_NEAR(Json::parse(one.out).value()[0]["total"].number(), 334, 40);

  // A state that was rolled back, or changed, is refused.
  const std::string state = world.read("daily/by_day.released");
  world.write("daily/by_day.released", first_state);
  EXPECT_NE(daily("step").err.find("rolled back"), std::string::npos);
  std::string bent = state;
  bent[bent.find("days\\\":[") + 11] ^= 1;  // the first digit of a date
  world.write("daily/by_day.released", bent);
  EXPECT_EQ(daily("step").status, 5);
  world.write("daily/by_day.released", state);
  // A crash after the noise was kept and before the answer was: the next step goes on.
  const std::string noise = world.read("daily/by_day.noise");
  ASSERT_EQ(daily("step").status, 0);
  EXPECT_NE(world.read("daily/by_day.noise"), noise);
  ASSERT_EQ(daily("step").status, 0);
  const Finished end = daily("step");
  EXPECT_EQ(end.status, 4);
  EXPECT_EQ(world.spent(), after);  // steps cost nothing more
  const Finished shown = daily("show", {"--json"});
  ASSERT_EQ(shown.status, 0) << shown.err;
  const Json days = Json::parse(shown.out).value();
  ASSERT_EQ(days.size(), 3U);
  EXPECT_EQ(days[0], Json::parse(one.out).value()[0]);
  EXPECT_NEAR(days[2]["total"].number(), 1'000, 60);
  // Without its state it cannot be bought again under its name.
  std::filesystem::remove_all(world.at("daily"));
  EXPECT_NE(daily("register").status, 0);
  EXPECT_EQ(world.spent(), after);
}

// Late rows never count, and use up no day of their unit: 400 newcomers who are late are never
// counted, and 300 people of the second day, who have a late row of the first, are counted on their
// second. A deviation is about 2, so that 40 is passed by luck with probability below 1e-50; a
// program that counted late rows would be off by 300 or more.
TEST(Daily, RowsThatComeLateNeverCount) {
  const World world;
  ASSERT_EQ(world.run({"daily", "register", "by_day"}).status, 0);
  ASSERT_EQ(world.run({"daily", "step", "by_day"}).status, 0);
  std::string rows = world.read("people.csv");
  for (int i = 0; i < 400; ++i) rows += std::to_string(2'000 + i) + ",f,40,500,0,2026-01-01\n";
  for (int i = 0; i < 300; ++i) rows += std::to_string(1 + 3 * i) + ",m,40,500,0,2026-01-01\n";
  world.write("people.csv", rows);
  ASSERT_EQ(world.run({"daily", "step", "by_day"}).status, 0);
  ASSERT_EQ(world.run({"daily", "step", "by_day"}).status, 0);
  const Finished shown = world.run({"daily", "show", "by_day", "--json"});
  ASSERT_EQ(shown.status, 0) << shown.err;
  const Json days = Json::parse(shown.out).value();
  ASSERT_EQ(days.size(), 3U);
  EXPECT_NEAR(days[0]["count"].number(), 334, 40);
  EXPECT_NEAR(days[1]["count"].number(), 333, 40);
  EXPECT_NEAR(days[2]["count"].number(), 333, 40);
  EXPECT_NEAR(days[2]["total"].number(), 1'000, 60);
  for (const Json& day : days.items()) {  // each number with its interval
    for (const std::string what : {"count", "total"}) {
      EXPECT_LT(day[what + "_low"].number(), day[what].number());
      EXPECT_GT(day[what + "_high"].number(), day[what].number());
    }
  }
}

}  // namespace
}  // namespace discreet::cli::publish_test
