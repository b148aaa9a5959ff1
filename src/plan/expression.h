// SPDX-License-Identifier: Apache-2.0
// Expressions over one row. Every operation is total: no value of any row can make one fail,
// overflow or raise; what has no answer is NULL. So whether a question succeeds does not depend on
// data, and every engine gives the same bits (plan/expression.md says what each operation means;
// the reference interpreter in the tests and each engine's lowering follow it).
//
// A number is an integer multiple of its shape's step. Ranges are followed through the arithmetic,
// and a question whose numbers could leave 62 bits is refused before it runs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace discreet::plan {

using policy::Grid;
using policy::Type;
using policy::Value;

enum class Op {
  kColumn,   ///< `table`, `name`: quantised, clamped, NULL rule applied
  kLiteral,  ///< `value`
  kEqual,    ///< two arguments of one type; NULL if one is NULL
  kLess,     ///< numbers, dates, timestamps; text by bytes
  kLessEqual,
  kAnd,  ///< any number of booleans, three-valued
  kOr,
  kNot,
  kIsNull,
  kIn,    ///< first argument among the others, which are literals
  kLike,  ///< text, literal pattern with % and _; `name` "i": ASCII letters of any case
  kCase,  ///< condition, result, condition, result, ..., else
  kCoalesce,
  kAdd,       ///< numbers; also a date and an integer, in days
  kSubtract,  ///< numbers; also a date minus an integer, and two dates: an integer, in days
  kMultiply,
  kDivide,  ///< by 0: NULL. Integers: towards zero. Else rounded to 10^-6, halves away from 0
  kModulo,  ///< integers; by 0: NULL; the sign of the dividend
  kNegate,
  kAbsolute,
  kFloor,
  kCeiling,
  kRound,      ///< to `name` decimals ("" is 0), halves away from 0
  kDatePart,   ///< `name`: year quarter month day dow isodow doy hour minute
  kDateTrunc,  ///< `name`: year quarter month week day hour; a date stays a date
  kLower,      ///< ASCII letters only, so that every engine agrees
  kUpper,
  kTrim,       ///< blanks at both ends
  kLength,     ///< characters
  kSubstring,  ///< text, first (from 1), count: literals
  kConcat,     ///< NULL if one is NULL
  kToNumber,   ///< text that is a plain decimal number, on `grid`; else NULL. `name` "integer": one
  kToInteger,  ///< a number, halves away from 0
  kBucket,     ///< a number's bin 0 .. n-1 on `grid` (low, high, width); for histograms
};

struct Expr {
  Op op = Op::kLiteral;
  std::vector<Expr> args;
  std::size_t table = 0;  ///< kColumn: index into Source::tables
  std::string name;
  Value value;
  std::optional<Grid> grid;

  static Expr literal(Value value);
  static Expr column(std::size_t table, std::string name);
  static Expr of(Op op, std::vector<Expr> args, std::string name = {});
  friend bool operator==(const Expr&, const Expr&) = default;
};

/// No expression may be deeper, or have more parts.
inline constexpr std::size_t kDepthMax = 200;
inline constexpr std::size_t kPartsMax = 20'000;

/// Fails with: kInvalidInput. Everything below walks expressions that passed this.
Result<void> check_size(const Expr& expr);

/// What is known of an expression before any row is seen.
struct Shape {
  Type type = Type::kBoolean;
  std::optional<Grid> grid;  ///< for numbers, dates, timestamps: always there
  bool nullable = true;
  /// All outcomes but NULL, where they are few and known: listed columns, booleans, date parts,
  /// buckets, a CASE over constants. Such a key is listed. Empty: it is always NULL.
  std::optional<std::vector<Value>> outcomes;
  /// Whether `grid` follows from what the policy or the question declares. If not it is what the
  /// type can hold, which is too wide to sum or to rank.
  bool declared = true;

  bool always_null() const { return outcomes.has_value() && outcomes->empty(); }
};

/// As text that people read and that parses back in PostgreSQL's grammar.
std::string to_string(const Expr& expr, const std::vector<std::string>& table_names);

}  // namespace discreet::plan
