// SPDX-License-Identifier: Apache-2.0
// Expressions as PostgreSQL text. Every operand is put in parentheses where another reading would
// be possible, names are quoted where they must be, and text constants cannot end early.
#include <algorithm>
#include <string_view>

#include "plan/expression.h"

namespace discreet::plan {
namespace {

// What PostgreSQL's grammar takes for itself: as names they must be quoted.
constexpr std::string_view kReserved =
    " all analyse analyze and any array as asc asymmetric authorization between binary both case"
    " cast check coalesce collate collation column concurrently constraint create cross"
    " current_catalog current_date current_role current_schema current_time current_timestamp"
    " current_user default deferrable desc distinct do else end except exists extract false"
    " fetch for foreign freeze from full grant group having ilike in initially inner intersect"
    " interval into is isnull join lateral leading left like limit localtime localtimestamp"
    " natural not notnull null offset on only or order outer overlaps placing primary references"
    " returning right row select session_user similar some symmetric table tablesample then to"
    " trailing true union unique user using when values variadic verbose where window with"
    " ";

std::string doubled(const std::string& text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

std::string identifier(const std::string& name) {
  const bool plain = !name.empty() && (name[0] < '0' || name[0] > '9') &&
                     std::all_of(name.begin(), name.end(), [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                     });
  const bool reserved = kReserved.find(" " + name + " ") != std::string_view::npos;
  return plain && !reserved ? name : doubled(name, '"');
}

std::string literal(const Value& value) {
  if (value.is_null()) return "NULL";
  switch (value.type) {
    case Type::kText:
      return doubled(value.text(), '\'');
    case Type::kDate:
      return "DATE '" + policy::to_string(value) + "'";
    case Type::kTimestamp:
      return "TIMESTAMP '" + policy::to_string(value) + "'";
    case Type::kBoolean:
      return std::get<bool>(value.data) ? "TRUE" : "FALSE";
    case Type::kInteger:
    case Type::kDecimal:
      break;
  }
  const std::string text = value.number().to_string();
  return value.number().sign() < 0 ? "(" + text + ")" : text;
}

class Printer {
 public:
  explicit Printer(const std::vector<std::string>& names) : names_(names) {}

  std::string print(const Expr& expr) const;

 private:
  std::string list(const Expr& expr, std::size_t from, std::string_view separator) const {
    std::string text;
    for (std::size_t i = from; i < expr.args.size(); ++i) {
      if (i > from) text += separator;
      text += print(expr.args[i]);
    }
    return text;
  }
  std::string infix(const Expr& expr, std::string_view sign) const {
    return "(" + list(expr, 0, sign) + ")";
  }
  std::string call(std::string_view function, const Expr& expr,
                   const std::string& more = "") const {
    return std::string(function) + "(" + list(expr, 0, ", ") + more + ")";
  }
  std::string first(const Expr& expr) const { return expr.args.empty() ? "" : print(expr.args[0]); }
  std::string column(const Expr& expr) const;
  std::string choice(const Expr& expr) const;
  std::string bucket(const Expr& expr) const;

  const std::vector<std::string>& names_;
};

std::string Printer::column(const Expr& expr) const {
  const std::string table = expr.table < names_.size() ? names_[expr.table] : "";
  return (table.empty() ? "" : identifier(table) + ".") + identifier(expr.name);
}

std::string Printer::choice(const Expr& expr) const {
  std::string text = "CASE";
  std::size_t i = 0;
  for (; i + 1 < expr.args.size(); i += 2) {
    text += " WHEN " + print(expr.args[i]) + " THEN " + print(expr.args[i + 1]);
  }
  if (i < expr.args.size()) text += " ELSE " + print(expr.args[i]);
  return text + " END";
}

std::string Printer::bucket(const Expr& expr) const {
  const Grid grid = expr.grid.value_or(Grid{0, 1, 1});
  const Integer bins = ((grid.high - grid.low) / grid.step).floor();
  return "(" +
         call("width_bucket", expr,
              ", " + grid.low.to_string() + ", " + grid.high.to_string() + ", " + bins.get_str()) +
         " - 1)";
}

std::string Printer::print(const Expr& expr) const {
  switch (expr.op) {
      // clang-format off
    case Op::kColumn:    return column(expr);
    case Op::kLiteral:   return literal(expr.value);
    case Op::kEqual:     return infix(expr, " = ");
    case Op::kLess:      return infix(expr, " < ");
    case Op::kLessEqual: return infix(expr, " <= ");
    case Op::kAnd:       return expr.args.empty() ? "TRUE" : infix(expr, " AND ");
    case Op::kOr:        return expr.args.empty() ? "FALSE" : infix(expr, " OR ");
    case Op::kNot:       return "(NOT " + first(expr) + ")";
    case Op::kIsNull:    return "(" + first(expr) + " IS NULL)";
    case Op::kIn:        return "(" + first(expr) + " IN (" + list(expr, 1, ", ") + "))";
    case Op::kLike:      return infix(expr, expr.name == "i" ? " ILIKE " : " LIKE ");
    case Op::kCase:      return choice(expr);
    case Op::kCoalesce:  return call("COALESCE", expr);
    case Op::kAdd:       return infix(expr, " + ");
    case Op::kSubtract:  return infix(expr, " - ");
    case Op::kMultiply:  return infix(expr, " * ");
    case Op::kDivide:    return infix(expr, " / ");
    case Op::kModulo:    return infix(expr, " % ");
    case Op::kNegate:    return "(- " + first(expr) + ")";
    case Op::kAbsolute:  return call("abs", expr);
    case Op::kFloor:     return call("floor", expr);
    case Op::kCeiling:   return call("ceil", expr);
    case Op::kRound:     return call("round", expr, expr.name.empty() ? "" : ", " + expr.name);
    case Op::kDatePart:  return "EXTRACT(" + expr.name + " FROM " + first(expr) + ")";
    case Op::kDateTrunc: return "date_trunc(" + doubled(expr.name, '\'') + ", " + first(expr) + ")";
    case Op::kLower:     return call("lower", expr);
    case Op::kUpper:     return call("upper", expr);
    case Op::kTrim:      return call("btrim", expr);
    case Op::kLength:    return call("length", expr);
    case Op::kSubstring: return call("substr", expr);
    case Op::kConcat:    return infix(expr, " || ");
    case Op::kToNumber:  return "CAST(" + first(expr) + " AS " +
                                (expr.name == "integer" ? "bigint" : "numeric") + ")";
    case Op::kToInteger: return "CAST(" + first(expr) + " AS bigint)";
    case Op::kBucket:    return bucket(expr);
      // clang-format on
  }
  return "";
}

}  // namespace

std::string to_string(const Expr& expr, const std::vector<std::string>& table_names) {
  return Printer(table_names).print(expr);
}

}  // namespace discreet::plan
