// SPDX-License-Identifier: Apache-2.0
// The theorem of checker.h, executed (threat A2): random plans on random databases and their
// neighbours, measured by the reference interpreter. Integers, no tolerance.
#include "plan/sensitivity.h"

#include <gtest/gtest.h>

#include <random>

#include "plan/neighbours_for_tests.h"

namespace discreet::plan::sensitivity_test {
namespace {

constexpr int kTrials = 1'500;

Source random_source(Random& random) {
  switch (up_to(random, 5)) {
    case 0:
      return visits_and_patients();
    case 1:
      return {{{"visits", "", {}}, {"labs", "", {{0, "id", "visit_id"}}}}};
    case 2:  // every pair of visits of one person
      return {{{"visits", "", {}}, {"visits", "", {{0, "patient_id", "patient_id"}}}}};
    case 3:  // a public table with several rows for a key
      return {{{"visits", "", {}},
               {"patients", "", {{0, "patient_id", "id"}}},
               {"zips", "", {{1, "zip", "zip"}}}}};
    default:
      return from("visits");
  }
}

Measurement random_measurement(Random& random) {
  const auto kind = static_cast<MeasureKind>(up_to(random, 5));
  Measurement m = measurement(kind);
  if (kind != MeasureKind::kUnits && (kind != MeasureKind::kRows || up_to(random, 1) == 0)) {
    m.argument = up_to(random, 2) > 0
                     ? col(one_of_these<std::string>(random, {"age", "change", "cost", "filled"}))
                     : random_expression(random, 2);
  }
  if (kind == MeasureKind::kQuantile) {
    m.fractions = {Rational::ratio(up_to(random, 4), 4)};
    if (up_to(random, 1) == 0) m.fractions.push_back(Rational::ratio(1, 3));
    m.intervals = up_to(random, 1) == 0;
  }
  if (kind == MeasureKind::kSum || kind == MeasureKind::kSquares) m.centre = up_to(random, 6) - 3;
  if (up_to(random, 3) == 0) m.clamp = Grid{-2 + up_to(random, 3), 3, 1};
  return m;
}

Plan random_plan(Random& random) {
  Plan plan;
  plan.source = random_source(random);
  if (up_to(random, 2) == 0) plan.filter = random_expression(random, 3);
  for (int i = up_to(random, 2); i > 0; --i) {
    plan.keys.push_back({up_to(random, 3) > 0
                             ? col(one_of_these<std::string>(random, {"clinic", "urgent", "city"}))
                             : random_expression(random, 2),
                         "k"});
  }
  for (int i = 0; i <= up_to(random, 2); ++i) {
    plan.measurements.push_back(random_measurement(random));
  }
  plan.bounds = {1 + up_to(random, 2), 1 + up_to(random, 2), true};
  plan.delta = Delta::trusted(Rational::ratio(1, 1000));
  return plan;
}

policy::Policy random_policy(Random& random) {
  policy::Policy policy = clinic();
  policy::Units& units = policy.units["patients"];
  units.neighbours = up_to(random, 1) == 0 ? Neighbours::kAddRemove : Neighbours::kReplaceOne;
  units.notion = up_to(random, 1) == 0 ? policy::Notion::kEpsilon : policy::Notion::kZcdp;
  if (up_to(random, 3) == 0) {
    units.block_column = "patients.cohort";
    policy.tables["patients"].columns[0].grid = Grid{2000, 2099, 1};
    units.block_values = {"2020", "2021"};
  }
  return policy;
}

// Faults that the property must notice.
enum class Fault { kNone, kAllGroups, kAllRows, kOneGroupCharged };

Measured measured(const Checked& checked, const Database& database, std::uint64_t secret,
                  Fault fault) {
  std::vector<OwnedRow> rows = owned_rows(checked, database);
  if (fault == Fault::kAllGroups || fault == Fault::kAllRows) {
    Plan plan = checked.plan();
    plan.bounds.groups_per_unit = fault == Fault::kAllGroups ? 1'000 : plan.bounds.groups_per_unit;
    plan.bounds.rows_per_unit_and_group =
        fault == Fault::kAllRows ? 1'000 : plan.bounds.rows_per_unit_and_group;
    auto wider = Checker::check(std::move(plan), checked.policy(), "");
    return measure(checked, bounded(*wider, std::move(rows), secret));
  }
  return measure(checked, bounded(checked, std::move(rows), secret));
}

struct Tally {
  int checked = 0;
  int violated = 0;
  int tight = 0;
  std::string first;  // the first violation
};

Tally run(Fault fault, int trials) {
  Random random(42);
  Tally tally;
  for (int i = 0; i < trials; ++i) {
    const policy::Policy policy = random_policy(random);
    const Plan plan = random_plan(random);
    const auto relation = policy.units.at("patients").neighbours;
    const Pair pair = neighbours(random, relation);
    const auto checked = Checker::check(plan, policy, "");
    if (!checked) continue;
    ++tally.checked;
    const std::uint64_t secret = random();
    const Rational cheat =
        fault == Fault::kOneGroupCharged ? checked->plan().bounds.groups_per_unit : 1;
    const Verdict verdict = compare(*checked, measured(*checked, pair.one, secret, fault),
                                    measured(*checked, pair.other, secret, fault), cheat);
    tally.tight += verdict.tight ? 1 : 0;
    if (verdict.holds) continue;
    ++tally.violated;
    if (tally.first.empty()) tally.first = to_string(relation) + "\n" + canonical(plan);
  }
  return tally;
}

TEST(Sensitivity, HoldsForRandomPlansAndNeighbours) {
  const Tally tally = run(Fault::kNone, kTrials);
  EXPECT_GT(tally.checked, kTrials / 5);
  EXPECT_EQ(tally.violated, 0) << tally.first;
  EXPECT_GT(tally.tight, 20) << "bounds that are never reached would be too wide";
}

TEST(Sensitivity, UnboundedGroupsAreNoticed) {
  EXPECT_GT(run(Fault::kAllGroups, kTrials).violated, 0);
}

TEST(Sensitivity, UnboundedRowsAreNoticed) { EXPECT_GT(run(Fault::kAllRows, kTrials).violated, 0); }

TEST(Sensitivity, ForgettingTheGroupsInThePriceIsNoticed) {
  EXPECT_GT(run(Fault::kOneGroupCharged, kTrials).violated, 0);
}

// What the ledger needs of a charge that names blocks (ledger.md, reach): units of other blocks, of
// none and of undeclared ones change nothing.
TEST(Sensitivity, AQuestionThatNamesABlockDependsOnItsUnitsOnly) {
  Random random(7);
  policy::Policy policy = clinic();
  policy.units["patients"].block_column = "patients.cohort";
  policy.units["patients"].block_values = {"2020", "2021"};
  policy.tables["patients"].columns[0].grid = Grid{2000, 2099, 1};
  policy.tables["visits"].columns.push_back(column_of("cohort", Type::kInteger));
  int named = 0;
  int noticed = 0;
  for (int i = 0; i < kTrials; ++i) {
    Plan plan = random_plan(random);
    plan.source = visits_and_patients();
    // The year of a visit has the same name, and means nothing.
    const std::size_t table = up_to(random, 1) == 0 ? 0 : 1;
    plan.filter = Expr::of(Op::kEqual, {col("cohort", table), num(2021)});
    Pair pair = neighbours(random, Neighbours::kAddRemove);
    for (Database* database : {&pair.one, &pair.other}) {
      for (RawRow& visit : (*database)["visits"]) visit["cohort"] = integer_value(2021);
    }
    bool is_inside = false;
    for (const RawRow& patient : pair.one["patients"]) {
      is_inside = is_inside || (patient.at("id") == integer_value(77) &&
                                patient.at("cohort") == integer_value(2021));
    }
    const auto checked = Checker::check(plan, policy, "");
    if (!checked || is_inside) continue;
    const std::uint64_t secret = random();
    const Measured a = measured(*checked, pair.one, secret, Fault::kNone);
    const Measured b = measured(*checked, pair.other, secret, Fault::kNone);
    bool is_equal = true;
    for (const std::string& key : keys_of(a, b)) {
      is_equal = is_equal &&
                 part_of(a, key, &MeasuredGroup::units) == part_of(b, key, &MeasuredGroup::units);
    }
    const ChargedUnits& units = checked->charge().units();
    EXPECT_EQ(units.blocks.empty(), table == 0);
    named += units.blocks.empty() ? 0 : 1;
    noticed += units.blocks.empty() && !is_equal ? 1 : 0;
    EXPECT_TRUE(is_equal || units.blocks.empty()) << canonical(plan);
  }
  EXPECT_GT(named, 100);
  EXPECT_GT(noticed, 10) << "had the visits' column pinned the block, this would have told";
}

// The formulas against all ways in which two units can lie in K groups.
TEST(Sensitivity, FormulasAreTheMaximumOverAllPlacements) {
  for (int low = -3; low <= 2; ++low) {
    for (int high = low; high <= 3; ++high) {
      for (int l = 1; l <= 3; ++l) {
        for (int keys = l; keys <= 7; ++keys) {
          const int rows = 2;
          const Move move = move_of_sum(rows, low, high);
          const int below = rows * std::min(low, 0);
          const int above = rows * std::max(high, 0);
          const int most = std::max(-below, above);
          int l1_most = 1;
          int l2_most = 1;
          for (int both = 0; both <= l; ++both) {
            const int single = 2 * (l - both);
            if (single + both > keys) continue;
            l1_most = std::max(l1_most, single * most + both * (above - below));
            l2_most =
                std::max(l2_most, single * most * most + both * (above - below) * (above - below));
          }
          const Reach reach{l, Integer(keys), Neighbours::kReplaceOne};
          EXPECT_GE(l1(reach, move), l1_most);
          EXPECT_GE(l2_squared(reach, move), l2_most);
          EXPECT_EQ(l1(reach, move), l1_most) << low << high << l << keys;
        }
      }
    }
  }
}

}  // namespace
}  // namespace discreet::plan::sensitivity_test
