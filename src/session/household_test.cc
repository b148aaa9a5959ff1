// SPDX-License-Identifier: Apache-2.0
// Persons in households, from SQL to the ledger: every question about persons is charged to both.
#include <gtest/gtest.h>

#include <fstream>

#include "engine/open.h"
#include "ledger/ledger_for_tests.h"
#include "session/session.h"

namespace discreet::session::household_test {
namespace {

using ledger::fixture::price;
using ledger::fixture::spent;

constexpr const char* kPolicy = R"(version: 1
engine: duckdb
snapshot: 2026-11
units:
  persons:
    budget: {epsilon: 1000, delta: 1e-3}
    within: {namespace: households, column: people.household, members: 4}
  households: {budget: {epsilon: 1000, delta: 1e-3}}
tables:
  people:
    source: people.csv
    unit: {namespace: persons, column: person}
    columns:
      age: {type: integer, range: [0, 100]}
  visits:
    source: visits.csv
    unit: {namespace: persons, column: person}
    bounds: {groups_per_unit: 1, rows_per_unit_and_group: 2}
    columns:
      cost: {type: integer, range: [0, 10]}
      city: {type: text}
  homes:
    source: homes.csv
    unit: {namespace: households, column: household}
    columns:
      rooms: {type: integer, range: [0, 20]}
)";

/// 60 households of 1 to 6 persons, two visits each; person 999 is in none.
class Village : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream people(scratch_ / "people.csv");
    std::ofstream visits(scratch_ / "visits.csv");
    std::ofstream homes(scratch_ / "homes.csv");
    people << "person,household,age\n999,,50\n";
    visits << "person,cost,city\n999,5,Ulm\n";
    homes << "household,rooms\n";
    int person = 0;
    for (int household = 0; household < 60; ++household) {
      homes << household << ",3\n";
      for (int i = 0; i <= household % 6; ++i, ++person) {
        people << person << "," << household << ",40\n";
        visits << person << ",5,Ulm\n" << person << ",5,Ulm\n";
      }
    }
    people.close();
    visits.close();
    homes.close();
    const policy::Reading reading = policy::read_policy(kPolicy, (scratch_ / "").string());
    for (const policy::Mistake& mistake : reading.mistakes) ADD_FAILURE() << mistake.message;
    ASSERT_TRUE(reading.policy.has_value());
    policy_ = *reading.policy;
    EXPECT_EQ(policy::read_policy(policy::write_policy(policy_), policy_.directory).policy,
              policy_);
    ledger_ = std::move(ledger::Ledger::create({.path = scratch_ / "ledger",
                                                .key = scratch_ / "key",
                                                .witness = scratch_ / "witness"}))
                  .value();
    ASSERT_TRUE(ledger_->add_namespace(
        {.name = "persons",
         .cap = price("1000000", "1e-3"),
         .analysts = {{"ann", price("1000000", "1e-3")}, {"press", price("10", "1e-3")}}}));
    ASSERT_TRUE(ledger_->add_namespace(
        {.name = "households",
         .cap = price("1000000", "1e-3"),
         .analysts = {{"ann", price("1000000", "1e-3")}, {"press", price("1", "1e-3")}}}));
    auto opened = engine::open_engine(policy_, {});
    ASSERT_TRUE(opened.has_value()) << opened.error().message;
    engine_ = *std::move(opened);
    session_ = std::make_unique<Session>(policy_, *ledger_, *engine_);
  }

  static Request request(const std::string& sql, const char* epsilon,
                         const std::string& analyst = "ann") {
    Request out{.sql = sql, .analyst = analyst};
    out.options.epsilon = *Epsilon::parse(epsilon);
    out.options.delta = *Delta::parse("1e-6");
    return out;
  }
  std::string spent_by(const std::string& analyst) {
    return spent(*ledger_, analyst, "persons") + ", " + spent(*ledger_, analyst, "households");
  }

  ledger::Scratch scratch_{ledger::Scratch::Place::kMemory};
  policy::Policy policy_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<Session> session_;
};

