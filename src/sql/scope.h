// SPDX-License-Identifier: Apache-2.0
// FROM: the tables of a question, how they are joined, and what a name in it means. Only names that
// the policy declares exist here, and only they are ever suggested.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "sql/parse.h"
#include "sql/text.h"

namespace discreet::sql {

/// What a column's name means.
struct Found {
  std::size_t table = 0;
  std::string name;  ///< as the policy spells it
  /// Its declaration. None for a column that only tells whose row it is: it may be joined on, and
  /// units may be counted by it, but nothing else can reach it.
  const policy::Column* column = nullptr;
  bool is_unit = false;  ///< it holds the unit itself
};

class Scope {
 public:
  /// Binds FROM. Conditions of joins that are no equality of columns, and all of WHERE but the
  /// equalities that join tables, are left in conditions().
  static Result<Scope> bind(const Node& select, const Text& text, const policy::Policy& policy);

  const plan::Source& source() const { return source_; }
  const policy::Table& table(std::size_t index) const { return *tables_[index]; }
  const std::vector<Node>& conditions() const { return conditions_; }
  const Text& text() const { return *text_; }
  const policy::Policy& policy() const { return *policy_; }
  /// As they are called in the question.
  std::vector<std::string> table_names() const;

  /// Fails with: kNotFound, kInvalidInput (two tables have it).
  Result<Found> find(const Node& column_ref) const;
  /// The same for a name that is not in the text; "a.b" names a column of a table.
  Result<Found> find(const std::vector<std::string>& names, Place place) const;

  /// Whether the name can only mean the unit that these tables protect, reached by a path.
  bool is_unit_beyond(const std::vector<std::string>& names) const;

 private:
  friend class FromReader;
  Scope(const Text& text, const policy::Policy& policy) : text_(&text), policy_(&policy) {}
  std::vector<Found> candidates(const std::vector<std::string>& names) const;
  std::optional<Found> look(std::size_t table, const std::string& name) const;

  const Text* text_;
  const policy::Policy* policy_;
  plan::Source source_;
  std::vector<const policy::Table*> tables_;
  std::vector<std::string> merged_;  ///< columns of USING: the first table's stands for all
  std::vector<Node> conditions_;
};

/// The one among `names` that a name in SQL means: the same text or, for a name in lower case, as
/// PostgreSQL folds those without quotes, the only one that differs in letter case alone; else "".
std::string matching(const std::string& name, const std::vector<std::string>& names);

}  // namespace discreet::sql
