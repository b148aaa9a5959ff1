// SPDX-License-Identifier: Apache-2.0
// Constants, and expressions with their type, as far as SQL's own rules need it: a text constant
// beside a date is a date. What an expression may do is the plan layer's to decide (plan/shape.h).
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "plan/expression.h"
#include "sql/parse.h"
#include "sql/text.h"

namespace discreet::sql {

struct Typed {
  plan::Expr expr;
  policy::Type type = policy::Type::kText;
  Place place;

  bool is_literal() const { return expr.op == plan::Op::kLiteral; }
  bool is_null() const { return is_literal() && expr.value.is_null(); }
  bool is_number() const { return policy::is_number(type); }
  bool is_text_literal() const { return is_literal() && !is_null() && type == policy::Type::kText; }
};

Typed literal(policy::Value value, Place place);
Typed null_literal(Place place);

/// An A_Const. Fails with: kInvalidInput, kUnsupported (bit strings).
Result<Typed> constant(const Node& node, const Text& text);

/// A type as SQL names it.
struct NamedType {
  policy::Type type = policy::Type::kText;
  std::optional<plan::Grid> grid;  ///< integer types, numeric(p, s): what fits
  std::optional<int> scale = {};   ///< numeric(p, s): s
};
/// Fails with: kUnsupported, naming those that there are.
Result<NamedType> named_type(const Node& type_name, const Text& text);

/// Turns a constant into one of `type`, if it can be read as one; a NULL always can.
/// Fails with: kInvalidInput; also if `value` is no constant and has another type.
Result<void> convert(Typed& value, policy::Type type, const Text& text);

/// Gives both one type, as a comparison needs: converts the constant among them.
/// Fails with: kInvalidInput.
Result<void> unify(Typed& a, Typed& b, const Text& text);

}  // namespace discreet::sql
