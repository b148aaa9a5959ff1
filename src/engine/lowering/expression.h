// SPDX-License-Identifier: Apache-2.0
// Expressions of a checked plan as SQL. The plan's rules (plan/expression.md) decide what each
// means; here is how a database is made to do just that, in the words of its dialect.
//
//   numbers, dates, timestamps   SqlType::kSteps, whole steps of the expression's shape
//   text                         SqlType::kText
//   booleans                     SqlType::kTruth
//
// Shapes promise that nothing leaves 62 bits; what lies between goes through SqlType::kWide. So no
// arithmetic raises, on any row.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/lowering/dialect.h"
#include "engine/lowering/sql.h"
#include "plan/checker.h"

namespace discreet::engine::lowering {

/// Whether nothing but 0 lies on it.
bool is_nought(const plan::Grid& grid);

/// Requires: a whole number below 2^126.
Int128 whole_of(const Rational& value);

/// What a column of a table in FROM is called in SQL. The fields of a subquery have names of ours:
/// those that an analyst gives may be equal but for their case, or in their first 63 bytes, and a
/// database would then read one where the checked plan means the other (S23).
std::string sql_name(const plan::TableUse& use, const std::string& column);

/// What is read of the tables, apart from what is computed of it: names for readings.
class Readings {
 public:
  static constexpr const char* kTable = "r";
  /// The name of a reading in kTable. `null`: NULL of its type.
  Sql name(const Sql& value, Sql null);
  bool empty() const { return values_.empty(); }
  /// The same rows with nothing but the readings, each computed once. PostgreSQL takes other
  /// subqueries apart again, or reads them with one worker alone; not a UNION ALL, though one of
  /// its sides is empty.
  Sql table(Select rows) const;

 private:
  std::vector<Sql> values_;
  std::vector<Sql> nulls_;
  std::unordered_map<std::string, std::size_t> places_;  // of values, by their text
};

class ExpressionLowering {
 public:
  /// All must outlive this. `readings`: where columns are named instead of being read.
  ExpressionLowering(const Dialect& dialect, const plan::Source& source,
                     const policy::Policy& policy, const Schemas& schemas,
                     Readings* readings = nullptr)
      : dialect_(dialect),
        source_(source),
        policy_(policy),
        schemas_(schemas),
        readings_(readings) {}

  const Dialect& dialect() const { return dialect_; }

  /// Requires: an expression of a Checked, which outlives this.
  Sql lower(const plan::Expr& expr) const;
  const plan::Shape& shape(const plan::Expr& expr) const;
  /// count(DISTINCT) of it, which no rows make slow (Dialect::named).
  Sql count_distinct(const plan::Expr& expr) const;

  /// A number in steps of `step`, of which its own step is a multiple.
  Sql in_steps(const plan::Expr& expr, const Rational& step) const;

  /// In the form of `to`: its steps, if it has any.
  Sql as(const plan::Expr& expr, const plan::Shape& to) const;
  Sql null_of(const plan::Shape& shape) const;

  /// Lowered, and where it is a mere column of numbers or dates, which one.
  RowField field(std::string name, const plan::Expr& expr) const;

  /// A constant in steps of a shape.
  Sql constant(const policy::Value& value, const plan::Shape& shape) const;

  /// A table of the policy in FROM.
  Sql table(const std::string& name) const { return Sql::name(schemas_.at(name).name); }
  /// A column as it is stored. `table` is a table of the policy.
  const StoredColumn& stored(const std::string& table, const std::string& name) const;
  static std::string alias(std::size_t table) { return "t" + std::to_string(table); }

 private:
  Sql column(const plan::Expr& expr) const;
  Sql read_column(const plan::Expr& expr) const;
  /// What NULL in a column counts as, on its grid.
  static std::optional<policy::Value> fallback(const policy::Column& declared,
                                               const plan::Shape& shape);
  Sql comparison(const plan::Expr& expr) const;
  /// A column with a constant, where the database may compare what is stored (Dialect::compared).
  std::optional<Sql> stored_comparison(const plan::Expr& expr) const;
  /// AND and OR; equalities of one thing with constants become one list.
  Sql connective(const plan::Expr& expr) const;
  Sql membership(const plan::Expr& expr) const;
  Sql membership(const plan::Expr& of, const std::vector<const policy::Value*>& values) const;
  Sql like(const plan::Expr& expr) const;
  Sql choice(const plan::Expr& expr) const;
  Sql arithmetic(const plan::Expr& expr) const;
  Sql sum(const plan::Expr& expr) const;
  Sql rounding(const plan::Expr& expr) const;
  Sql calendar(const plan::Expr& expr) const;
  Sql text(const plan::Expr& expr) const;
  std::vector<Sql> all(const std::vector<plan::Expr>& args) const;
  /// As much of it as a function of text sees.
  Sql seen(const plan::Expr& arg, std::int64_t count) const;
  Sql substring(const plan::Expr& expr) const;

  const Dialect& dialect_;
  const plan::Source& source_;
  const policy::Policy& policy_;
  const Schemas& schemas_;
  Readings* readings_;
  // Each part's shape is asked for several times, and takes as long as the part is large.
  mutable std::unordered_map<const plan::Expr*, plan::Shape> shapes_;
};

}  // namespace discreet::engine::lowering
