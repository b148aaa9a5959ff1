// SPDX-License-Identifier: Apache-2.0
// Rows of visits and expressions over them, which every engine must evaluate as the interpreter
// does.
#pragma once

#include <string>
#include <vector>

#include "plan/random_for_tests.h"
#include "plan/shape.h"

namespace discreet::engine {

using namespace plan;

struct ExpressionCase {
  std::vector<RawRow> rows;
  std::vector<Expr> exprs;
};

inline std::vector<RawRow> random_visits(Random& random, int count) {
  std::vector<RawRow> rows;
  for (int i = 0; i < count; ++i) rows.push_back(random_visit(random));
  return rows;
}

// Expressions that the checker lets pass, of depth up to 4.
inline std::vector<Expr> random_expressions(Random& random, std::size_t count) {
  const policy::Policy policy = clinic();
  const Source source = from("visits");
  std::vector<Expr> exprs;
  while (exprs.size() < count) {
    Expr expr = random_expression(random, 1 + up_to(random, 3));
    auto shape = shape_of(expr, source, policy, Use::kAggregate);
    if (shape.has_value() && !shape->always_null()) exprs.push_back(std::move(expr));
  }
  return exprs;
}

inline RawRow visit(const std::string& column, Value value) { return {{column, std::move(value)}}; }

/// LIKE and functions of text.
inline ExpressionCase text_case() {
  std::vector<RawRow> rows;
  for (const char* city :
       {"", " ", "a%b", "a_b", "a\\b", "Aéb", "ÄÖ", "ab", "AB", "xaby", "é", "日本語", "a\nb",
        "  a  ", "\tA\t", "it's", "\"q\"", "'; DROP TABLE x; --"}) {
    rows.push_back(visit("city", text_value(city)));
  }
  rows.push_back({});
  std::vector<Expr> exprs;
  for (const char* pattern : {"%", "", "_", "__", "a%", "%b", "a_b", "a\\%b", "a\\_b", "a\\\\b",
                              "%\\%%", "A%", "_é_", "___", "%'%", "a%b%", "%a%b%"}) {
    exprs.push_back(Expr::of(Op::kLike, {col("city"), txt(pattern)}));
    exprs.push_back(Expr::of(Op::kLike, {col("city"), txt(pattern)}, "i"));
  }
  for (std::int64_t first : {-3, 0, 1, 2, 5}) {
    for (std::int64_t count : {0, 1, 2, 9}) {
      exprs.push_back(Expr::of(Op::kSubstring, {col("city"), num(first), num(count)}));
    }
  }
  for (Op op : {Op::kLower, Op::kUpper, Op::kTrim, Op::kLength}) {
    exprs.push_back(Expr::of(op, {col("city")}));
  }
  exprs.push_back(Expr::of(Op::kConcat, {col("city"), txt("'"), col("clinic")}));
  for (Expr expr :
       {Expr::of(Op::kLower, {col("city")}), Expr::of(Op::kUpper, {col("city")}),
        Expr::of(Op::kTrim, {col("city")}), Expr::of(Op::kSubstring, {col("city"), num(2), num(9)}),
        Expr::of(Op::kSubstring, {col("city"), num(5), num(1)}),
        Expr::of(Op::kConcat, {col("city"), txt("été"), col("clinic")})}) {
    for (const std::int64_t characters : {1, 3, 1'000}) {  // what a checked plan tells them
      expr.value = integer_value(characters);
      exprs.push_back(expr);
    }
  }
  for (const char* text : {"", "it's", "\"q\"", "'; DROP TABLE x; --", "a\\b"}) {
    exprs.push_back(Expr::of(Op::kEqual, {col("city"), txt(text)}));
    exprs.push_back(Expr::of(Op::kLess, {col("city"), txt(text)}));
    exprs.push_back(Expr::of(Op::kIn, {col("city"), txt(text), txt("ab")}));
  }
  return {rows, exprs};
}

/// Parts and truncations of dates.
inline ExpressionCase calendar_case() {
  std::vector<RawRow> rows;
  for (std::int64_t day :
       {18262, 18263, 18321, 18322, 18627, 18628, 19000, 20452, 20453, 1, 99999}) {
    rows.push_back(
        {{"day", date_value(day)},
         {"at", Value{Rational(day * kMicrosecondsPerDay + day * 12'345'678 % kMicrosecondsPerDay),
                      Type::kTimestamp}}});
  }
  for (std::int64_t day : {kFirstDay, kFirstDay + 1, std::int64_t{-1}, kLastDay}) {
    rows.push_back(
        {{"at", Value{Rational(day * kMicrosecondsPerDay + 86'399'999'999), Type::kTimestamp}}});
  }
  rows.push_back({});
  std::vector<Expr> exprs;
  for (const char* name : {"day", "at"}) {
    for (const std::string& part : date_parts()) {
      exprs.push_back(Expr::of(Op::kDatePart, {col(name)}, part));
    }
    for (const std::string& unit : date_truncations()) {
      exprs.push_back(Expr::of(Op::kDateTrunc, {col(name)}, unit));
    }
  }
  return {rows, exprs};
}

/// Rounding and division.
inline ExpressionCase arithmetic_case() {
  std::vector<RawRow> rows;
  for (const char* cost :
       {"0", "0.005", "-0.005", "2.5", "-2.5", "0.015", "1234.567", "5000.004", "0.014", "0.01"}) {
    for (std::int64_t change : {-5, -2, 0, 1, 3}) {
      rows.push_back({{"cost", decimal_value(Rational::parse(cost).value())},
                      {"change", integer_value(change)},
                      {"age", integer_value(change * 7 + 40)}});
    }
  }
  const Expr cost = col("cost");
  const Expr change = col("change");
  const Expr age = col("age");
  std::vector<Expr> exprs = {
      Expr::of(Op::kDivide, {cost, change}),
      Expr::of(Op::kDivide, {change, cost}),
      Expr::of(Op::kDivide, {age, change}),
      Expr::of(Op::kModulo, {age, change}),
      Expr::of(Op::kModulo, {change, num(3)}),
      Expr::of(Op::kDivide, {change, num(2)}),
      Expr::of(Op::kSubtract, {cost, dec("0.125")}),
      Expr::of(Op::kMultiply, {cost, change}),
      Expr::of(Op::kNegate, {cost}),
      Expr::of(Op::kAbsolute, {change}),
      Expr::of(Op::kFloor, {cost}),
      Expr::of(Op::kCeiling, {cost}),
      Expr::of(Op::kToInteger, {cost}),
      Expr::of(Op::kLess, {cost, dec("0.0149")}),
      Expr::of(Op::kEqual, {cost, dec("2.5")}),
      Expr::of(Op::kIn, {cost, dec("2.5"), dec("0.001"), dec("1234.57")}),
      Expr::of(Op::kIn, {cost, dec("0.001")}),
      Expr::of(Op::kFloor, {Expr::of(Op::kNegate, {cost})}),
      Expr::of(Op::kRound, {Expr::of(Op::kNegate, {cost})}, "1"),
      Expr::of(Op::kCase, {Expr::of(Op::kLess, {change, num(0)}), cost, dec("0.005")}),
      Expr::of(Op::kCoalesce, {cost, num(1)}),
  };
  for (const char* digits : {"", "1", "2", "-1", "-3"}) {
    exprs.push_back(Expr::of(Op::kRound, {cost}, digits));
    exprs.push_back(Expr::of(Op::kRound, {age}, digits));
  }
  for (const char* width : {"0.1", "1", "2.5"}) {
    Expr bucket = Expr::of(Op::kBucket, {cost});
    bucket.grid = Grid{-5, 20, Rational::parse(width).value()};
    exprs.push_back(bucket);
  }
  return {rows, exprs};
}

}  // namespace discreet::engine