TEST_F(Village, BothArePaidTheirOwnPriceAndSeeIt) {
  const Request ask = request("SELECT COUNT(*) FROM visits", "1");
  const auto told = session_->explain(ask);
  ASSERT_TRUE(told.has_value()) << told.error().message;
  EXPECT_EQ(told->units, "persons");
  EXPECT_EQ(told->price, "epsilon 0.5");
  EXPECT_NE(told->bounds.find("at most 4 units of one of households"), std::string::npos);
  std::string notes;
  for (const std::string& note : told->notes) notes += note + "\n";
  EXPECT_NE(notes.find("households pays as well: epsilon 1"), std::string::npos) << notes;
  EXPECT_EQ(spent_by("ann"), "0 0, 0 0");
  const auto answered = session_->ask(ask);
  ASSERT_TRUE(answered.has_value()) << answered.error().message;
  EXPECT_EQ(spent_by("ann"), "0.5 0.5, 1 1");
  EXPECT_EQ(session_->ask(ask)->bytes, answered->bytes);
  EXPECT_EQ(spent_by("ann"), "0.5 0.5, 1 1");
  // The households' cap stops press, and nothing is charged to persons.
  const auto refused = session_->ask(request("SELECT SUM(cost) FROM visits", "2", "press"));
  ASSERT_EQ(refused.error().code, Code::kBudget);
  EXPECT_NE(refused.error().message.find("households"), std::string::npos);
  EXPECT_EQ(spent(*ledger_, "press", "persons"), "0.5 0");
  // Keys that must be found cost both a delta, none more than was offered.
  ASSERT_TRUE(session_->ask(request("SELECT city, COUNT(*) FROM visits GROUP BY city", "1")));
  const ledger::State state = *ledger_->state();
  for (const char* units : {"persons", "households"}) {
    const Rational delta = (*state.find(units))->total.spent().delta.value();
    EXPECT_GT(delta.sign(), 0);
    EXPECT_LE(delta, *Rational::parse("1e-6"));
  }
}

TEST_F(Village, OfAHouseholdFourCountAndWhoIsInNoneDoesNot) {
  const auto number = [&](const std::string& sql) {
    const auto answered = session_->ask(request(sql, "100000"));
    EXPECT_TRUE(answered.has_value()) << answered.error().message;
    return answered ? std::stod(*answered->sheet.rows.at(0).at(0).value) : -1;
  };
  // 1 + 2 + 3 + 4 + 4 + 4 in every six households.
  EXPECT_EQ(number("SELECT COUNT(*) FROM people"), 180);
  EXPECT_EQ(number("SELECT SUM(cost) FROM visits"), 1800);
  EXPECT_EQ(number("SELECT COUNT(*) FROM visits v JOIN people p ON v.person = p.person "
                   "WHERE p.age > 30"),
            360);
  EXPECT_EQ(number("SELECT COUNT(*) FROM people WHERE EXISTS (SELECT 1 FROM visits v "
                   "WHERE v.person = people.person)"),
            180);
  // A table of households is theirs alone.
  const std::string before = spent(*ledger_, "ann", "persons");
  EXPECT_EQ(number("SELECT COUNT(*) FROM homes"), 60);
  EXPECT_EQ(spent(*ledger_, "ann", "persons"), before);
  EXPECT_EQ(session_
                ->ask(request("SELECT COUNT(*) FROM people p JOIN homes h ON p.person = "
                              "h.household",
                              "1"))
                .has_value(),
            false);
}

TEST(Within, MistakesAreNamed) {
  const auto says = [](const std::string& from, const std::string& to, const char* what) {
    std::string text = kPolicy;
    text.replace(text.find(from), from.size(), to);
    const policy::Reading reading = policy::read_policy(text, ".");
    ASSERT_FALSE(reading.policy.has_value()) << what;
    EXPECT_NE((reading.mistakes.at(0).message + "; " + reading.mistakes[0].fix).find(what),
              std::string::npos)
        << reading.mistakes[0].message;
  };
  says("namespace: households, column: people", "namespace: homes, column: people",
       "no other namespace");
  says("namespace: households, column: people", "namespace: persons, column: people",
       "no other namespace");
  says("people.household", "homes.household", "does not say in which");
  says("people.household", "people.person", "does not say in which");
  says("people.household", "household", "does not say in which");
  says("members: 4", "members: 0", "members");
  says("households: {budget: {epsilon: 1000, delta: 1e-3}}",
       "households: {budget: {epsilon: 1, delta: 1e-3}, notion: zcdp}", "another notion");
  says("households: {budget: {epsilon: 1000, delta: 1e-3}}",
       "households: {budget: {epsilon: 1}, neighbours: replace-one}", "replacing one");
  says("    within:", "    blocks: {column: people.age, values: [40]}\n    within:", "blocks");
}

}  // namespace
}  // namespace discreet::session::household_test
