// SPDX-License-Identifier: Apache-2.0
// The theorem of members.h, executed: random questions on databases that differ in one person, and
// in one household, measured by the reference interpreter. Integers, no tolerance.
#include "plan/members.h"

#include <gtest/gtest.h>

#include "ledger/terms.h"
#include "plan/daily.h"
#include "plan/neighbours_for_tests.h"
#include "plan/training.h"

namespace discreet::plan::members_test {
namespace {

policy::Policy village(std::int64_t members, policy::Notion notion = policy::Notion::kEpsilon) {
  policy::Policy policy = clinic();
  policy.units["patients"].notion = notion;
  policy.units["patients"].within = policy::Within{"households", "patients.household", members};
  policy.units["households"].name = "households";
  policy.units["households"].notion = notion;
  return policy;
}

// What is offered for a model is what the dearest pays: nobody pays more, and households all of it.
TEST(Members, AModelCostsNobodyMoreThanWasOffered) {
  for (const char* delta : {"0", "1e-6"}) {
    for (const bool sampled : {false, true}) {
      Training training{.epsilon = Epsilon::parse("1").value(),
                        .delta = Delta::parse(delta).value(),
                        .shares = {1, 2},
                        .sampling = {}};
      if (sampled) training.sampling = Sampling{std::uint64_t{1} << 62, 5};
      if (sampled && training.delta.value() == 0) continue;
      for (const std::int64_t most : {1, 2, 4}) {
        const policy::Policy policy = village(most);
        Plan plan;
        plan.source = from("visits");
        plan.measurements = {measurement(MeasureKind::kSum, col("change"))};
        const auto checked = Checker::check_training(plan, training, policy, "one");
        ASSERT_TRUE(checked.has_value()) << checked.error().message;
        const Charge& charge = checked->rows.charge();
        Rational dearest = 0;
        ASSERT_EQ(charge.units().also.size(), 1u);
        for (const std::int64_t moves : {charge.units().moves, charge.units().also[0].moves}) {
          const auto price = ledger::price_of(ledger::Notion::kEpsilon, charge.lines(), moves);
          ASSERT_TRUE(price.has_value());
          EXPECT_LE(price->amount.value(), Rational(1)) << most;
          EXPECT_LE(price->delta.value(), training.delta.value()) << most;
          dearest = std::max(dearest, price->amount.value());
        }
        EXPECT_GE(dearest, Rational::ratio(999, 1000));
      }
    }
  }
}

// Who counts of a household would change from day to day.
TEST(Members, HaveNoDailyQuestions) {
  const policy::Daily daily{.name = "d",
                            .table = "visits",
                            .day = "day",
                            .first = 0,
                            .days = 8,
                            .days_per_unit = 2,
                            .rows_per_day = 1,
                            .rho = Rational::ratio(1, 2)};
  EXPECT_TRUE(Checker::check_daily(daily, clinic(), "one").has_value());
  const auto refused = Checker::check_daily(daily, village(4), "one");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_NE(refused.error().message.find("within larger ones"), std::string::npos);
}

Plan random_question(Random& random) {
  Plan plan;
  switch (up_to(random, 2)) {
    case 0:
      plan.source = visits_and_patients();
      break;
    case 1:
      plan.source = {{{"visits", "", {}}, {"labs", "", {{0, "id", "visit_id"}}}}};
      break;
    default:
      plan.source = from("visits");
  }
  if (up_to(random, 2) == 0) plan.filter = random_expression(random, 2);
  if (up_to(random, 1) == 0) {
    plan.keys.push_back({col(up_to(random, 1) == 0 ? "clinic" : "city"), "k"});
  }
  for (int i = up_to(random, 2); i >= 0; --i) {
    const auto kind = one_of_these<MeasureKind>(
        random, {MeasureKind::kRows, MeasureKind::kUnits, MeasureKind::kSum, MeasureKind::kDistinct,
                 MeasureKind::kQuantile});
    Measurement m = measurement(kind);
    if (kind != MeasureKind::kUnits && kind != MeasureKind::kRows) m.argument = col("change");
    if (kind == MeasureKind::kQuantile) m.fractions = {Rational::ratio(1, 2)};
    plan.measurements.push_back(std::move(m));
  }
  plan.bounds = {1 + up_to(random, 1), 1 + up_to(random, 2), true};
  plan.delta = Delta::trusted(Rational::ratio(1, 1000));
  return plan;
}

/// People in a few households, some in none, some in two.
Database random_village(Random& random) {
  Database database;
  std::int64_t next_visit = 1;
  for (int id = 1; id <= 9; ++id) add_person(random, database, id, next_visit);
  std::vector<RawRow> twice;
  for (RawRow& row : database["patients"]) {
    if (up_to(random, 9) == 0) continue;
    row["household"] = integer_value(up_to(random, 1));
    if (up_to(random, 5) > 0) continue;
    twice.push_back(row);
    twice.back()["household"] = integer_value(up_to(random, 2));
  }
  for (RawRow& row : twice) database["patients"].push_back(row);
  return database;
}

/// h(p), by p's own rows.
std::optional<Value> household_of(const Database& database, const Value& person) {
  std::optional<Value> least;
  const auto patients = database.find("patients");
  if (patients == database.end()) return least;
  for (const RawRow& row : patients->second) {
    const Value& household = raw(row, "household");
    if (!raw_equal(raw(row, "id"), person) || household.is_null()) continue;
    if (!least || household.number() < least->number()) least = household;
  }
  return least;
}

/// Without all rows of these people.
Database without(const Database& database, const std::function<bool(const Value&)>& gone) {
  Database left;
  for (const auto& [name, rows] : database) {
    const policy::Policy policy = clinic();
    for (const RawRow& row : rows) {
      const Value owner = owner_of(row, *policy.find(name)->unit, database);
      if (owner.is_null() || !gone(owner)) left[name].push_back(row);
    }
  }
  return left;
}

/// Whether the measurements lie within `moves` times what the lines are for.
bool within(const Checked& checked, const Measured& a, const Measured& b, std::int64_t moves) {
  std::int64_t keys = 0;
  bool holds = true;
  for (const std::string& key : keys_of(a, b)) {
    const auto x = static_cast<std::int64_t>(part_of(a, key, &MeasuredGroup::units).size());
    const auto y = static_cast<std::int64_t>(part_of(b, key, &MeasuredGroup::units).size());
    holds = holds && std::abs(x - y) <= moves;
    keys += x == y ? 0 : 1;
  }
  holds = holds && keys <= moves * checked.plan().bounds.groups_per_unit;
  for (std::size_t i = 0; i < checked.steps().size(); ++i) {
    Integer l1 = 0;
    Integer l2 = 0;
    std::int64_t rows = 0;
    for (const std::string& key : keys_of(a, b)) {
      auto x = part_of(a, key, &MeasuredGroup::integers);
      auto y = part_of(b, key, &MeasuredGroup::integers);
      auto u = part_of(a, key, &MeasuredGroup::runs);
      auto v = part_of(b, key, &MeasuredGroup::runs);
      for (auto* each : {&x, &y}) each->resize(checked.steps().size());
      for (auto* each : {&u, &v}) each->resize(checked.steps().size());
      const Integer d = abs(Integer(x[i] - y[i]));
      l1 += d;
      l2 += d * d;
      rows += moved(u[i], v[i]);
    }
    const Rational k(moves);
    const Noise& noise = checked.steps()[i].noise;
    if (const auto* laplace = std::get_if<mechanism::LaplaceVector>(&noise)) {
      holds = holds && Rational(l1) <= k * laplace->sensitivity().value();
    } else if (const auto* gaussian = std::get_if<mechanism::GaussianVector>(&noise)) {
      holds = holds && Rational(l2) <= k * k * gaussian->sensitivity_squared().value();
    } else if (const auto* quantiles = std::get_if<mechanism::Quantiles>(&noise)) {
      const auto& options = quantiles->options();
      holds = holds && rows <= moves * options.keys_per_unit * options.rows_per_unit;
    }
  }
  return holds;
}

struct Tally {
  int checked = 0;
  int wrong = 0;
  int moved = 0;
};

enum class Neighbour { kPerson, kHousehold };

/// `most`, `moves`: other than the checked ones to show what goes wrong then.
Tally run(Neighbour neighbour, std::optional<std::int64_t> most, std::optional<std::int64_t> moves,
          int trials) {
  Random random(7'2026);
  Tally tally;
  for (int trial = 0; trial < trials; ++trial) {
    const auto notion = trial % 2 == 0 ? policy::Notion::kEpsilon : policy::Notion::kZcdp;
    const policy::Policy policy = village(1 + up_to(random, 2), notion);
    const auto checked = Checker::check(random_question(random), policy, "id");
    if (!checked) continue;
    ++tally.checked;
    const Database one = random_village(random);
    const Value person = integer_value(1 + up_to(random, 8));
    const Value household = integer_value(up_to(random, 2));
    const Database other = without(one, [&](const Value& p) {
      if (neighbour == Neighbour::kPerson) return raw_equal(p, person);
      const auto home = household_of(one, p);
      return home && raw_equal(*home, household);
    });
    const ChargedUnits& units = checked->charge().units();
    const std::int64_t charged =
        moves.value_or(neighbour == Neighbour::kPerson ? units.moves : units.also.at(0).moves);
    const auto secret = static_cast<std::uint64_t>(trial);
    const auto measured = [&](const Database& database) {
      auto rows =
          owned_rows(*checked, checked->plan().source, Relations(checked->policy(), database));
      const auto counted =
          counted_members(*checked, database, most.value_or(checked->members()->most));
      std::erase_if(rows, [&](const OwnedRow& row) { return !counted->contains(row.unit); });
      return measure(*checked, bounded(*checked, std::move(rows), secret));
    };
    const Measured a = measured(one);
    const Measured b = measured(other);
    if (!within(*checked, a, b, charged)) ++tally.wrong;
    if (!within(*checked, a, b, 0)) ++tally.moved;
  }
  return tally;
}

TEST(Members, APersonAndAHouseholdMoveAsMuchAsTheyPayFor) {
  for (const Neighbour neighbour : {Neighbour::kPerson, Neighbour::kHousehold}) {
    const Tally tally = run(neighbour, {}, {}, 700);
    EXPECT_GT(tally.checked, 300);
    EXPECT_GT(tally.moved, 50);  // else nothing was tried
    EXPECT_EQ(tally.wrong, 0);
  }
}

TEST(Members, WithoutTheLimitOrAtThePriceOfOneItWouldNotHold) {
  EXPECT_GT(run(Neighbour::kHousehold, 100, {}, 700).wrong, 0);  // nobody is left out
  EXPECT_GT(run(Neighbour::kHousehold, {}, 1, 700).wrong, 0);    // as if it were one person
  EXPECT_GT(run(Neighbour::kPerson, {}, 1, 700).wrong, 0);       // who comes up is forgotten
}

TEST(Members, NobodyPaysMoreThanWasOffered) {
  for (const auto notion : {policy::Notion::kEpsilon, policy::Notion::kZcdp}) {
    for (const std::int64_t members : {1, 2, 3, 7, 60}) {
      const policy::Policy policy = village(members, notion);
      for (const char* key : {"clinic", "city"}) {  // listed; found, which takes a delta
        Plan plan = count_plan();
        plan.measurements.push_back(measurement(MeasureKind::kSum, col("change")));
        Measurement median = measurement(MeasureKind::kQuantile, col("change"));
        median.fractions = {Rational::ratio(1, 2)};
        plan.measurements.push_back(median);
        plan.keys = {{col(key), "k"}};
        plan.epsilon = Epsilon::trusted(Rational::ratio(3, 2));
        plan.delta = Delta::trusted(*Rational::parse("1e-6"));
        const auto checked = Checker::check(plan, policy, "id");
        ASSERT_TRUE(checked) << checked.error().message;
        const ChargedUnits& units = checked->charge().units();
        ASSERT_EQ(units.also.size(), 1U);
        EXPECT_EQ(units.also[0].name, "households");
        EXPECT_EQ(units.also[0].moves, members);
        const bool zcdp = notion == policy::Notion::kZcdp;
        const ledger::Notion as = zcdp ? ledger::Notion::kZcdp : ledger::Notion::kEpsilon;
        const Rational offered = zcdp ? Rational::ratio(9, 8) : Rational::ratio(3, 2);
        for (const ChargedUnits* each : {&units, &units.also[0]}) {
          const auto price = ledger::price_of(as, checked->charge().lines(), each->moves);
          ASSERT_TRUE(price) << price.error().message;
          EXPECT_LE(price->amount.value(), offered);
          EXPECT_LE(price->delta.value(), plan.delta.value());
          if (each->moves == std::max<std::int64_t>(2, members)) {  // and hardly less
            EXPECT_GT(price->amount.value(), offered * Rational::ratio(99, 100));
          }
        }
      }
    }
  }
}

TEST(Members, WhoCountsIsPartOfTheQuestionAndPairsAreRefused) {
  const policy::Policy three = village(3);
  const policy::Policy four = village(4);
  const auto a = Checker::check(count_plan(), three, "id");
  const auto b = Checker::check(count_plan(), four, "id");
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->charge().plan(), b->charge().plan());
  EXPECT_EQ(a->members(), (Members{"patients", "id", "household", 3}));
  EXPECT_FALSE(Checker::check(count_plan(from("events")), three, "id")->members());
}

}  // namespace
}  // namespace discreet::plan::members_test
