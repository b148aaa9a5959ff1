// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "plan/policy_for_tests.h"
#include "plan/random_for_tests.h"

namespace discreet::plan::canonical_test {
namespace {

using E = Expr;

std::string filtered(const Expr& filter) {
  Plan plan = count_plan();
  plan.filter = filter;
  return canonical(plan);
}

TEST(Canonical, EqualQuestionsCoincide) {
  const E a = E::of(Op::kLess, {col("age"), num(5)});
  const E b = E::of(Op::kEqual, {col("clinic"), txt("north")});
  const E c = col("urgent");
  const std::vector<std::pair<Expr, Expr>> same = {
      {E::of(Op::kAnd, {a, b}), E::of(Op::kAnd, {b, a})},
      {E::of(Op::kAnd, {a, E::of(Op::kAnd, {b, c})}), E::of(Op::kAnd, {c, b, a, a})},
      {E::of(Op::kAnd, {a, a}), a},
      {E::of(Op::kOr, {a, E::of(Op::kOr, {c, b})}), E::of(Op::kOr, {b, c, a})},
      {b, E::of(Op::kEqual, {txt("north"), col("clinic")})},
      {E::of(Op::kNot, {E::of(Op::kNot, {c})}), c},
      {E::of(Op::kNot, {a}), E::of(Op::kLessEqual, {num(5), col("age")})},
      {E::of(Op::kIn, {col("age"), num(2), num(1), num(2)}),
       E::of(Op::kIn, {col("age"), num(1), num(2)})},
      {E::of(Op::kIn, {col("age"), num(2)}), E::of(Op::kEqual, {col("age"), num(2)})},
  };
  for (const auto& [x, y] : same) {
    EXPECT_EQ(filtered(x), filtered(y)) << to_string(x, {}) << " | " << to_string(y, {});
  }
}

TEST(Canonical, AliasesAndNamesDoNotMatter) {
  Plan one = count_plan(visits_and_patients());
  one.keys = {{col("clinic"), "a"}};
  Plan other = one;
  other.source.tables[0].alias = "w";
  other.keys[0].name = "b";
  EXPECT_EQ(canonical(one), canonical(other));
}

TEST(Canonical, DifferentQuestionsDiffer) {
  const Plan plan = count_plan(visits_and_patients());
  std::vector<Plan> plans(16, plan);
  plans[1].filter = col("urgent");
  plans[2].filter = E::of(Op::kNot, {col("urgent")});
  plans[3].filter = E::of(Op::kLess, {col("age"), num(5)});
  plans[4].filter = E::of(Op::kLess, {num(5), col("age")});
  plans[5].filter = E::of(Op::kEqual, {col("city"), txt("a")});
  plans[6].filter = E::of(Op::kEqual, {col("city", 1), txt("a")});
  plans[7].keys = {{col("clinic"), "k"}};
  plans[8].measurements = {measurement(MeasureKind::kUnits)};
  plans[9].measurements[0].argument = col("age");
  plans[10].measurements[0].weight = 2;
  plans[11].epsilon = Epsilon::trusted(2);
  plans[12].delta = Delta::trusted(Rational::ratio(1, 10));
  plans[13].bounds = {2, 2, true};
  plans[14].source.tables[1].on[0].right = "other";
  plans[15].measurements[0].clamp = Grid{0, 1, 1};
  std::set<std::string> texts;
  for (const Plan& each : plans) texts.insert(canonical(each));
  EXPECT_EQ(texts.size(), plans.size());
}

// Text cannot imitate structure: lengths stand before what varies.
TEST(Canonical, ConstantsCannotImitateStructure) {
  EXPECT_NE(filtered(E::of(Op::kIn, {col("city"), txt("a"), txt("b")})),
            filtered(E::of(Op::kIn, {col("city"), txt("a b")})));
  EXPECT_NE(filtered(E::of(Op::kEqual, {col("city"), txt("1:a)")})),
            filtered(E::of(Op::kEqual, {col("city"), txt("1:a")})));
}

// The normal form has the same value, NULLs included, on every row: so equal texts ask the same.
TEST(Canonical, TheNormalFormMeansTheSame) {
  Random random(11);
  const policy::Policy policy = clinic();
  const Source source = from("visits");
  const Interpreter interpreter(source, policy);
  int compared = 0;
  for (int i = 0; i < 8'000; ++i) {
    const Expr expr = random_expression(random, 4);
    if (!shape_of(expr, source, policy, Use::kChecked)) continue;
    const Expr other = normal(expr);
    EXPECT_EQ(normal(other), other) << to_string(expr, {});
    for (int j = 0; j < 3; ++j) {
      const JoinedRow row = {random_visit(random)};
      EXPECT_EQ(interpreter.evaluate(expr, row).data, interpreter.evaluate(other, row).data)
          << to_string(expr, {}) << " | " << to_string(other, {});
      ++compared;
    }
  }
  EXPECT_GT(compared, 3'000);
}

TEST(Canonical, TellsSubqueriesAndJoinsApart) {
  const auto plan = [](const std::function<void(TableUse&)>& change) {
    TableUse use;
    use.on = {{0, "id", "patient_id"}};
    use.join = JoinKind::kLeft;
    use.parts = {{from("visits"),
                  {},
                  {{"patient_id", Fold::kIdentifier, col("patient_id"), {}},
                   {"n", Fold::kRows, {}, Grid{0, 3, 1}}},
                  true}};
    change(use);
    Plan out = count_plan(from("patients"));
    out.source.tables.push_back(use);
    return canonical(out);
  };
  const std::vector<std::string> texts = {
      plan([](TableUse&) {}),
      plan([](TableUse& use) { use.join = JoinKind::kSemi; }),
      plan([](TableUse& use) { use.join = JoinKind::kAnti; }),
      plan([](TableUse& use) { use.condition = Expr::of(Op::kLess, {num(1), col("n", 1)}); }),
      plan([](TableUse& use) { use.limits = PairLimits{1, 2}; }),
      plan([](TableUse& use) { use.limits = PairLimits{2, 1}; }),
      plan([](TableUse& use) { use.parts.push_back(use.parts[0]); }),
      plan([](TableUse& use) { use.parts[0].grouped = false; }),
      plan([](TableUse& use) { use.parts[0].filter = col("urgent"); }),
      plan([](TableUse& use) { use.parts[0].fields[1].grid = Grid{0, 4, 1}; }),
      plan([](TableUse& use) { use.parts[0].fields[1].fold = Fold::kDistinct; }),
      plan([](TableUse& use) { use.parts[0].fields[1].name = "m"; }),
      plan([](TableUse& use) { use.parts[0].source = from("labs"); }),
  };
  const std::set<std::string> different(texts.begin(), texts.end());
  EXPECT_EQ(different.size(), texts.size());
  EXPECT_EQ(plan([](TableUse& use) { use.alias = "x"; }), texts[0]);
}

}  // namespace
}  // namespace discreet::plan::canonical_test
