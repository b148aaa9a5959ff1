// SPDX-License-Identifier: Apache-2.0
#include "plan/expression.h"

#include <gtest/gtest.h>

#include <random>

#include "plan/policy_for_tests.h"
#include "plan/random_for_tests.h"

namespace discreet::plan::expression_test {
namespace {

using E = Expr;

const policy::Policy& policy_() {
  static const policy::Policy policy = clinic();
  return policy;
}

Result<Shape> shape(const Expr& expr, Use use = Use::kAggregate) {
  static const Source source = from("visits");
  return shape_of(expr, source, policy_(), use);
}

std::string grid_text(const Shape& shape) {
  return shape.grid->low.to_string() + " " + shape.grid->high.to_string() + " " +
         shape.grid->step.to_string();
}

TEST(Expression, TextParsesBackInPostgresGrammar) {
  const std::vector<std::string> names = {"v", "Patients"};
  const auto text = [&](const Expr& expr) { return to_string(expr, names); };
  EXPECT_EQ(text(E::of(Op::kLess, {col("age"), num(-3)})), "(v.age < (-3))");
  EXPECT_EQ(text(col("select", 1)), "\"Patients\".\"select\"");
  EXPECT_EQ(text(col("where")), "v.\"where\"");
  EXPECT_EQ(text(col("a\"b")), "v.\"a\"\"b\"");
  EXPECT_EQ(text(txt("it's")), "'it''s'");
  EXPECT_EQ(text(E::literal(date_value(18262))), "DATE '2020-01-01'");
  EXPECT_EQ(text(E::of(Op::kCase, {col("urgent"), num(1), num(0)})),
            "CASE WHEN v.urgent THEN 1 ELSE 0 END");
  EXPECT_EQ(text(E::of(Op::kDatePart, {col("day")}, "month")), "EXTRACT(month FROM v.day)");
  EXPECT_EQ(text(E::of(Op::kIn, {col("age"), num(1), num(2)})), "(v.age IN (1, 2))");
  EXPECT_EQ(text(E::of(Op::kAnd, {col("urgent"), E::of(Op::kNot, {col("urgent")})})),
            "(v.urgent AND (NOT v.urgent))");
  EXPECT_EQ(text(dec("0.25")), "0.25");
  Expr bucket = E::of(Op::kBucket, {col("age")});
  bucket.grid = Grid{0, 120, 40};
  EXPECT_EQ(text(bucket), "(width_bucket(v.age, 0, 120, 3) - 1)");
}

TEST(Expression, TooDeepOrTooLongIsRefused) {
  Expr deep = num(1);
  for (int i = 0; i < 300; ++i) deep = E::of(Op::kNegate, {std::move(deep)});
  EXPECT_EQ(shape(deep).error().code, Code::kInvalidInput);
  Expr wide = E::of(Op::kIn, {col("age")});
  for (int i = 0; i < 20'000; ++i) wide.args.push_back(num(i));
  EXPECT_FALSE(check_size(wide));
}

struct GridCase {
  Expr expr;
  std::string grid;
  bool nullable;
};

TEST(Shape, FollowsRangesThroughArithmetic) {
  const std::vector<GridCase> cases = {
      {col("age"), "0 120 1", true},
      {col("filled"), "0 10 1", false},
      {E::of(Op::kAdd, {col("cost"), col("age")}), "0 5120 0.01", true},
      {E::of(Op::kSubtract, {col("filled"), num(5)}), "-5 5 1", false},
      {E::of(Op::kMultiply, {col("change"), col("change")}), "-40 64 1", true},
      {E::of(Op::kMultiply, {col("cost"), dec("0.1")}), "0 500 0.001", true},
      {E::of(Op::kDivide, {col("change"), num(2)}), "-2 4 1", true},
      {E::of(Op::kDivide, {col("filled"), col("filled")}), "0 10 1", true},
      {E::of(Op::kDivide, {num(7), col("change")}), "-7 7 1", true},
      {E::of(Op::kDivide, {col("cost"), num(3)}), "0 1666.666667 0.000001", true},
      {E::of(Op::kModulo, {col("change"), num(3)}), "-3 3 1", true},
      {E::of(Op::kNegate, {col("change")}), "-8 5 1", true},
      {E::of(Op::kAbsolute, {col("change")}), "0 8 1", true},
      {E::of(Op::kFloor, {col("cost")}), "0 5000 1", true},
      {E::of(Op::kRound, {col("cost")}, "1"), "0 5000 0.1", true},
      {E::of(Op::kRound, {col("cost")}, "-2"), "0 5000 100", true},
      {E::of(Op::kToInteger, {col("cost")}), "0 5000 1", true},
      {E::of(Op::kCoalesce, {col("change"), num(0)}), "-5 8 1", false},
      {E::of(Op::kCase, {col("urgent"), col("age"), dec("0.5")}), "0 120 0.5", true},
      {E::of(Op::kSubtract, {col("day"), col("day")}), "-2191 2191 1", true},
      {E::of(Op::kDatePart, {col("day")}, "year"), "2020 2025 1", true},
      {E::of(Op::kDatePart, {col("at")}, "hour"), "0 23 1", true},
      {E::of(Op::kDateTrunc, {col("day")}, "month"), "18262 20423 1", true},
  };
  for (const GridCase& one : cases) {
    const auto found = shape(one.expr);
    const std::string text = to_string(one.expr, {""});
    ASSERT_TRUE(found) << text << ": " << found.error().message;
    EXPECT_EQ(grid_text(*found), one.grid) << text;
    EXPECT_EQ(found->nullable, one.nullable) << text;
  }
}

std::string outcomes(const Expr& expr) {
  const auto found = shape(expr, Use::kGroup);
  if (!found) return found.error().message;
  if (!found->outcomes) return "unlisted";
  std::string text;
  for (const Value& value : *found->outcomes) text += to_string(value) + " ";
  return text;
}

TEST(Shape, OutcomesAreKnownWhereTheyAreFew) {
  EXPECT_EQ(outcomes(col("clinic")), "north south east ");
  EXPECT_EQ(outcomes(col("urgent")), "false true ");
  EXPECT_EQ(outcomes(col("city")), "unlisted");
  EXPECT_EQ(outcomes(col("age")), "unlisted");
  EXPECT_EQ(outcomes(E::of(Op::kDatePart, {col("day")}, "year")), "2020 2021 2022 2023 2024 2025 ");
  EXPECT_EQ(outcomes(E::of(Op::kDatePart, {col("at")}, "quarter")), "1 2 3 4 ");
  EXPECT_EQ(outcomes(E::of(Op::kDatePart, {col("at")}, "year")), "unlisted");
  EXPECT_EQ(outcomes(E::of(Op::kDateTrunc, {col("day")}, "year")),
            "2020-01-01 2021-01-01 2022-01-01 2023-01-01 2024-01-01 2025-01-01 ");
  EXPECT_EQ(outcomes(E::of(Op::kCase, {col("urgent"), txt("x"), col("clinic")})),
            "x north south east ");
  EXPECT_EQ(outcomes(E::of(Op::kLess, {col("age"), num(18)})), "false true ");
  Expr bucket = E::of(Op::kBucket, {col("age")});
  bucket.grid = Grid{0, 120, 40};
  EXPECT_EQ(outcomes(bucket), "0 1 2 ");
}

struct Refusal {
  Expr expr;
  Use use;
  Code code;
  std::string says;
};

TEST(Shape, RefusesWithAReasonAndAFix) {
  const E null = E::literal(null_value());
  const std::vector<Refusal> cases = {
      {col("agee"), Use::kAggregate, Code::kRefused, "did you mean age?"},
      {col("wholly_unknown"), Use::kAggregate, Code::kRefused, "it declares age, change"},
      {col("secret"), Use::kAggregate, Code::kRefused, "aggregated"},
      {col("secret"), Use::kGroup, Code::kRefused, "grouped by"},
      {E::of(Op::kLike, {col("note"), txt("%x%")}), Use::kFilter, Code::kRefused, "conditions"},
      // What is only compared is a filter, also inside an aggregate.
      {E::of(Op::kCase, {E::of(Op::kEqual, {col("note"), txt("x")}), num(1), num(0)}),
       Use::kAggregate, Code::kRefused, "conditions"},
      {E::of(Op::kAdd, {col("age"), txt("x")}), Use::kAggregate, Code::kInvalidInput, "numbers"},
      {E::of(Op::kEqual, {col("age"), txt("x")}), Use::kFilter, Code::kInvalidInput, "compare"},
      {E::of(Op::kEqual, {col("age"), null}), Use::kFilter, Code::kInvalidInput, "IS NULL"},
      {E::of(Op::kIn, {col("age"), col("change")}), Use::kFilter, Code::kInvalidInput, "constants"},
      {E::of(Op::kLike, {col("city"), txt("50\\")}), Use::kFilter, Code::kInvalidInput,
       "backslash"},
      {E::of(Op::kDivide, {col("age"), num(0)}), Use::kAggregate, Code::kInvalidInput,
       "divides by 0"},
      {E::of(Op::kMultiply, {col("serial"), col("age")}), Use::kAggregate, Code::kInvalidInput,
       "declare a range"},
      {E::of(Op::kAdd, {col("cost"), dec("0.0000000000000001")}), Use::kAggregate,
       Code::kInvalidInput, "62 bits"},
      {E::of(Op::kDatePart, {col("day")}, "moth"), Use::kGroup, Code::kInvalidInput, "month?"},
      {E::of(Op::kAdd, {col("day"), num(9'000'000)}), Use::kGroup, Code::kInvalidInput, "9999"},
      {E::of(Op::kAnd, {col("age")}), Use::kFilter, Code::kInvalidInput, "true or false"},
      {E::of(Op::kRound, {col("cost")}, "99"), Use::kAggregate, Code::kInvalidInput, "18"},
      {E::of(Op::kCase, {col("urgent"), num(1), txt("x")}), Use::kGroup, Code::kInvalidInput,
       "different types"},
      {E::of(Op::kCase, {col("urgent"), num(1)}), Use::kGroup, Code::kInvalidInput, "ELSE"},
      {txt(std::string("a\0b", 3)), Use::kFilter, Code::kInvalidInput, "zero byte"},
      {E::literal(decimal_value(Rational::ratio(1, 3))), Use::kFilter, Code::kInvalidInput,
       "18 digits"},
      {Expr::column(7, "age"), Use::kFilter, Code::kInvalidInput, "FROM"},
  };
  for (const Refusal& one : cases) {
    const auto found = shape(one.expr, one.use);
    const std::string text = to_string(one.expr, {""});
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, one.code) << text;
    EXPECT_NE(found.error().message.find(one.says), std::string::npos)
        << text << ": " << found.error().message;
  }
}

TEST(Shape, AFilterColumnMayBeComparedInsideAnAggregate) {
  const Expr expr =
      E::of(Op::kCase, {E::of(Op::kEqual, {col("secret"), num(3)}), col("age"), num(0)});
  EXPECT_TRUE(shape(expr, Use::kAggregate));
}

// A2: +-2^63, far beyond every range, and halves between two steps.
TEST(Columns, AreReadIntoTheirDeclaredDomain) {
  const policy::Table& visits = *policy_().find("visits");
  const auto read = [&](const char* name, Rational raw) {
    return to_string(Interpreter::read(*visits.find(name), decimal_value(std::move(raw))));
  };
  EXPECT_EQ(read("age", power_of_two(63)), "120");
  EXPECT_EQ(read("age", -power_of_two(63)), "0");
  EXPECT_EQ(read("change", Rational::ratio(-5, 2)), "-3");
  EXPECT_EQ(read("cost", Rational::ratio(1, 200)), "0.01");
  EXPECT_EQ(read("serial", power_of_two(63)), "4611686018427387903");
  EXPECT_EQ(to_string(Interpreter::read(*visits.find("filled"), null_value())), "7");
  EXPECT_TRUE(Interpreter::read(*visits.find("age"), null_value()).is_null());
}

TEST(Shape, KeysOfAPublicTableMustHaveBeenRead) {
  policy::Policy policy = clinic();
  policy.tables["visits"].columns[4].values_from = "zips.zip";  // city
  const auto refused = shape_of(col("city"), from("visits"), policy, Use::kGroup);
  EXPECT_EQ(refused.error().code, Code::kUnsupported);
  EXPECT_TRUE(shape_of(col("city"), from("visits"), policy, Use::kFilter));
}

// The theorem of shape.h on random expressions and rows. 20,000 expressions; deterministic.
TEST(Shape, HoldsForEveryRow) {
  std::mt19937 random(7);
  const Source source = from("visits");
  const Interpreter interpreter(source, policy_());
  int shaped = 0;
  int listed = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Expr expr = random_expression(random, 4);
    const auto found = shape(expr, Use::kChecked);
    if (!found) continue;
    ++shaped;
    for (int j = 0; j < 4; ++j) {
      const JoinedRow row = {random_visit(random)};
      const Value value = interpreter.evaluate(expr, row);
      const std::string text = to_string(expr, {""});
      if (value.is_null()) {
        EXPECT_TRUE(found->nullable) << text;
        continue;
      }
      EXPECT_EQ(value.type, found->type) << text;
      if (found->grid) {
        const Rational& number = value.number();
        EXPECT_TRUE(number >= found->grid->low && number <= found->grid->high)
            << text << " = " << to_string(value) << " outside " << grid_text(*found);
        EXPECT_EQ((number / found->grid->step).denominator(), 1) << text;
      }
      if (found->outcomes) {
        ++listed;
        EXPECT_NE(std::find(found->outcomes->begin(), found->outcomes->end(), value),
                  found->outcomes->end())
            << text << " = " << to_string(value);
      }
    }
  }
  EXPECT_GT(shaped, 4'000);
  EXPECT_GT(listed, 2'000);
}

}  // namespace
}  // namespace discreet::plan::expression_test
