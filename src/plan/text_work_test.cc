// SPDX-License-Identifier: Apache-2.0
#include "plan/text_work.h"

#include <gtest/gtest.h>

#include "plan/checker.h"
#include "plan/policy_for_tests.h"

namespace discreet::plan::text_work_test {
namespace {

// Each concatenation doubles the one inside of it: 2^13 texts of a row, were they not counted.
TEST(TextWork, OneRowsTextsDoNotFillTheMemory) {
  Plan plan = count_plan();
  plan.keys = {{col("city"), "k"}};
  plan.delta = Delta::trusted(Rational::ratio(1, 1000));
  Expr text = col("city");
  for (int level = 0; level < 6; ++level) text = Expr::of(Op::kConcat, {text, text});
  plan.measurements.push_back(measurement(MeasureKind::kDistinct, text));
  EXPECT_EQ(texts_made(plan), 63U);
  EXPECT_TRUE(Checker::check(plan, clinic(), "id"));
  plan.keys[0].expr = Expr::of(Op::kTrim, {col("city")});
  EXPECT_TRUE(Checker::check(plan, clinic(), "id"));
  plan.filter = Expr::of(Op::kEqual, {Expr::of(Op::kLower, {col("city")}), txt("a")});
  const auto refused = Checker::check(plan, clinic(), "id");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_NE(refused.error().message.find("65 texts"), std::string::npos);
  Part part;  // inside of subqueries too
  part.source = from("visits");
  part.fields = {{"t", Fold::kValue, text}};
  Plan nested = count_plan();
  nested.source.tables[0].table = "";
  nested.source.tables[0].parts = {part, part};
  EXPECT_EQ(texts_made(nested), 126U);
}

/// How much of a text the function on the left of its filter sees.
std::int64_t seen_in(const Plan& plan) { return characters_seen(plan.filter->args[0]); }

Expr upper_is(const char* text) {
  return Expr::of(Op::kEqual, {Expr::of(Op::kUpper, {col("city")}), txt(text)});
}

// 64 functions of a text of 60,000 characters made 4 MB of each row: 100 rows took 15 s.
TEST(TextWork, FunctionsShareWhatTheySeeOfARow) {
  Plan plan = count_plan();
  plan.filter = upper_is("A");
  EXPECT_EQ(seen_in(Checker::check(plan, clinic(), "id")->plan()), kCharactersSeen);
  plan.filter = Expr::of(Op::kOr, {});
  for (int i = 0; i < 60; ++i) plan.filter->args.push_back(upper_is(std::to_string(i).c_str()));
  const auto checked = Checker::check(plan, clinic(), "id");
  ASSERT_TRUE(checked);
  std::int64_t all = 0;
  for (const Expr& one : checked->plan().filter->args) all += characters_seen(one.args[0]);
  EXPECT_LE(all, kCharactersSeen);
  EXPECT_GT(all, kCharactersSeen - 60);
  plan.filter = Expr::of(Op::kEqual, {Expr::of(Op::kConcat, {}), txt("A")});
  for (int i = 0; i < 101; ++i) plan.filter->args[0].args.push_back(col("city"));
  EXPECT_EQ(seen_in(Checker::check(plan, clinic(), "id")->plan()), kCharactersSeen / 100);
}

// What was bought is found by this text, and its receipt has a hash of it.
TEST(TextWork, WhatFunctionsSeeIsNoPartOfTheQuestion) {
  Plan plan = count_plan();
  plan.filter = upper_is("A");
  const std::string before = canonical(plan);
  share_characters(plan);
  EXPECT_EQ(seen_in(plan), kCharactersSeen);
  EXPECT_EQ(canonical(plan), before);
}

TEST(TextWork, PatternsHaveALimitThatTheQuestionAloneDecides) {
  Plan plan = count_plan();
  plan.filter = Expr::of(Op::kOr, {});
  const auto add = [&](std::size_t bytes) {
    const std::string pattern(bytes, '_');
    plan.filter->args.push_back(Expr::of(Op::kLike, {col("city"), txt(pattern)}));
  };
  for (int i = 0; i < 4; ++i) add(1'000);
  for (int i = 0; i < 6; ++i) add(2);
  EXPECT_EQ(pattern_bytes(plan), kPatternBytesMax);
  EXPECT_TRUE(check_pattern_work(plan));
  add(17);
  const auto refused = check_pattern_work(plan);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_NE(refused.error().message.find("have 4113 bytes"), std::string::npos);
  EXPECT_TRUE(Checker::check(plan, clinic(), "id"));  // what was bought can be asked for
  plan.filter->args.back() = Expr::of(Op::kEqual, {Expr::of(Op::kLength, {col("city")}), num(3)});
  EXPECT_EQ(pattern_bytes(plan), kPatternBytesMax + kPatternBytesLeast);
}

}  // namespace
}  // namespace discreet::plan::text_work_test
