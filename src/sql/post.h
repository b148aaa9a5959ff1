// SPDX-License-Identifier: Apache-2.0
// What is computed from released numbers: averages, variances, arithmetic, comparisons. It sees
// nothing but released values and public keys, so it costs nothing (post-processing) and may use
// floating point.
//
//   AVG(age)   average(measurement 0, measurement 1)   centre 60, range [0, 120]
//
// Every number carries an interval. Law: if each measurement's true value lies in the interval that
// was read for it, the expression's true value (of the bounded, clamped question) lies in the
// result's interval. With k measurements an interval at confidence 1 - beta asks for each of them
// at 1 - beta/k (union bound); `Readings` is told k.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "numeric/rational.h"
#include "policy/policy.h"

namespace discreet::sql {

enum class PostKind {
  kMeasurement,  ///< `index`, `number`
  kKey,          ///< `index`
  kLiteral,      ///< `literal`
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  ///< by 0: NULL; by an interval that contains 0: an unbounded interval
  kNegate,
  kAbsolute,
  kRound,  ///< to `index` decimals
  kFloor,
  kCeiling,
  kSquareRoot,  ///< of what is below 0: 0
  kCoalesce,
  kNullIf,
  kCase,   ///< condition, result, ..., else; the interval is the chosen result's
  kEqual,  ///< comparisons look at values, not at intervals
  kLess,
  kLessEqual,
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kAverage,   ///< sum about `centre`, rows: clamped into [low, high]
  kVariance,  ///< sum and squares about `centre`, rows; `sample`: divides by rows - 1
  kQuantile,  ///< one; its interval where that was bought, else, or where none is, [low, high]
  kRace,      ///< of sums that are cut at ever lower bounds, the first at one that cuts nothing
};

struct Post {
  PostKind kind = PostKind::kLiteral;
  std::vector<Post> args;
  std::size_t index = 0;
  std::size_t number = 0;  ///< kMeasurement: which of its numbers (of several quantiles)
  policy::Value literal;
  Rational centre = 0;
  Rational low = 0;  ///< kAverage, kVariance, kQuantile: what the arguments are clamped to
  Rational high = 0;
  bool sample = false;
  bool low_end = false;   ///< kQuantile: the lower end was bought, `low` is not it
  bool high_end = false;  ///< likewise

  static Post measurement(std::size_t index, std::size_t number = 0);
  static Post key(std::size_t index);
  static Post constant(policy::Value value);
  static Post of(PostKind kind, std::vector<Post> args);
  friend bool operator==(const Post&, const Post&) = default;
};

/// A released number, or one computed from such. low <= value <= high; ends may be infinite.
struct Number {
  double value = 0;
  double low = 0;
  double high = 0;
  friend bool operator==(const Number&, const Number&) = default;
};

/// monostate: NULL.
using Cell = std::variant<std::monostate, bool, Number, std::string>;

/// The value of a kMeasurement in real units (a sum or squares about their centre; a date in days,
/// a timestamp in microseconds) and its interval at confidence 1 - beta/`shares`.
using Readings = std::function<Number(const Post& measurement, std::size_t shares)>;

/// How many numbers the interval rests on, without repetition: the k of the union bound.
std::size_t numbers_used(const Post& post);

/// Total: what has no answer is NULL. Arguments of a wrong type are NULL too.
Cell evaluate(const Post& post, const std::vector<policy::Value>& keys, const Readings& readings);

/// As people read it: "#0 / #1", "average(#0, #1; centre 60 in [0, 120])".
std::string to_string(const Post& post);

}  // namespace discreet::sql
