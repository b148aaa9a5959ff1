// SPDX-License-Identifier: Apache-2.0
// Expressions of a checked plan as SQL. The plan's rules (plan/expression.md) decide what each
// means; here is how DuckDB is made to do just that.
//
//   numbers, dates, timestamps   BIGINT, whole steps of the expression's shape
//   text                         VARCHAR
//   booleans                     BOOLEAN
//
// Shapes promise that nothing leaves 62 bits; what lies between goes through HUGEINT. So no
// arithmetic raises, on any row.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/duckdb/sources.h"
#include "engine/duckdb/sql.h"
#include "plan/checker.h"

namespace discreet::engine::duckdb {

class ExpressionLowering {
 public:
  /// All must outlive this.
  ExpressionLowering(const plan::Source& source, const policy::Policy& policy,
                     const Schemas& schemas)
      : source_(source), policy_(policy), schemas_(schemas) {}

  /// Requires: an expression of a Checked, which outlives this.
  Sql lower(const plan::Expr& expr) const;
  const plan::Shape& shape(const plan::Expr& expr) const;

  /// A number in steps of `step`, of which its own step is a multiple.
  Sql in_steps(const plan::Expr& expr, const Rational& step) const;

  /// A constant in steps of a shape.
  static Sql constant(const policy::Value& value, const plan::Shape& shape);

  /// A column as it is in the file. `table` is a table of the policy, called `alias` in FROM.
  const SourceColumn& raw_column(const std::string& table, const std::string& name) const;
  static std::string alias(std::size_t table) { return "t" + std::to_string(table); }

 private:
  Sql column(const plan::Expr& expr) const;
  Sql comparison(const plan::Expr& expr) const;
  Sql membership(const plan::Expr& expr) const;
  Sql like(const plan::Expr& expr) const;
  Sql choice(const plan::Expr& expr) const;
  Sql arithmetic(const plan::Expr& expr) const;
  Sql sum(const plan::Expr& expr) const;
  Sql rounding(const plan::Expr& expr) const;
  Sql calendar(const plan::Expr& expr) const;
  Sql text(const plan::Expr& expr) const;
  std::vector<Sql> all(const std::vector<plan::Expr>& args) const;
  /// In the form of `to`: its steps, if it has any.
  Sql as(const plan::Expr& expr, const plan::Shape& to) const;

  const plan::Source& source_;
  const policy::Policy& policy_;
  const Schemas& schemas_;
  // Each part's shape is asked for several times, and takes as long as the part is large.
  mutable std::unordered_map<const plan::Expr*, plan::Shape> shapes_;
};

}  // namespace discreet::engine::duckdb
