// SPDX-License-Identifier: Apache-2.0
// The rules of locality.h, executed: random subqueries and joins on random databases and their
// neighbours. Whatever the checker accepts moves by no more than it declared, exactly; wrong rules
// are noticed (threats S12, S15).
#include "plan/locality.h"

#include <gtest/gtest.h>

#include "plan/neighbours_for_tests.h"
#include "plan/relational_for_tests.h"

namespace discreet::plan::locality_test {
namespace {

struct Tally {
  int checked = 0;
  int violated = 0;  // 1 at the first, where it ends
  int moved = 0;     // neighbours whose measurements differ
  int tight = 0;
  std::string first;
};

// What a wrong rule would make of a source.
using Change = Source (*)(Source);
Source as_it_is(Source source) { return source; }

struct Wrong {
  RelationFault fault = RelationFault::kNone;
  Change change = as_it_is;
};

Tally run(bool pairs, int trials, const Wrong& wrong = {}) {
  Random random(pairs ? 11 : 5);
  Tally tally;
  for (int i = 0; i < trials; ++i) {
    policy::Policy policy = clinic();
    policy::Units& units = policy.units["patients"];
    units.neighbours = up_to(random, 1) == 0 ? Neighbours::kAddRemove : Neighbours::kReplaceOne;
    units.notion = up_to(random, 1) == 0 ? policy::Notion::kEpsilon : policy::Notion::kZcdp;
    const Plan plan = random_relational(random, pairs);
    const Pair pair = neighbours(random, units.neighbours);
    const std::uint64_t secret = random();
    const auto checked = Checker::check(plan, policy, "");
    if (!checked) continue;
    ++tally.checked;
    const Source source = wrong.change(checked->plan().source);
    const auto measured = [&](const Database& database) {
      const Relations relations(policy, database, wrong.fault);
      return measure(*checked, bounded(*checked, owned_rows(*checked, source, relations), secret));
    };
    const Measured a = measured(pair.one);
    const Measured b = measured(pair.other);
    const Verdict verdict = compare(*checked, a, b);
    tally.tight += verdict.tight ? 1 : 0;
    for (const std::string& key : keys_of(a, b)) {
      if (part_of(a, key, &MeasuredGroup::integers) == part_of(b, key, &MeasuredGroup::integers)) {
        continue;
      }
      ++tally.moved;
      break;
    }
    if (verdict.holds) continue;
    ++tally.violated;
    tally.first = to_string(units.neighbours) + "\n" + canonical(plan);
    break;
  }
  return tally;
}

TEST(Locality, NoUnitMovesARandomQuestionByMoreThanDeclared) {
  const Tally tally = run(false, 250);
  EXPECT_GT(tally.checked, 200);
  EXPECT_EQ(tally.violated, 0) << tally.first;
  EXPECT_GT(tally.moved, 80);
  EXPECT_GT(tally.tight, 10);
}

TEST(Locality, NoUnitMovesAJoinOfTwoPeoplesRowsByMoreThanDeclared) {
  const Tally tally = run(true, 250);
  EXPECT_GT(tally.checked, 160);
  EXPECT_EQ(tally.violated, 0) << tally.first;
  EXPECT_GT(tally.moved, 60);
}

TEST(Locality, GroupsThatMixUnitsAreNoticed) {
  EXPECT_GT(run(false, 250, {.fault = RelationFault::kGroupsMixUnits}).violated, 0);
}

// IN and EXISTS without the unit's key: one person moves everybody's rows.
Source without_identity(Source source) {
  for (TableUse& use : source.tables) {
    if (use.join != JoinKind::kInner) use.on.clear();
    for (Part& part : use.parts) part.source = without_identity(std::move(part.source));
  }
  return source;
}

TEST(Locality, SemiAntiAndLeftJoinsWithoutTheUnitAreNoticed) {
  EXPECT_GT(run(false, 250, {.change = without_identity}).violated, 0);
}

TEST(Locality, PairsWithoutALimitPerKeyAreNoticed) {
  EXPECT_GT(run(true, 1000, {.fault = RelationFault::kNoLimitPerKey}).violated, 0);
}

// --- S15: a path of 1,000 people ------------------------------------------------------------

policy::Policy bank() {
  policy::Policy policy;
  policy.units["people"].name = "people";
  policy::Table transfers;
  transfers.name = "transfers";
  transfers.unit = policy::UnitPath{"people", {}, "sender", false};
  transfers.columns = {column_of("sender", Type::kInteger), column_of("receiver", Type::kInteger),
                       column_of("amount", Type::kInteger, Grid{0, 100, 1})};
  policy.tables["transfers"] = transfers;
  return policy;
}

// 0 -> 1 -> 2 -> ...; every second one sends 100, the others nothing.
Database path(int first, int last) {
  Database database;
  for (int i = first; i < last; ++i) {
    database["transfers"].push_back({{"sender", integer_value(i)},
                                     {"receiver", integer_value(i + 1)},
                                     {"amount", integer_value(i % 2 == 0 ? 100 : 0)}});
  }
  return database;
}

Plan two_hops() {
  Part part{from("transfers"), {}, {value("sender"), value("receiver"), value("amount")}};
  Plan plan;
  plan.source = {{subquery({part}), subquery({part}, {{0, "receiver", "sender"}})}};
  for (TableUse& side : plan.source.tables) side.limits = PairLimits{1, 1};
  plan.measurements = {measurement(MeasureKind::kSum, col("amount", 0))};
  return plan;
}

// What a bound by rows would keep: the first row of which neither owner has one yet.
Integer row_by_row(const Checked& checked, const Database& database) {
  std::set<std::string> used;
  Integer sum = 0;
  std::vector<OwnedRow> rows = owned_rows(checked, database);
  std::sort(rows.begin(), rows.end(), [](const OwnedRow& a, const OwnedRow& b) {
    return a.row[0].at("sender").number() < b.row[0].at("sender").number();
  });
  for (const OwnedRow& row : rows) {
    const std::string a = tagged(row.row[0].at("sender"));
    const std::string b = tagged(row.row[1].at("sender"));
    if (used.contains(a) || used.contains(b)) continue;
    used.insert(a);
    used.insert(b);
    sum += row.row[0].at("amount").number().numerator();
  }
  return sum;
}

TEST(Pairs, RemovingTheFirstOfAThousandPeopleDoesNotCascade) {
  const policy::Policy policy = bank();
  const auto checked = Checker::check(two_hops(), policy, "");
  ASSERT_TRUE(checked) << checked.error().message;
  const Database all = path(0, 1'000);
  const Database without = path(1, 1'000);
  const auto sum = [&](const Database& database) {
    return measure(*checked, owned_rows(*checked, database)).begin()->second.integers[0];
  };
  const auto& laplace = std::get<mechanism::LaplaceVector>(checked->steps()[0].noise);
  EXPECT_EQ(laplace.sensitivity().value(), Rational(400));  // (2 + 2) rows of at most 100
  EXPECT_EQ(sum(all) - sum(without), 100);
  // The baseline: cutting joined rows down one by one.
  EXPECT_EQ(row_by_row(*checked, all), 50'000);
  EXPECT_EQ(row_by_row(*checked, without), 0);
}

// One person sends to fifty, who send on: without a limit for the person all fifty rows go.
TEST(Pairs, WithoutALimitForEachUnitOnePersonMovesEveryKey) {
  const policy::Policy policy = bank();
  Plan plan = two_hops();
  for (TableUse& side : plan.source.tables) side.limits = PairLimits{1, 2};
  plan.measurements = {measurement(MeasureKind::kRows)};
  const auto checked = Checker::check(plan, policy, "");
  ASSERT_TRUE(checked) << checked.error().message;
  Database all = path(1, 51);
  Database without = all;
  for (int i = 1; i <= 50; ++i) {
    all["transfers"].push_back({{"sender", integer_value(0)},
                                {"receiver", integer_value(i)},
                                {"amount", integer_value(1)}});
  }
  for (const auto fault : {RelationFault::kNone, RelationFault::kNoLimitPerUnit}) {
    const auto measured = [&](const Database& database) {
      return measure(*checked, owned_rows(*checked, checked->plan().source,
                                          Relations(policy, database, fault)));
    };
    const bool holds = compare(*checked, measured(all), measured(without)).holds;
    EXPECT_EQ(holds, fault == RelationFault::kNone);
  }
}

// Stabilities multiply: 3 rows of a person meet 3 each, on both sides. A price without one of the
// factors would be too small.
TEST(Pairs, StabilitiesMultiply) {
  const policy::Policy policy = bank();
  Plan plan = two_hops();
  for (TableUse& side : plan.source.tables) side.limits = PairLimits{3, 3};
  plan.measurements = {measurement(MeasureKind::kRows)};
  const auto checked = Checker::check(plan, policy, "");
  ASSERT_TRUE(checked) << checked.error().message;
  Database without;
  const auto send = [](Database& database, int sender, int receiver) {
    database["transfers"].push_back(
        {{"sender", integer_value(sender)}, {"receiver", integer_value(receiver)}});
  };
  for (int i = 1; i <= 3; ++i) {
    for (int j = 0; j < 3; ++j) send(without, i, 100 + 10 * i + j);
    send(without, 20 + i, 0);
  }
  Database all = without;
  for (int i = 1; i <= 3; ++i) send(all, 0, i);
  const auto rows = [&](const Database& database) {
    const auto groups = measure(*checked, owned_rows(*checked, database));
    return groups.empty() ? Integer(0) : groups.begin()->second.integers[0];
  };
  EXPECT_EQ(rows(all) - rows(without), 18);
  const auto a = measure(*checked, owned_rows(*checked, all));
  const auto b = measure(*checked, owned_rows(*checked, without));
  EXPECT_TRUE(compare(*checked, a, b).holds);
  EXPECT_FALSE(compare(*checked, a, b, 3).holds) << "36 / 3 rows were too few";
}

TEST(Pairs, AreRefusedWhereTheyCannotBeBounded) {
  const policy::Policy policy = bank();
  const auto refusal = [&](const Plan& plan) {
    const auto checked = Checker::check(plan, policy, "");
    return checked ? "accepted" : checked.error().message;
  };
  Plan plan = two_hops();
  plan.source.tables[0].limits.reset();
  EXPECT_NE(refusal(plan).find("limits on both sides"), std::string::npos);
  plan = two_hops();
  plan.source.tables[0].limits.reset();
  plan.source.tables[1].limits.reset();
  EXPECT_NE(refusal(plan).find("could put rows of two people together"), std::string::npos);
  plan = two_hops();
  plan.measurements = {measurement(MeasureKind::kUnits)};
  EXPECT_NE(refusal(plan).find("no one unit to count"), std::string::npos);
  plan = two_hops();
  plan.keys = {{col("receiver"), "k"}};
  plan.delta = Delta::trusted(Rational::ratio(1, 1000));
  EXPECT_NE(refusal(plan).find("keys that are listed"), std::string::npos);
  plan = two_hops();
  plan.source.tables[1].on.clear();
  plan.source.tables[1].condition = Expr::of(Op::kEqual, {col("receiver", 0), col("sender", 1)});
  EXPECT_NE(refusal(plan).find("on equal columns"), std::string::npos);
  plan = two_hops();
  plan.source = {{subquery({{two_hops().source, {}, {value("amount")}}})}};
  EXPECT_NE(refusal(plan).find("cannot stand in a subquery"), std::string::npos);
}

// --- What is known of rows and fields --------------------------------------------------------

TEST(Locality, AUnitHasOneRowWhereTheUnitIsTheOnlyKey) {
  const policy::Policy policy = clinic();
  Plan plan = count_plan({{subquery({counts({"visits", "", {}})})}});
  plan.bounds = {7, 9, true};
  auto checked = Checker::check(plan, policy, "");
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_EQ(checked->plan().bounds, (policy::ContributionBounds{1, 1, true}));
  EXPECT_EQ(checked->unit_column(), kUnitField);
  // A further key: as many rows as it has values.
  plan.source.tables[0].parts[0].fields.push_back(value("clinic"));
  plan.keys = {{col("clinic"), "clinic"}};
  checked = Checker::check(plan, policy, "");
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_EQ(checked->plan().bounds, (policy::ContributionBounds{3, 9, true}));
}

TEST(Locality, WhatOneFieldMayNotShowNoSubqueryShows) {
  const policy::Policy policy = clinic();
  const auto refusal = [&](Field field, MeasureKind kind, const std::string& name) {
    Plan plan;
    plan.source = {{subquery({{from("visits"), {}, {std::move(field)}}})}};
    plan.measurements = {measurement(kind, col(name))};
    const auto checked = Checker::check(plan, policy, "");
    return checked ? "accepted" : checked.error().message;
  };
  EXPECT_NE(refusal(value("secret"), MeasureKind::kSum, "secret").find("be aggregated"),
            std::string::npos);
  EXPECT_EQ(refusal(value("age"), MeasureKind::kSum, "age"), "accepted");
  EXPECT_NE(refusal(identifier("who", "patient_id"), MeasureKind::kDistinct, "who")
                .find("tells whose row it is"),
            std::string::npos);
  EXPECT_NE(refusal(identifier("who", "age"), MeasureKind::kRows, "who").find("tells no owner"),
            std::string::npos);
  EXPECT_NE(refusal(fold("n", Fold::kRows, {}, Grid{0, 5, 1}), MeasureKind::kSum, "n")
                .find("needs a GROUP BY"),
            std::string::npos);
  EXPECT_NE(refusal(value("age"), MeasureKind::kSum, kUnitField).find("no column"),
            std::string::npos);
}

// The largest of one row is that row's value.
TEST(Locality, AFoldGivesNoRightThatItsColumnDoesNotHave) {
  policy::Policy policy = clinic();
  for (policy::Column& column : policy.tables["visits"].columns) {
    if (column.name == "age") column.may_filter = column.may_group = false;
  }
  for (const Fold fold_kind : {Fold::kLeast, Fold::kGreatest, Fold::kSum, Fold::kMean}) {
    const std::optional<Grid> grid =
        fold_kind == Fold::kSum ? std::optional(Grid{0, 500, 1}) : std::nullopt;
    const auto refusal = [&](bool filters, bool groups) {
      Plan plan = count_plan({{subquery(
          {{from("visits"),
            {},
            {identifier("patient_id", "patient_id"), fold("m", fold_kind, col("age"), grid)},
            true}})}});
      plan.delta = Delta::trusted(Rational::ratio(1, 1000));
      if (filters) plan.filter = Expr::of(Op::kLess, {num(5), col("m")});
      if (groups) plan.keys = {{col("m"), "m"}};
      if (!filters && !groups) plan.measurements = {measurement(MeasureKind::kSum, col("m"))};
      const auto checked = Checker::check(plan, policy, "");
      return checked ? "accepted" : checked.error().message;
    };
    EXPECT_EQ(refusal(false, false), "accepted");
    EXPECT_NE(refusal(true, false).find("'age'"), std::string::npos) << refusal(true, false);
    EXPECT_NE(refusal(false, true).find("'age'"), std::string::npos) << refusal(false, true);
  }
}

TEST(Locality, JoinsThatLoseTheUnitAreRefusedSayingWhatWouldKeepIt) {
  const policy::Policy policy = clinic();
  const auto refusal = [&](JoinKind kind, Source first, std::vector<JoinOn> on) {
    Plan plan = count_plan(std::move(first));
    plan.source.tables.push_back(
        subquery({{from("visits"), {}, visit_fields()}}, std::move(on), kind));
    plan.source.tables.back().condition = Expr::of(Op::kLess, {num(5), col("age", 1)});
    const auto checked = Checker::check(plan, policy, "");
    return checked ? "accepted" : checked.error().message;
  };
  EXPECT_EQ(refusal(JoinKind::kSemi, from("patients"), {{0, "id", "patient_id"}}), "accepted");
  EXPECT_NE(refusal(JoinKind::kSemi, from("patients"), {}).find("one person could move everybody"),
            std::string::npos);
  EXPECT_NE(refusal(JoinKind::kAnti, from("patients"), {}).find("patients.id = s.patient_id"),
            std::string::npos);
  EXPECT_NE(refusal(JoinKind::kLeft, from("patients"), {}).find("rows of two people together"),
            std::string::npos);
  EXPECT_NE(refusal(JoinKind::kLeft, from("zips"), {}).find("depends on everybody"),
            std::string::npos);
}

TEST(Locality, SubqueriesHaveLimits) {
  const policy::Policy policy = clinic();
  // A hundred uses of each field, at every depth: looked at once.
  TableUse use = subquery({{from("visits"), {}, {value("age")}}});
  for (int depth = 1; depth < kNestingMax; ++depth) {
    Expr many = Expr::of(Op::kCoalesce, std::vector<Expr>(100, col("age")));
    use = subquery({{{{use}}, {}, {{"age", Fold::kValue, std::move(many), {}}}}});
  }
  Plan plan;
  plan.source = {{use}};
  plan.measurements = {measurement(MeasureKind::kSum, col("age"))};
  const auto checked = Checker::check(plan, policy, "");
  EXPECT_TRUE(checked) << checked.error().message;
  plan.source = {{subquery({{{{use}}, {}, {value("age")}}})}};
  EXPECT_FALSE(Checker::check(plan, policy, ""));
  plan.source = {{subquery(std::vector<Part>(65, {from("visits"), {}, {value("age")}}))}};
  EXPECT_FALSE(Checker::check(plan, policy, ""));
}

}  // namespace
}  // namespace discreet::plan::locality_test
