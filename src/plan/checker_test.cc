// SPDX-License-Identifier: Apache-2.0
#include "plan/checker.h"

#include <gtest/gtest.h>

#include "ledger/seal.h"
#include "plan/policy_for_tests.h"

namespace discreet::plan::checker_test {
namespace {

using E = Expr;

Result<Checked> check(const Plan& plan, const policy::Policy& policy) {
  return Checker::check(plan, policy, "r1");
}

std::string noises(const Checked& checked) {
  std::string text;
  for (const ChargeLine& line : checked.charge().lines()) {
    text += line.noise.text + " | " + to_string(line.cost) + "\n";
  }
  return text;
}

Plan by(const std::string& key, Plan plan = count_plan()) {
  plan.keys = {{col(key), key}};
  return plan;
}

TEST(Checker, ACountOverAllRowsIsPricedByTheRowsOfAUnit) {
  const policy::Policy policy = clinic();
  const auto checked = check(count_plan(), policy);
  ASSERT_TRUE(checked) << checked.error().message;
  // No GROUP BY: one group, three rows.
  EXPECT_EQ(noises(*checked), "discrete-laplace-vector(scale=3,sensitivity=3) | epsilon 1\n");
  EXPECT_EQ(checked->charge().units().name, "patients");
  EXPECT_EQ(checked->charge().request_id(), "r1");
  EXPECT_EQ(checked->charge().plan(), check(count_plan(), policy)->charge().plan());
  EXPECT_NE(checked->charge().plan(), check(by("clinic"), policy)->charge().plan());
  EXPECT_EQ(checked->unit_column(), "patient_id");
  EXPECT_EQ(checked->plan().bounds.groups_per_unit, 1);
  ASSERT_TRUE(checked->listed());
  EXPECT_EQ(checked->listed()->size(), 1U);
  EXPECT_TRUE(checked->listed()->front().empty());
}

TEST(Checker, ListedKeysAreAllCombinationsInOrder) {
  const policy::Policy policy = clinic();
  Plan plan = by("clinic");
  plan.keys.push_back({col("urgent"), "urgent"});
  const auto checked = check(plan, policy);
  ASSERT_TRUE(checked);
  EXPECT_FALSE(checked->selection());
  ASSERT_EQ(checked->listed()->size(), 6U);
  EXPECT_EQ(to_string((*checked->listed())[0][0]), "north");
  EXPECT_EQ(to_string((*checked->listed())[1][1]), "true");
  EXPECT_EQ(noises(*checked), "discrete-laplace-vector(scale=6,sensitivity=6) | epsilon 1\n");
}

TEST(Checker, UnlistedKeysAreFoundWithAMeasurementOrPayForThemselves) {
  const policy::Policy policy = clinic();
  Plan plan = by("city");
  EXPECT_NE(check(plan, policy).error().message.find("--delta"), std::string::npos);
  plan.delta = Delta::trusted(Rational::ratio(1, 1'000'000));
  const auto checked = check(plan, policy);
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_FALSE(checked->listed());
  // A count has all of epsilon, and tells the keys for nothing but the delta.
  EXPECT_FALSE(checked->selection());
  ASSERT_TRUE(checked->threshold());
  ASSERT_EQ(checked->charge().lines().size(), 1U);
  const Cost& count = checked->charge().lines()[0].cost;
  EXPECT_EQ(count.epsilon->value(), Rational(1));
  EXPECT_EQ(count.delta, plan.delta);
  EXPECT_EQ(checked->threshold()->noise.options().capacity, 3);
  EXPECT_TRUE(checked->threshold()->noise.options().room);

  // Of several, the one with the largest share finds them; lines stay in the steps' order.
  plan.measurements.push_back(measurement(MeasureKind::kSum, col("cost")));
  plan.measurements.push_back(measurement(MeasureKind::kUnits));
  plan.measurements[0].weight = Rational::ratio(1, 2);
  const auto several = check(plan, policy);
  ASSERT_TRUE(several) << several.error().message;
  ASSERT_TRUE(several->threshold());
  EXPECT_EQ(several->threshold()->step, 2U);  // as large as the sum's, and needs no room
  EXPECT_FALSE(several->threshold()->noise.options().room);
  ASSERT_EQ(several->charge().lines().size(), 3U);
  EXPECT_EQ(several->line_of_step(2), 0U);
  EXPECT_EQ(several->line_of_step(0), 1U);
  EXPECT_EQ(several->line_of_step(1), 2U);
  EXPECT_EQ(several->charge().lines()[1].cost.epsilon->value(), Rational::ratio(1, 5));

  // What a unit can also lower, and a quantile, tell no keys: a selection is bought.
  Measurement below = measurement(MeasureKind::kSum, col("cost"));
  below.centre = 100;
  plan.measurements = {below};
  const auto apart = check(plan, policy);
  ASSERT_TRUE(apart) << apart.error().message;
  EXPECT_FALSE(apart->threshold());
  ASSERT_TRUE(apart->selection());
  ASSERT_EQ(apart->charge().lines().size(), 2U);
  const Cost& selection = apart->charge().lines()[0].cost;
  EXPECT_EQ(selection.epsilon->value(), Rational::ratio(1, 2));
  EXPECT_EQ(selection.delta, plan.delta);
  EXPECT_EQ(apart->line_of_step(0), 1U);
  EXPECT_EQ(apart->charge().lines()[1].cost, pure_cost(Epsilon::trusted(Rational::ratio(1, 2))));
}

TEST(Checker, PureUnitsCannotFindKeys) {
  policy::Policy policy = clinic();
  policy.units["patients"].notion = policy::Notion::kPure;
  Plan plan = by("city");
  plan.delta = Delta::trusted(Rational::ratio(1, 1'000'000));
  const auto refused = check(plan, policy);
  EXPECT_EQ(refused.error().code, Code::kRefused);
  EXPECT_NE(refused.error().message.find("'values'"), std::string::npos);
  EXPECT_TRUE(check(by("clinic"), policy));
}

TEST(Checker, WeightsSplitEpsilonAndNothingMore) {
  const policy::Policy policy = clinic();
  Plan plan = count_plan();
  plan.epsilon = Epsilon::trusted(Rational::ratio(1, 10));
  for (const int weight : {1, 2, 4}) {
    plan.measurements.push_back(measurement(MeasureKind::kUnits));
    plan.measurements.back().weight = weight;
  }
  const auto checked = check(plan, policy);
  ASSERT_TRUE(checked);
  Rational total = 0;
  for (const ChargeLine& line : checked->charge().lines())
    total = total + line.cost.epsilon->value();
  EXPECT_EQ(total, plan.epsilon.value());
  EXPECT_EQ(checked->charge().lines()[3].cost.epsilon->value(), Rational::ratio(1, 20));
  plan.measurements[0].weight = 0;
  EXPECT_FALSE(check(plan, policy));
  plan.measurements[0].weight = -1;
  EXPECT_FALSE(check(plan, policy));
}

TEST(Checker, ZcdpUsesGaussiansAndNeverSpendsMoreThanItsRho) {
  policy::Policy policy = clinic();
  policy.units["patients"].notion = policy::Notion::kZcdp;
  Plan plan = by("city");
  plan.delta = Delta::trusted(Rational::ratio(1, 1'000'000));
  plan.measurements.push_back(measurement(MeasureKind::kSum, col("cost")));
  plan.measurements.push_back(measurement(MeasureKind::kQuantile, col("age")));
  plan.measurements.back().fractions = {Rational::ratio(1, 2)};
  for (const auto preference :
       {policy::NoisePreference::kAutomatic, policy::NoisePreference::kLaplace}) {
    policy.noise = preference;
    const auto checked = check(plan, policy);
    ASSERT_TRUE(checked) << checked.error().message;
    const bool gaussian = preference == policy::NoisePreference::kAutomatic;
    EXPECT_EQ(std::holds_alternative<mechanism::GaussianVector>(checked->steps()[0].noise),
              gaussian);
    Rational rho = 0;
    for (const ChargeLine& line : checked->charge().lines()) {
      ASSERT_TRUE(line.cost.rho);
      rho = rho + line.cost.rho->value();
    }
    EXPECT_LE(rho, Rational::ratio(1, 2));
    EXPECT_GT(rho, Rational::ratio(4999, 10'000));
  }
}

TEST(Checker, ReplaceOneCostsAtMostTwice) {
  policy::Policy policy = clinic();
  policy.units["patients"].neighbours = Neighbours::kReplaceOne;
  // One group: both people are in it, so that a count moves by what one of them has.
  EXPECT_EQ(noises(*check(count_plan(), policy)),
            "discrete-laplace-vector(scale=3,sensitivity=3) | epsilon 1\n");
  // Three clinics, two for each person: they share at least one.
  EXPECT_EQ(noises(*check(by("clinic"), policy)),
            "discrete-laplace-vector(scale=9,sensitivity=9) | epsilon 1\n");
  Plan cities = by("city");
  cities.delta = Delta::trusted(Rational::ratio(1, 1'000'000));
  cities.epsilon = Epsilon::trusted(2);
  const auto checked = check(cities, policy);
  ASSERT_TRUE(checked);
  EXPECT_NE(noises(*checked).find("sensitivity=12"), std::string::npos);
  EXPECT_EQ(checked->charge().units().neighbours, Neighbours::kReplaceOne);
}

TEST(Checker, BoundsComeFromThePolicyUnlessTheQuestionHasItsOwn) {
  const policy::Policy policy = clinic();
  Plan plan = by("clinic");
  EXPECT_EQ(check(plan, policy)->plan().bounds.groups_per_unit, 2);
  plan.bounds = {50, 7, true};
  const auto checked = check(plan, policy);
  EXPECT_EQ(checked->plan().bounds.groups_per_unit, 3) << "there are only three clinics";
  EXPECT_EQ(checked->plan().bounds.rows_per_unit_and_group, 7);
  for (const policy::ContributionBounds bad :
       {policy::ContributionBounds{0, 1, true}, {1, -1, true}, {1, 1'000'001, true}}) {
    plan.bounds = bad;
    EXPECT_EQ(check(plan, policy).error().code, Code::kInvalidInput);
  }
}

TEST(Checker, ARowThatIsAUnitContributesOnce) {
  const policy::Policy policy = clinic();
  Plan plan = count_plan(from("events"));
  plan.bounds = {5, 5, true};
  const auto checked = check(plan, policy);
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_EQ(noises(*checked), "discrete-laplace-vector(scale=1,sensitivity=1) | epsilon 1\n");
  EXPECT_EQ(checked->unit_column(), "");
}

struct JoinCase {
  Source source;
  std::optional<Code> refused;
  std::string says;
};

TEST(Checker, JoinsKeepOneOwner) {
  const policy::Policy policy = clinic();
  const std::vector<JoinCase> cases = {
      {visits_and_patients(), {}, ""},
      {{{{"labs", "", {}}, {"visits", "", {{0, "visit_id", "id"}}}}}, {}, ""},
      {{{{"visits", "", {}}, {"labs", "", {{0, "id", "visit_id"}}}}}, {}, ""},
      {{{{"zips", "", {}}, {"patients", "", {{0, "zip", "zip"}}}}}, {}, ""},
      {{{{"patients", "", {}}, {"zips", "", {{0, "zip", "zip"}}}}}, {}, ""},
      {{{{"visits", "a", {}}, {"visits", "b", {{0, "patient_id", "patient_id"}}}}}, {}, ""},
      // A further equality only leaves rows out.
      {{{{"visits", "a", {}},
         {"visits", "b", {{0, "patient_id", "patient_id"}, {0, "age", "age"}}}}},
       {},
       ""},
      {{{{"visits", "", {}}, {"patients", "", {{0, "city", "zip"}}}}},
       Code::kRefused,
       "visits.patient_id = patients.id"},
      {{{{"labs", "", {}}, {"patients", "", {{0, "value", "cohort"}}}}},
       Code::kRefused,
       "declares no key by which"},
      {{{{"visits", "", {}}, {"labs", "", {{0, "age", "visit_id"}}}}},
       Code::kRefused,
       "visits.id = labs.visit_id"},
      {{{{"labs", "a", {}}, {"labs", "b", {{0, "visit_id", "visit_id"}}}}}, {}, ""},
      {{{{"visits", "", {}}, {"events", "", {{0, "age", "size"}}}}}, Code::kUnsupported, "unit"},
      {{{{"patients", "", {}}, {"zips", "", {}}}}, Code::kUnsupported, "ON"},
      {{{{"patients", "", {}}, {"zips", "", {{0, "name", "zip"}}}}}, Code::kRefused, "name"},
      {{{{"patients", "", {}}, {"zips", "", {{1, "zip", "zip"}}}}}, Code::kInvalidInput, "before"},
      {{{{"zips", "", {}}}}, Code::kUnsupported, "public"},
      {{{{"visitss", "", {}}}}, Code::kRefused, "did you mean visits?"},
      {{}, Code::kInvalidInput, "FROM"},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto checked = check(count_plan(cases[i].source), policy);
    EXPECT_EQ(checked.has_value(), !cases[i].refused)
        << i << (checked ? "" : checked.error().message);
    if (checked || !cases[i].refused) continue;
    EXPECT_EQ(checked.error().code, *cases[i].refused) << i << checked.error().message;
    EXPECT_NE(checked.error().message.find(cases[i].says), std::string::npos)
        << i << checked.error().message;
  }
}

TEST(Checker, ChoosesTheTableThatTellsTheUnit) {
  const policy::Policy policy = clinic();
  const auto both =
      check(count_plan({{{"labs", "", {}}, {"visits", "", {{0, "visit_id", "id"}}}}}), policy);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->unit_table(), 1U);
  EXPECT_EQ(both->unit_column(), "patient_id");
  // Alone, the engine follows the path.
  const auto alone = check(count_plan(from("labs")), policy);
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(alone->unit_table(), 0U);
  EXPECT_EQ(alone->unit_column(), "patient_id");
}

TEST(Checker, APathThatGoesOnElsewhereIsNoWayToJoin) {
  policy::Policy policy = clinic();
  policy.tables["labs"].unit->column = "doctor_id";  // the visit's doctor, not its patient
  const auto refused =
      check(count_plan({{{"labs", "", {}}, {"visits", "", {{0, "visit_id", "id"}}}}}), policy);
  EXPECT_EQ(refused.error().code, Code::kRefused);
}

TEST(Checker, OtherUnitsAreNotJoined) {
  policy::Policy policy = clinic();
  policy.tables["patients"].unit->space = "events";
  EXPECT_EQ(check(count_plan(visits_and_patients()), policy).error().code, Code::kRefused);
}

struct MeasureCase {
  Measurement measurement;
  std::string says;
};

TEST(Checker, RefusesMeasurementsThatMeanNothing) {
  const policy::Policy policy = clinic();
  Measurement reversed = measurement(MeasureKind::kSum, col("age"));
  reversed.clamp = Grid{10, 0, 1};
  Measurement fraction = measurement(MeasureKind::kQuantile, col("age"));
  fraction.fractions = {2};
  const std::vector<MeasureCase> cases = {
      {measurement(MeasureKind::kSum, col("city")), "numbers"},
      {measurement(MeasureKind::kSum, col("day")), "numbers"},
      {measurement(MeasureKind::kSum, col("serial")), "range"},
      {measurement(MeasureKind::kQuantile, col("city")), "dates"},
      {measurement(MeasureKind::kQuantile, col("serial")), "range"},
      {measurement(MeasureKind::kSum), "argument"},
      {measurement(MeasureKind::kUnits, col("age")), "no argument"},
      {reversed, "wrong order"},
      {fraction, ""},
  };
  for (const MeasureCase& one : cases) {
    Plan plan = count_plan();
    plan.measurements = {one.measurement};
    const auto refused = check(plan, policy);
    ASSERT_FALSE(refused) << one.says;
    EXPECT_NE(refused.error().message.find(one.says), std::string::npos) << refused.error().message;
  }
  Plan none = count_plan();
  none.measurements.clear();
  EXPECT_NE(check(none, policy).error().message.find("COUNT(*)"), std::string::npos);
}

TEST(Checker, BoundsOfTheQuestionMakeAnUndeclaredRangeUsable) {
  const policy::Policy policy = clinic();
  Plan plan = count_plan();
  plan.measurements = {measurement(MeasureKind::kSum, col("serial"))};
  plan.measurements[0].clamp = Grid{0, 100, 1};
  const auto checked = check(plan, policy);
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_EQ(checked->steps()[0].lowered.high, 100);
  EXPECT_EQ(noises(*checked), "discrete-laplace-vector(scale=300,sensitivity=300) | epsilon 1\n");
}

TEST(Checker, TooManyCombinationsOfListedKeysAreRefused) {
  const policy::Policy policy = clinic();
  Plan plan = count_plan();
  for (int i = 0; i < 3; ++i) {
    plan.keys.push_back({E::of(Op::kDatePart, {col("day")}, "doy"), "k"});
  }
  EXPECT_NE(check(plan, policy).error().message.find("100000"), std::string::npos);
}

TEST(Checker, TextsOfRefusalsDependOnPlanAndPolicyAlone) {
  // Nothing else is an argument; the same refusal comes again, letter by letter.
  const policy::Policy policy = clinic();
  const Plan plan = by("nowhere");
  EXPECT_EQ(check(plan, policy).error().message, check(plan, policy).error().message);
}

policy::Policy with_blocks() {
  policy::Policy policy = clinic();
  policy.units["patients"].block_column = "patients.cohort";
  policy.tables["patients"].columns[0].grid = Grid{2000, 2099, 1};
  policy.units["patients"].block_values = {"2020", "2021", "2022"};
  return policy;
}

std::string blocks(const std::optional<Expr>& filter, const policy::Policy& policy,
                   const Source& source = from("patients")) {
  Plan plan = count_plan(source);
  plan.filter = filter;
  const auto checked = check(plan, policy);
  if (!checked) return checked.error().message;
  std::string text;
  for (const std::string& block : checked->charge().units().blocks) text += block + " ";
  return text + "| " + (checked->plan().filter ? to_string(*checked->plan().filter, {}) : "");
}

TEST(Blocks, AreNamedByTheTextOfTheQuestionOnly) {
  const policy::Policy policy = with_blocks();
  const std::string declared = "(cohort IN (2020, 2021, 2022))";
  const E pin = E::of(Op::kEqual, {col("cohort"), num(2021)});
  const E turned = E::of(Op::kEqual, {num(2021), col("cohort")});
  const E heavy = E::of(Op::kLess, {num(9), col("weight")});
  EXPECT_EQ(blocks({}, policy), "| " + declared);
  EXPECT_EQ(blocks(pin, policy), "2021 | ((cohort = 2021) AND " + declared + ")");
  EXPECT_EQ(blocks(turned, policy), "2021 | ((2021 = cohort) AND " + declared + ")");
  EXPECT_EQ(blocks(E::of(Op::kAnd, {heavy, E::of(Op::kAnd, {pin})}), policy).substr(0, 6),
            "2021 |");
  EXPECT_EQ(blocks(E::of(Op::kIn, {col("cohort"), num(2022), num(2020)}), policy).substr(0, 11),
            "2020 2022 |");
  // 2024 is no declared block: it is excluded, and not charged.
  EXPECT_EQ(blocks(E::of(Op::kIn, {col("cohort"), num(2024), num(2020)}), policy).substr(0, 6),
            "2020 |");
  // What does not pin the block is charged to all: OR, NOT, inequalities, an undeclared value.
  EXPECT_EQ(blocks(E::of(Op::kOr, {pin, heavy}), policy)[0], '|');
  EXPECT_EQ(blocks(E::of(Op::kNot, {pin}), policy)[0], '|');
  EXPECT_EQ(blocks(E::of(Op::kLess, {col("cohort"), num(2021)}), policy)[0], '|');
  EXPECT_EQ(blocks(E::of(Op::kEqual, {col("cohort"), num(2024)}), policy)[0], '|');
  EXPECT_EQ(blocks(E::of(Op::kEqual, {col("cohort"), col("cohort")}), policy)[0], '|');
  EXPECT_EQ(blocks(E::of(Op::kEqual, {col("weight"), num(2021)}), policy)[0], '|');
}

TEST(Blocks, WithoutTheColumnInTheSourceAllPay) {
  EXPECT_EQ(blocks({}, with_blocks(), from("visits")), "| ");
}

TEST(Blocks, AColumnOfThatNameElsewhereNamesNone) {
  policy::Policy policy = with_blocks();
  policy.tables["visits"].columns.push_back(column_of("cohort", Type::kInteger));
  const auto pin = [](std::size_t table) {
    return E::of(Op::kEqual, {col("cohort", table), num(2021)});
  };
  EXPECT_EQ(blocks(pin(0), policy, from("visits")), "| (cohort = 2021)");
  const std::string joined = blocks(pin(0), policy, visits_and_patients());
  EXPECT_EQ(joined[0], '|');
  EXPECT_NE(joined.find("IN (2020, 2021, 2022)"), std::string::npos) << joined;
  EXPECT_EQ(blocks(pin(1), policy, visits_and_patients()).substr(0, 6), "2021 |");
  EXPECT_EQ(blocks(E::of(Op::kAnd, {pin(0), pin(1)}), policy, visits_and_patients()).substr(0, 6),
            "2021 |");
}

TEST(Blocks, TheChargeSaysWhichColumnItsBlocksAreOf) {
  const policy::Policy policy = with_blocks();
  Plan plan = count_plan(from("patients"));
  EXPECT_EQ(check(plan, policy)->charge().units().block_attribute, "");
  plan.filter = E::of(Op::kEqual, {col("cohort"), num(2021)});
  EXPECT_EQ(check(plan, policy)->charge().units().block_attribute, "patients.cohort");
}

TEST(Blocks, ABareNameOrAnotherNamespacesTableNamesNone) {
  for (const char* column : {"cohort", "visits.cohort", "nowhere.cohort", "events.size"}) {
    policy::Policy policy = with_blocks();
    policy.units["patients"].block_column = column;
    EXPECT_EQ(blocks(E::of(Op::kEqual, {col("cohort"), num(2021)}), policy), "| (cohort = 2021)");
  }
}

TEST(Blocks, AColumnOfAPublicTableNamesNone) {
  policy::Policy policy = with_blocks();
  policy.tables["zips"].columns.push_back(column_of("cohort", Type::kInteger));
  const Source source = {{{"patients", "p", {}}, {"zips", "z", {{0, "zip", "zip"}}}}};
  EXPECT_EQ(blocks(E::of(Op::kEqual, {col("cohort", 1), num(2021)}), policy, source)[0], '|');
}

}  // namespace
}  // namespace discreet::plan::checker_test
