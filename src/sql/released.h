// SPDX-License-Identifier: Apache-2.0
// Expressions over an answer's groups: what stands in SELECT, HAVING and ORDER BY. They reach the
// keys of the groups and aggregates, never rows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "sql/aggregates.h"
#include "sql/rows.h"

namespace discreet::sql {

class ReleasedBinder {
 public:
  ReleasedBinder(const Rows& rows, const Scope& scope, const std::vector<plan::Key>& keys,
                 Aggregates& aggregates)
      : rows_(rows), text_(scope.text()), keys_(keys), aggregates_(aggregates) {}

  /// `weight`: see Aggregates::bind.
  Result<TypedPost> bind(const Node& node, const std::optional<Rational>& weight) const;
  Result<TypedPost> condition(const Node& node) const;

  /// Names of outputs, which HAVING and ORDER BY may use.
  void name(const std::string& name, const TypedPost& post) { names_.emplace(name, post); }
  const TypedPost* named(const Node& node) const;

 private:
  std::optional<Result<TypedPost>> without_aggregate(const Node& node) const;
  Result<TypedPost> operation(const Node& node, const std::optional<Rational>& weight) const;
  Result<TypedPost> compare(const std::string& name, TypedPost a, TypedPost b, Place place) const;
  Result<TypedPost> choice(const Node& node, const std::optional<Rational>& weight) const;
  Result<TypedPost> call(const Node& node, const std::optional<Rational>& weight) const;
  Result<std::vector<TypedPost>> all(const std::vector<Node>& nodes,
                                     const std::optional<Rational>& weight) const;
  Result<void> unify(TypedPost& a, TypedPost& b, Place place) const;
  Result<void> need_number(const TypedPost& post, Place place) const;
  Error error(Code code, Place place, const std::string& message) const {
    return text_.error(code, place, message);
  }

  const Rows& rows_;
  const Text& text_;
  const std::vector<plan::Key>& keys_;
  Aggregates& aggregates_;
  std::map<std::string, TypedPost> names_;
};

}  // namespace discreet::sql
