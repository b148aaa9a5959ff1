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

/// Chains of equalities with constants, nested and mixed with what is none, as AND and as OR.
inline std::vector<Expr> random_chains(Random& random, std::size_t count) {
  const policy::Policy policy = clinic();
  const Source source = from("visits");
  std::vector<Expr> exprs;
  while (exprs.size() < count) {
    const Op op = up_to(random, 1) == 0 ? Op::kOr : Op::kAnd;
    const auto wrap = [&](Expr link) {
      return op == Op::kOr ? std::move(link) : Expr::of(Op::kNot, {std::move(link)});
    };
    const Expr other = random_expression(random, 1);
    Expr chain = Expr::of(op, {});
    for (int i = 0; i < 14; ++i) {
      const int small = static_cast<int>(up_to(random, 9)) - 2;
      const std::vector<std::pair<Expr, Expr>> pairs = {
          {col("age"), num(small * 7)},
          {col("cost"), dec(small % 2 == 0 ? "2.5" : "0.001")},
          {col("cost"), num(small)},
          {col("city"), txt(small % 2 == 0 ? "Bern" : "a'b")},
          {col("clinic"), txt("north")},
          {col("day"), Expr::literal(date_value(18262 + small))},
          {Expr::of(Op::kAdd, {col("age"), num(1)}), num(small)},
          {Expr::of(Op::kLower, {col("city")}), txt("bern")},
          {other, Expr::literal(integer_value(small))},
      };
      const auto& [left, right] = pairs[up_to(random, static_cast<int>(pairs.size()) - 1)];
      switch (up_to(random, 7)) {
        case 0:
          chain.args.push_back(wrap(Expr::of(Op::kEqual, {right, left})));
          break;
        case 1:
          chain.args.push_back(wrap(Expr::of(Op::kIn, {left, right})));
          break;
        case 2:
          chain.args.push_back(Expr::of(Op::kEqual, {left, right}));  // under AND not a link
          break;
        case 3:
          chain.args.push_back(col("urgent"));
          break;
        case 4:
          chain = Expr::of(op, {std::move(chain), wrap(Expr::of(Op::kEqual, {left, right}))});
          break;
        default:
          chain.args.push_back(wrap(Expr::of(Op::kEqual, {left, right})));
      }
    }
    auto shape = shape_of(chain, source, policy, Use::kFilter);
    if (shape.has_value()) exprs.push_back(std::move(chain));
  }
  return exprs;
}

/// As many equalities as a question may have: what is left of them is one list.
inline Expr long_chain(Op op, const Expr& of, std::size_t links) {
  Expr chain = Expr::of(op, {});
  for (std::size_t i = 0; i < links; ++i) {
    Expr link = Expr::of(Op::kEqual, {of, num(static_cast<std::int64_t>(i))});
    chain.args.push_back(op == Op::kOr ? std::move(link) : Expr::of(Op::kNot, {std::move(link)}));
  }
  return chain;
}

/// What is 0 in every row, in coarser steps than what it is brought together with.
inline ExpressionCase nought_case() {
  std::vector<RawRow> rows;
  for (std::int64_t age : {0, 7, 40}) {
    rows.push_back({{"cost", decimal_value(Rational::ratio(1, 4))},
                    {"change", integer_value(age - 7)},
                    {"age", integer_value(age)}});
  }
  rows.push_back({});
  std::vector<Expr> exprs;
  const auto add = [&, policy = clinic(), source = from("visits")](Expr expr) {
    const auto shape = shape_of(expr, source, policy, Use::kAggregate);
    if (shape && !shape->always_null()) exprs.push_back(std::move(expr));
  };
  const Expr age = col("age");
  const Expr cost = col("cost");
  for (const Expr& zero :
       {Expr::of(Op::kMultiply, {age, num(0)}), Expr::of(Op::kMultiply, {cost, num(0)}),
        Expr::of(Op::kFloor, {dec("0.5")}), Expr::of(Op::kRound, {num(3)}, "-1")}) {
    for (const char* const other : {"0.3", "0.25", "7", "0", "-0.001"}) {
      for (const Op op : {Op::kEqual, Op::kLess, Op::kAdd, Op::kSubtract, Op::kCoalesce}) {
        add(Expr::of(op, {zero, dec(other)}));
        add(Expr::of(op, {dec(other), zero}));
      }
      add(Expr::of(Op::kCase, {Expr::of(Op::kLess, {age, num(10)}), zero, dec(other)}));
      add(Expr::of(Op::kIn, {zero, dec(other), dec("0.1")}));
    }
    add(Expr::of(Op::kDivide, {zero, dec("0.3")}));
    add(Expr::of(Op::kDivide, {dec("0.3"), zero}));
    add(Expr::of(Op::kModulo, {age, zero}));
    add(Expr::of(Op::kEqual, {zero, cost}));
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
