// SPDX-License-Identifier: Apache-2.0
// Questions of tables that name their unit through another: where nothing is cut the database adds
// up, where something is the bounding does, and both give the reference's bits. For every engine
// that counts.
#pragma once

#include <gtest/gtest.h>

#include "engine/questions_for_tests.h"

namespace discreet::engine {

/// A clinic in which every lab has a visit and every visit a patient.
inline Database whole_clinic(Random& random, int size) {
  Database database = random_clinic(random, size);
  const int patients = static_cast<int>(database["patients"].size());
  for (RawRow& row : database["visits"])
    row["patient_id"] = integer_value(up_to(random, patients - 1));
  for (RawRow& row : database["labs"]) row["visit_id"] = integer_value(up_to(random, size - 1));
  return database;
}

inline Plan random_labs(Random& random) {
  for (;;) {
    Plan plan = random_plan(random);
    if (plan.source.tables.size() != 1 || plan.source.tables[0].table != "labs") continue;
    if (up_to(random, 1) == 0) plan.bounds = {2, 60, true};
    if (up_to(random, 1) == 0) {
      plan.filter = Expr::of(up_to(random, 1) == 0 ? Op::kLess : Op::kLessEqual,
                             {col("value"), num(up_to(random, 250) - 100)});
    }
    return plan;
  }
}

/// `open` makes an engine's Opened of a database: lower(), and run(checked, lowered), which gives
/// nothing when a statement fails.
template <class Open>
void expect_census_as_in_the_reference(Open open) {
  Random random(48);
  int added_up = 0;
  int bounded = 0;
  for (const bool whole : {true, false}) {
    const Database database = whole ? whole_clinic(random, 60) : random_clinic(random, 60);
    auto opened = open(database);
    for (int i = 0; i < 40; ++i) {
      auto checked = Checker::check(random_labs(random), opened->policy(), "q");
      if (!checked) continue;
      LoweredPlan lowered = opened->lower(*checked);
      ASSERT_TRUE(lowered.census.has_value()) << lowered.print();
      const auto wanted = expected(*checked, lowered, database);
      const auto answer = opened->run(*checked, lowered);
      ASSERT_TRUE(answer.has_value());
      ASSERT_EQ(*answer, wanted) << lowered.print();
      // Which of the two ways it was: the other one's statement is spoilt.
      LoweredPlan spoilt = lowered;
      spoilt.bounded->rows.where.push_back(lowering::Sql::name({"nothing"}));
      if (const auto again = opened->run(*checked, spoilt)) {
        EXPECT_EQ(*again, wanted);
        ++added_up;
      } else {
        // Where rows are counted first, nothing is added up in vain.
        auto& census = *lowered.census;
        if (census.rows) census.sums.groups.where.push_back(lowering::Sql::name({"nothing"}));
        const auto other = opened->run(*checked, lowered);
        ASSERT_TRUE(other.has_value());
        EXPECT_EQ(*other, wanted);
        ++bounded;
      }
    }
  }
  EXPECT_GT(added_up, 8);
  EXPECT_GT(bounded, 8);
}

}  // namespace discreet::engine
