// SPDX-License-Identifier: Apache-2.0
// Expressions over one row: what stands in WHERE, GROUP BY and inside aggregates.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/shape.h"
#include "sql/literal.h"
#include "sql/scope.h"

namespace discreet::sql {

/// What stands for a part of an expression: keys and aggregates of a grouped subquery.
class Replacements {
 public:
  virtual ~Replacements() = default;
  /// Nothing: it is bound as usual.
  virtual Result<std::optional<Typed>> replace(const Node& node) const = 0;
};

class Rows {
 public:
  explicit Rows(const Scope& scope, const Replacements* replacements = nullptr)
      : scope_(scope), text_(scope.text()), replacements_(replacements) {}

  /// Fails with: kInvalidInput, kNotFound, kRefused, kUnsupported; it says where.
  Result<Typed> bind(const Node& node) const;
  /// The same, and it must be true or false.
  Result<Typed> condition(const Node& node) const;

  /// What the plan layer knows of a bound expression; its refusals, with their place.
  Result<plan::Shape> shape(const Typed& value, plan::Use use) const;

 private:
  Result<Typed> bind_plain(const Node& node) const;
  Result<Typed> column(const Node& node) const;
  Result<Typed> operation(const Node& node) const;  // A_Expr
  Result<Typed> plain_operator(const Node& node) const;
  Result<Typed> signed_value(const Node& node, const std::string& sign) const;
  Result<Typed> compare(plan::Op op, Typed a, Typed b, Place place) const;
  Result<Typed> arithmetic(plan::Op op, Typed a, Typed b, Place place) const;
  Result<Typed> in_list(const Node& node) const;
  Result<Typed> between(const Node& node) const;
  Result<Typed> like(const Node& node, bool any_case) const;
  Result<Typed> logic(const Node& node) const;       // BoolExpr
  Result<Typed> truth_test(const Node& node) const;  // BooleanTest
  Result<Typed> choice(const Node& node) const;      // CaseExpr
  Result<Typed> coalesce(const Node& node) const;
  Result<Typed> extreme(const Node& node) const;                    // GREATEST, LEAST
  Result<std::optional<Typed>> moved_date(const Node& node) const;  // a date and an INTERVAL
  Result<Typed> cast(const Node& node) const;
  Result<Typed> call(const Node& node) const;  // FuncCall; functions.cc
  Result<Typed> named_call(const std::string& name, std::vector<Typed> args, Place place) const;
  Result<Typed> substring(std::vector<Typed> args, Place place) const;
  Result<Typed> date_function(plan::Op op, std::vector<Typed> args, Place place) const;

  Result<std::vector<Typed>> all(const std::vector<Node>& nodes) const;
  /// Gives all values one type.
  Result<policy::Type> unify_all(std::vector<Typed>& values) const;
  Error error(Code code, Place place, const std::string& message) const {
    return text_.error(code, place, message);
  }

  const Scope& scope_;
  const Text& text_;
  const Replacements* replacements_;
};

/// Whether the name is that of an aggregate; in lower case.
bool is_aggregate(const std::string& name);
/// The name of a FuncCall without pg_catalog; "" when it is qualified otherwise.
std::string function_name(const Node& call);
/// Whether there is an aggregate inside.
bool has_aggregate(const Node& node);
/// Why a construct that no part of SQL here accepts is refused, and what to write.
std::string refusal(const Node& node);

}  // namespace discreet::sql
