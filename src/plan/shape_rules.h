// SPDX-License-Identifier: Apache-2.0
// The shape of one operation from the shapes of its arguments: what shape.cc walks an expression
// with. Errors here say what is wrong; the walker puts the expression in front.
#pragma once

#include <string>
#include <vector>

#include "plan/expression.h"

namespace discreet::plan {

/// More outcomes than this are not listed one by one.
inline constexpr std::size_t kOutcomesMax = 1'000;

bool is_boolean(const Shape& shape);
bool is_number(const Shape& shape);

/// On the grid: the nearest multiple of its step, then into its range.
Rational onto(const Grid& grid, const Rational& value);

/// Every operation but columns and CASE.
Result<Shape> shape_of_operation(const Expr& expr, const std::vector<Shape>& args);
/// Parts of it, by family.
Result<Shape> shape_of_arithmetic(const Expr& expr, const std::vector<Shape>& args);
Result<Shape> shape_of_date(const Expr& expr, const Shape& arg);
Result<Shape> shape_of_text(const Expr& expr, const std::vector<Shape>& args);

/// A value that is one of several expressions'. NULL is allowed if one of them is.
Result<Shape> shape_of_either(const std::vector<Shape>& shapes);

Error undeclared_table(const std::string& name, const policy::Policy& policy);

}  // namespace discreet::plan
