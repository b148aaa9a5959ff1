// SPDX-License-Identifier: Apache-2.0
// FROM: the tables of a question or subquery, how they are joined, and what a name in it means.
// Only names that the policy or WITH declares exist here, and only they are ever suggested.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "sql/parse.h"
#include "sql/text.h"

namespace discreet::sql {

/// A name of WITH, and those before it, which its query sees.
struct With {
  std::string name;
  Node query;  ///< a SelectStmt
  std::vector<std::string> columns;
  std::shared_ptr<const With> before;
};

/// What surrounds a SELECT.
struct Context {
  const Text* text = nullptr;
  const policy::Policy* policy = nullptr;
  const struct Dialect* dialect = nullptr;
  std::shared_ptr<const With> with;
  std::optional<std::int64_t> rows_per_unit;      ///< limits of a join of two people's rows,
  std::optional<std::int64_t> rows_per_join_key;  ///< if the question says them
  std::shared_ptr<int> subqueries;                ///< how many were bound so far
  std::vector<std::string> views;                 ///< those that this SELECT stands in
  std::shared_ptr<std::vector<std::string>> notes;
};

/// What a column's name means.
struct Found {
  std::size_t table = 0;
  std::string name;        ///< as the policy or the subquery spells it
  std::string value;       ///< what expressions read; empty: nothing can
  std::string identifier;  ///< what tells whose row it is, for joins; empty: it does not
  policy::Type type = policy::Type::kText;
  bool is_unit = false;  ///< it holds the unit itself
};

/// A column of a subquery as its surroundings see it.
struct Visible {
  std::string qualifier;
  std::string name;
  std::string value;  ///< fields of its parts, as in Found
  std::string identifier;
  policy::Type type = policy::Type::kText;
};

/// A subquery, bound.
struct Relation {
  std::vector<plan::Part> parts;
  std::vector<Visible> columns;
};

class Scope {
 public:
  /// Binds FROM and the subqueries of WHERE. Conditions of joins that are no equality of columns,
  /// and all of WHERE but what joins tables, are left in conditions().
  static Result<Scope> bind(const Node& select, const Context& context);

  /// The same for a SELECT inside the WHERE of `outer`: conditions that name columns of both are
  /// left in conditions() too.
  static Result<Scope> bind_inner(const Node& select, const Context& context, const Scope& outer);

  const plan::Source& source() const { return source_; }
  /// nullptr for a subquery.
  const policy::Table* table(std::size_t index) const { return tables_[index].table; }
  const std::vector<Visible>& columns(std::size_t index) const { return tables_[index].columns; }
  const std::vector<Node>& conditions() const { return conditions_; }
  const Text& text() const { return *context_.text; }
  const policy::Policy& policy() const { return *context_.policy; }
  const Context& context() const { return context_; }
  /// As they are called in the question.
  std::vector<std::string> table_names() const;

  /// Fails with: kNotFound, kInvalidInput (two tables have it).
  Result<Found> find(const Node& column_ref) const;
  /// The same for a name that is not in the text; "a.b" names a column of a table.
  Result<Found> find(const std::vector<std::string>& names, Place place) const;
  /// All columns of its tables, or of one, for SELECT *.
  std::vector<Found> all(const std::string& qualifier) const;
  /// Whether the name is known here.
  bool knows(const std::vector<std::string>& names) const { return !candidates(names).empty(); }

  /// Whether the name can only mean the unit that these tables protect, reached by a path.
  bool is_unit_beyond(const std::vector<std::string>& names) const;

  /// A scope of one subquery.
  static Scope of(Relation relation, const std::string& alias, const Context& context);
  /// This scope and a subquery, whose names come first (EXISTS).
  Scope with(Relation relation) const;

 private:
  friend class FromReader;
  struct Entry {
    const policy::Table* table = nullptr;
    std::vector<Visible> columns;
  };
  explicit Scope(Context context) : context_(std::move(context)) {}
  void add(plan::TableUse use, Entry entry) {
    source_.tables.push_back(std::move(use));
    tables_.push_back(std::move(entry));
  }
  std::vector<Found> candidates(const std::vector<std::string>& names) const;
  std::vector<Found> look(std::size_t table, const std::string& qualifier,
                          const std::string& name) const;

  Context context_;
  plan::Source source_;
  std::vector<Entry> tables_;
  std::vector<std::string> merged_;   ///< columns of USING: the first table's stands for all
  std::optional<std::size_t> first_;  ///< the table whose names come before all others'
  std::vector<Node> conditions_;
};

/// The one among `names` that a name in SQL means: the same text or, for a name in lower case, as
/// PostgreSQL folds those without quotes, the only one that differs in letter case alone; else "".
std::string matching(const std::string& name, const std::vector<std::string>& names);

/// A SELECT of rows: subqueries in FROM, WITH, views. `columns`: other names for its columns.
/// Fails with: kUnsupported, kRefused, kInvalidInput, kNotFound.
Result<Relation> bind_subquery(const Node& select, const std::string& alias,
                               const std::vector<std::string>& columns, const Context& context);

/// A view of the policy: its text is bound where it is used.
/// Fails with: kInvalidInput for one that refers to itself, and as bind_subquery, naming the view.
Result<Relation> bind_view(const std::string& view, const std::string& alias,
                           const std::vector<std::string>& columns, const Context& context);

/// A table of the policy as a subquery with all of its columns, for joins that take one.
Relation relation_of(const policy::Table& table, const std::string& alias,
                     const policy::Policy& policy);

/// The names that a WITH adds. Fails with: kUnsupported (RECURSIVE), kInvalidInput.
Result<std::shared_ptr<const With>> read_with(const Node& select, const Context& context);

/// The conditions of which this is the AND.
void split(const Node& condition, std::vector<Node>& out);

}  // namespace discreet::sql
