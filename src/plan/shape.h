// SPDX-License-Identifier: Apache-2.0
// What is known of an expression before any row is seen: its type, the grid on which its numbers
// lie, whether it can be NULL, its outcomes where they are few. Whatever an expression may not do
// is refused here.
//
// Theorem (expression.md). If shape_of gives a shape, then for every row of every database the
// expression's value is NULL (only if nullable), or has the shape's type, lies on its grid, and, if
// outcomes are given and it is built from listed columns' listed values, is among them.
#pragma once

#include <vector>

#include "plan/expression.h"
#include "plan/plan.h"

namespace discreet::plan {

/// What a column is read for; the policy allows each separately. What is only compared (=, <, IN,
/// LIKE, IS NULL, a condition of CASE) is read as a filter, wherever it stands.
enum class Use {
  kAggregate,
  kGroup,
  kFilter,
  kChecked,  ///< the expression is of a Checked, where this was looked at
};

/// Fails with: kRefused (undeclared, not allowed, naming what is), kInvalidInput (types, ranges,
/// size), kUnsupported; the text depends on the expression and the policy only.
Result<Shape> shape_of(const Expr& expr, const Source& source, const policy::Policy& policy,
                       Use use);

/// The same for the condition by which table `index` is joined: it sees that table and earlier
/// ones.
Result<Shape> shape_of_join(const Expr& expr, const Source& source, std::size_t index,
                            const policy::Policy& policy, Use use = Use::kFilter);

/// The shape of a column as the policy declares it: without a range, what its type can hold.
Shape shape_of(const policy::Column& column);

/// The names by which a source's tables are called in messages.
std::vector<std::string> table_names(const Source& source);

}  // namespace discreet::plan
