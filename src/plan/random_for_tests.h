// SPDX-License-Identifier: Apache-2.0
// Random rows of the test clinic and random expressions over a visit, some of them nonsense.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "plan/policy_for_tests.h"

namespace discreet::plan {

using Random = std::mt19937;

inline int up_to(Random& random, int most) {
  return std::uniform_int_distribution<int>(0, most)(random);
}

template <class T>
T one_of_these(Random& random, const std::vector<T>& all) {
  return all[static_cast<std::size_t>(up_to(random, static_cast<int>(all.size()) - 1))];
}

/// Values within their ranges, far outside them, between the steps, and NULL.
inline RawRow random_visit(Random& random) {
  const auto maybe = [&](Value value) { return up_to(random, 7) == 0 ? null_value() : value; };
  RawRow row;
  row["age"] = maybe(integer_value(up_to(random, 140) - 10));
  row["change"] = maybe(integer_value(up_to(random, 20) - 10));
  row["cost"] = maybe(decimal_value(Rational::ratio(up_to(random, 6'000'000) - 100'000, 1'000)));
  row["clinic"] = maybe(text_value(one_of_these<std::string>(random, {"north", "south", "east"})));
  row["city"] = maybe(text_value(one_of_these<std::string>(
      random, {"Bern", " Rome ", "", "12.5", "-7", "M\xC3\xBCnchen", "1e3", "x1"})));
  row["day"] = maybe(date_value(18'000 + up_to(random, 3'000)));
  row["at"] = maybe({Rational(std::int64_t{1'600'000'000'000'000} +
                              std::int64_t{1'000'003} * up_to(random, 1'000'000'000)),
                     Type::kTimestamp});
  row["urgent"] = maybe(truth_value(up_to(random, 1) == 1));
  row["serial"] = maybe(integer_value(up_to(random, 1'000)));
  row["filled"] = maybe(integer_value(up_to(random, 12)));
  return row;
}

Expr random_expression(Random& random, int depth);

inline Expr random_leaf(Random& random) {
  switch (up_to(random, 9)) {
    case 0:
      return num(up_to(random, 20) - 10);
    case 1:
      return dec(one_of_these<std::string>(random, {"0.5", "-1.25", "0", "100", "0.001"}));
    case 2:
      return txt(one_of_these<std::string>(random, {"north", "Bern", "%e%", "", "_1"}));
    case 3:
      return Expr::literal(date_value(18'262 + up_to(random, 2'000)));
    case 4:
      return up_to(random, 3) == 0 ? Expr::literal(null_value())
                                   : Expr::literal(truth_value(up_to(random, 1) == 1));
    default:
      return col(one_of_these<std::string>(
          random, {"age", "change", "cost", "clinic", "city", "day", "at", "urgent", "filled"}));
  }
}

inline Expr random_expression(Random& random, int depth) {
  if (depth == 0 || up_to(random, 4) == 0) return random_leaf(random);
  const auto sub = [&] { return random_expression(random, depth - 1); };
  const auto op = static_cast<Op>(2 + up_to(random, static_cast<int>(Op::kBucket) - 2));
  switch (op) {
    case Op::kNot:
    case Op::kIsNull:
    case Op::kNegate:
    case Op::kAbsolute:
    case Op::kFloor:
    case Op::kCeiling:
    case Op::kLower:
    case Op::kUpper:
    case Op::kTrim:
    case Op::kLength:
    case Op::kToInteger:
      return Expr::of(op, {sub()});
    case Op::kIn: {
      Expr leaf = random_leaf(random);
      while (leaf.op != Op::kLiteral) leaf = random_leaf(random);
      return Expr::of(op, {sub(), leaf});
    }
    case Op::kCase:
      return Expr::of(op, {sub(), sub(), sub()});
    case Op::kRound:
      return Expr::of(op, {sub()}, one_of_these<std::string>(random, {"", "1", "-1", "3"}));
    case Op::kDatePart:
      return Expr::of(op, {sub()}, one_of_these(random, date_parts()));
    case Op::kDateTrunc:
      return Expr::of(op, {sub()}, one_of_these(random, date_truncations()));
    case Op::kSubstring:
      return Expr::of(op, {sub(), num(up_to(random, 4) - 1), num(up_to(random, 3))});
    case Op::kToNumber: {
      Expr expr = Expr::of(op, {sub()});
      expr.grid = Grid{-10, 100, Rational::ratio(1, 4)};
      return expr;
    }
    case Op::kBucket: {
      Expr expr = Expr::of(op, {sub()});
      expr.grid = Grid{-1, 9, Rational::ratio(5, 2)};
      return expr;
    }
    default:
      return Expr::of(op, {sub(), sub()});
  }
}

}  // namespace discreet::plan
