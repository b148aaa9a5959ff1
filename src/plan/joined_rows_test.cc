// SPDX-License-Identifier: Apache-2.0
// How many joined rows a unit can cause: sources whose bound is known, and random ones on random
// databases, where no unit causes more than the bound says.
#include "plan/joined_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plan/checker.h"
#include "plan/neighbours_for_tests.h"
#include "plan/relational_for_tests.h"

namespace discreet::plan::joined_rows_test {
namespace {

constexpr std::int64_t kScan = policy::kRowsPerUnit;

Multiplicity zips_are(std::int64_t with_one_zip, std::int64_t rows) {
  return [=](const std::string& table, const std::vector<std::string>& columns) {
    EXPECT_EQ(table, "zips");
    return Result<std::int64_t>(columns.empty() ? rows : with_one_zip);
  };
}

JoinedRows rows_of(const Source& source, const policy::Policy& policy = clinic(),
                   const Multiplicity& facts = zips_are(1, 4)) {
  return joined_rows(count_plan(source), policy, facts).value();
}

/// visits v0 JOIN visits v1 ON patient_id JOIN ...
Source visits_times(std::size_t count) {
  Source source;
  for (std::size_t i = 0; i < count; ++i) {
    TableUse use{"visits", "v" + std::to_string(i), {}};
    if (i > 0) use.on = {{i - 1, "patient_id", "patient_id"}};
    source.tables.push_back(use);
  }
  return source;
}

TEST(JoinedRows, WhatMeetsOneRowIsNotMultiplied) {
  EXPECT_FALSE(rows_of(from("visits")).is_cut());
  // labs lead to visits.id, which is unique.
  EXPECT_FALSE(rows_of({{{"labs", "l", {}}, {"visits", "v", {{0, "visit_id", "id"}}}}}).is_cut());
  EXPECT_FALSE(rows_of({{{"visits", "v", {}}, {"labs", "l", {{0, "id", "visit_id"}}}}}).is_cut());
  EXPECT_FALSE(rows_of({{{"visits", "v", {}}, {"zips", "z", {{0, "city", "zip"}}}}}).is_cut());
  // One row of each unit: grouped by it.
  TableUse counts = subquery(
      {Part{from("visits"),
            {},
            {identifier("patient_id", "patient_id"), fold("n", Fold::kRows, {}, Grid{0, 10, 1})},
            true}},
      {{0, "patient_id", "patient_id"}});
  EXPECT_FALSE(rows_of({{{"visits", "v", {}}, counts}}).is_cut());
}

TEST(JoinedRows, FactorsAreMultiplied) {
  const Source lookup{{{"visits", "v", {}}, {"zips", "z", {{0, "city", "zip"}}}}};
  const JoinedRows few = rows_of(lookup, clinic(), zips_are(60, 1000));
  EXPECT_EQ(few.most, 60 * 833);
  ASSERT_TRUE(few.cuts.contains("visits"));
  EXPECT_EQ(few.cuts.at("visits"), (ScanCut{833, {}, {"city", "patient_id"}}));
  EXPECT_FALSE(few.cuts.contains("zips"));
  EXPECT_TRUE(check_joined_rows(few, clinic()));
  // As many of each unit as give 50,000 joined rows; at least 40.
  EXPECT_EQ(rows_of(lookup, clinic(), zips_are(3, 1000)).most, 3 * kScan);
  const JoinedRows many = rows_of(lookup, clinic(), zips_are(20'000, 20'000));
  EXPECT_EQ(many.cuts.at("visits").rows, 40);
  EXPECT_EQ(many.most, 800'000);
  EXPECT_TRUE(check_joined_rows(many, clinic()));

  const JoinedRows twice = rows_of(visits_times(2));
  EXPECT_EQ(twice.cuts.at("visits").rows, 223);
  EXPECT_EQ(rows_of(visits_times(3)).cuts.at("visits").rows, 40);
  EXPECT_EQ(rows_of(visits_times(3)).most, 40 * 40 * 40);
}

// The fewer tables, the more can be computed of a row.
TEST(JoinedRows, WhatIsComputedOfARowCounts) {
  Plan plan = count_plan(visits_times(2));
  const auto rows = [&] { return joined_rows(plan, clinic(), zips_are(1, 4)).value(); };
  EXPECT_EQ(rows().work, 1);
  plan.keys = {{col("city", 0), ""}};
  EXPECT_EQ(rows().work, 1);
  const Expr text = Expr::of(Op::kConcat, {col("city", 0), col("city", 1)});
  plan.filter = Expr::of(Op::kLike, {Expr::of(Op::kConcat, {text, text}), txt("%a%")});
  EXPECT_EQ(rows().work, 17);
  EXPECT_EQ(rows().cuts.at("visits").rows, 54);  // 54^2 * 17 is below 50,000
  plan.source = visits_times(3);
  const auto refusal = check_joined_rows(rows(), clinic());
  ASSERT_FALSE(refusal);
  EXPECT_NE(refusal.error().message.find("at most 58823 are allowed where so much is computed"),
            std::string::npos)
      << refusal.error().message;
}

// Where nothing is joined a unit's rows are cut too, if much is computed of each.
TEST(JoinedRows, WhatIsComputedOfARowThatIsReadCounts) {
  Plan plan = count_plan(from("visits"));
  const auto rows = [&] { return joined_rows(plan, clinic(), zips_are(1, 4)).value(); };
  const auto like = [](int i) {
    return Expr::of(Op::kLike, {col("city", 0), txt("%" + std::to_string(i) + "%")});
  };
  plan.filter = like(0);
  EXPECT_FALSE(rows().is_cut());  // 16,384 * 5 is below 10^5
  for (int i = 1; i < 64; ++i) plan.filter = Expr::of(Op::kOr, {*plan.filter, like(i)});
  EXPECT_EQ(rows().cuts.at("visits").rows, 100'000 / 258);
  EXPECT_EQ(rows().most, 100'000 / 258);
  EXPECT_TRUE(check_joined_rows(rows(), clinic()));
  // Eight scans, and little of each row: to cut would take longer.
  plan.filter = {};
  Part part{from("visits"), {}, {identifier("patient_id", "patient_id")}, false};
  plan.source = {{subquery(std::vector<Part>(8, part), {})}};
  EXPECT_FALSE(rows().is_cut());
  part.filter = like(0);
  plan.source = {{subquery(std::vector<Part>(8, part), {})}};
  EXPECT_EQ(rows().cuts.at("visits").rows, 100'000 / 8 / 33);
}

// What is asked before the cut is asked of all of a unit's rows, so it takes little.
TEST(JoinedRows, LittleIsAskedBeforeTheCut) {
  const Expr like = Expr::of(Op::kLike, {col("city", 0), txt("%a%")});
  const Expr equal = Expr::of(Op::kEqual, {col("city", 0), txt("a")});
  std::int64_t room = kPartsBeforeCut;
  EXPECT_TRUE(asked_before_cut(equal, room));
  EXPECT_TRUE(asked_before_cut(like, room));
  EXPECT_FALSE(asked_before_cut(like, room));
  int many = 0;
  while (asked_before_cut(equal, room)) ++many;
  EXPECT_LE(many, kPartsBeforeCut);
}

// One row of each unit meets many of a public table.
TEST(JoinedRows, OneRowOfAUnitIsMultipliedToo) {
  const TableUse counts = subquery(
      {Part{from("visits"),
            {},
            {identifier("patient_id", "patient_id"), fold("n", Fold::kRows, {}, Grid{0, 10, 1})},
            true}},
      {});
  const Source source{{counts, {"zips", "z", {{0, "n", "zip"}}}}};
  EXPECT_EQ(rows_of(source, clinic(), zips_are(100'000, 100'000)).most, 100'000);
  EXPECT_FALSE(
      check_joined_rows(rows_of(source, clinic(), zips_are(1'000'001, 1'000'001)), clinic()));
}

// A path may end in a table where the unit's own name is the key: one row is read of each unit.
TEST(JoinedRows, OneRowIsReadWhereAPathSaysSo) {
  policy::Policy policy = clinic();
  policy.tables["labs"].unit->steps = {{"visit_id", "patients", "id"}};
  policy.tables["labs"].unit->column = "id";
  const Source source{{{"labs", "l", {}}, {"patients", "p", {{0, "visit_id", "id"}}}}};
  const JoinedRows rows = rows_of(source, policy);
  EXPECT_EQ(rows.most, kScan);
  EXPECT_EQ(rows.cuts.at("patients").rows, 1);
  EXPECT_FALSE(rows_of(from("patients"), policy).is_cut());
}

TEST(JoinedRows, WhatCannotBeCutFarEnoughIsRefusedWithTheRemedy) {
  const auto refusal = check_joined_rows(rows_of(visits_times(4)), clinic());
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().code, Code::kRefused);
  for (const char* word : {"72057594037927936", "1000000", "rows_per_unit", "'visits'"}) {
    EXPECT_NE(refusal.error().message.find(word), std::string::npos) << refusal.error().message;
  }
  // Sixteen tables, and public ones beyond 2^62.
  for (std::size_t tables = 4; tables <= 16; ++tables) {
    EXPECT_FALSE(check_joined_rows(rows_of(visits_times(tables)), clinic())) << tables;
  }
  Source chain = from("visits");
  for (std::size_t i = 1; i <= 3; ++i) {
    chain.tables.push_back({"zips", "z" + std::to_string(i), {{0, "city", "zip"}}});
  }
  EXPECT_TRUE(check_joined_rows(rows_of(chain, clinic(), zips_are(3, 9)), clinic()));
  EXPECT_FALSE(check_joined_rows(rows_of(chain, clinic(), zips_are(260, 260)), clinic()));
}

TEST(JoinedRows, TheOwnersWordIsTaken) {
  policy::Policy policy = clinic();
  policy.tables["visits"].rows_per_unit = 5;
  EXPECT_EQ(rows_of(visits_times(2), policy).most, 25);
  EXPECT_EQ(rows_of(visits_times(2), policy).cuts.at("visits").rows, 5);
  EXPECT_EQ(rows_of(visits_and_patients(), policy).most, 5 * 10'000);
  policy.tables["visits"].rows_per_unit = 2000;  // not less, though W is too large
  EXPECT_FALSE(check_joined_rows(rows_of(visits_times(2), policy), policy));
  policy.joined_rows_per_unit = 4'000'000;
  EXPECT_TRUE(check_joined_rows(rows_of(visits_times(2), policy), policy));
  policy.joined_rows_per_unit = 3'999'999;
  EXPECT_FALSE(check_joined_rows(rows_of(visits_times(2), policy), policy));
}

// Under one label another cut is another question; the default is not named, so that what was
// bought before there were cuts is found.
TEST(JoinedRows, ADeclaredCutIsPartOfTheQuestion) {
  const auto plan_of = [](const policy::Policy& policy, const Source& source) {
    return Checker::check(count_plan(source), policy, "").value().charge().plan();
  };
  policy::Policy declared = clinic();
  declared.tables["visits"].rows_per_unit = 5;
  EXPECT_NE(plan_of(clinic(), visits_times(2)), plan_of(declared, visits_times(2)));
  EXPECT_EQ(plan_of(clinic(), from("visits")), plan_of(declared, from("visits")));
}

TEST(JoinedRows, WithoutFactsEverythingThatMeetsAPublicTableIsCut) {
  const Source lookup{{{"visits", "v", {}}, {"zips", "z", {{0, "city", "zip"}}}}};
  const JoinedRows rows = rows_of(lookup, clinic(), {});
  EXPECT_TRUE(rows.is_cut());
  EXPECT_FALSE(rows.is_known);
  EXPECT_FALSE(rows.most);
}

// Conditions of EXISTS beyond equalities are looked at pair by pair.
TEST(JoinedRows, AreCountedForTablesOfKnownSizes) {
  const auto most = [](const Source& source, std::int64_t visits, std::int64_t labs) {
    return most_joined_rows(
               count_plan(source), clinic(), zips_are(7, 50),
               [=](const std::string& table) { return table == "visits" ? visits : labs; })
        .value();
  };
  const Source along_a_key{{{"labs", "l", {}}, {"visits", "v", {{0, "visit_id", "id"}}}}};
  EXPECT_EQ(most(along_a_key, 3, 40), 40);
  EXPECT_EQ(most(along_a_key, 50, 40), 50);
  EXPECT_EQ(most(visits_times(3), 5, 0), 125);
  EXPECT_EQ(most({{{"visits", "v", {}}, {"zips", "z", {{0, "city", "zip"}}}}}, 5, 0), 35);
}

TEST(JoinedRows, ExistsWithAConditionCountsThePairs) {
  TableUse other = subquery(
      {Part{from("visits"), {}, {identifier("patient_id", "patient_id"), value("age")}, false}},
      {{0, "patient_id", "patient_id"}}, JoinKind::kSemi);
  EXPECT_FALSE(rows_of({{{"visits", "v", {}}, other}}).is_cut());
  other.condition = Expr::of(Op::kLess, {col("age", 0), col("age", 1)});
  EXPECT_EQ(rows_of({{{"visits", "v", {}}, other}}).most, 1'000'000);
}

/// The most rows of a table that one owner has.
std::int64_t largest_unit(const std::string& table, const policy::Policy& policy,
                          const Database& database) {
  std::map<std::string, std::int64_t> counts;
  std::int64_t most = 1;
  const auto rows = database.find(table);
  if (rows == database.end()) return most;
  for (const RawRow& row : rows->second) {
    const Value owner = owner_of(row, *policy.find(table)->unit, database);
    if (!owner.is_null()) most = std::max(most, ++counts[tagged(owner)]);
  }
  return most;
}

std::int64_t equal_rows(const std::vector<std::string>& columns, const std::vector<RawRow>& rows) {
  std::map<std::string, std::int64_t> counts;
  std::int64_t most = 0;
  for (const RawRow& row : rows) {
    std::vector<Value> values;
    for (const std::string& column : columns) values.push_back(raw(row, column));
    most = std::max(most, ++counts[tagged(values)]);
  }
  return most;
}

// With cuts that are the largest units' sizes the bound is as low as it can be; rows are counted
// before they are bounded.
TEST(JoinedRows, NoUnitOfARandomDatabaseCausesMoreThanTheBound) {
  Random random(29);
  int multiplied = 0;
  int tight = 0;
  for (int i = 0; i < 400; ++i) {
    policy::Policy policy = clinic();
    const Plan plan = random_relational(random, false);
    const Pair pair = neighbours(random, Neighbours::kAddRemove);
    const Database& database = pair.one;
    const auto checked = Checker::check(plan, policy, "");
    if (!checked) continue;
    for (const char* table : {"visits", "patients", "labs"}) {
      policy.tables[table].rows_per_unit = largest_unit(table, policy, database);
    }
    const auto facts = [&](const std::string& table, const std::vector<std::string>& columns) {
      return Result<std::int64_t>(equal_rows(columns, database.at(table)));
    };
    const auto rows = joined_rows(checked->plan(), policy, facts);
    ASSERT_TRUE(rows);
    if (!rows->most) continue;
    ++multiplied;
    std::map<std::string, std::int64_t> counts;
    const Relations relations(policy, database, RelationFault::kNone);
    for (const OwnedRow& row : owned_rows(*checked, checked->plan().source, relations)) {
      const std::int64_t caused = ++counts[row.unit];
      ASSERT_LE(caused, *rows->most) << canonical(plan);
      tight += caused == *rows->most ? 1 : 0;
    }
  }
  EXPECT_GT(multiplied, 100);
  EXPECT_GT(tight, 5);
}

}  // namespace
}  // namespace discreet::plan::joined_rows_test
