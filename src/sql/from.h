// SPDX-License-Identifier: Apache-2.0
// Reads a FROM and the part of WHERE that joins; Scope::bind uses it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/rows.h"
#include "sql/scope.h"

namespace discreet::sql {

class FromReader {
 public:
  /// `outer`: the SELECT is a condition in its WHERE.
  explicit FromReader(const Context& context, const Scope* outer = nullptr)
      : scope_(context), outer_(outer) {}

  Result<Scope> run(const Node& select) &&;

 private:
  struct Equality {
    Found left;
    Found right;
  };

  const Text& text() const { return scope_.text(); }
  std::vector<std::string> declared() const;
  std::vector<std::string> views() const;
  Result<void> read_item(const Node& item);
  Result<void> read_join(const Node& join);
  Result<void> read_left(const Node& join, const Node& left, const Node& right);
  Result<void> read_subquery(const Node& item);
  Result<void> read_table(const Node& item);
  Result<void> read_using(const std::string& name, std::size_t right, Place place);
  Result<void> check_new(const std::string& called, const std::string& what, Place place) const;
  Result<void> add_relation(Relation relation, const std::string& alias, Place place);
  void wrap(std::size_t index);

  /// The conditions by which table `index` is joined: over the tables so far.
  Result<void> join_by(std::size_t index, const std::vector<Node>& conditions);
  Result<void> join_on(std::size_t index, const Equality& equality, Place place);
  void add_condition(std::size_t index, plan::Expr condition);

  Result<void> sort_conditions();
  bool joins(const Found& a, const Found& b) const;
  bool keeps_owner(const Found& a, const Found& b) const;
  bool is_private(std::size_t table) const;
  Result<void> make_pair();
  Result<void> put_in_order();
  bool is_joined(std::size_t table, const std::vector<std::size_t>& earlier) const;
  Error not_joined(const std::vector<std::size_t>& order) const;
  std::string advise(std::size_t i) const;
  void apply(const std::vector<std::size_t>& order);
  Result<void> link_values();

  // exists.cc: [NOT] EXISTS (...), x IN (SELECT ...)
  static bool is_subquery_condition(const Node& condition);
  Result<void> read_exists(const Node& condition);
  Result<void> read_link(const Node& link, bool positive);
  Result<void> check_simple(const Node& select, Place place) const;

  /// Whether a name is the outer tables' alone.
  bool is_outer(const Node& column_ref) const;

  Scope scope_;
  const Scope* outer_;
  std::vector<Node> pending_;
  std::vector<Node> subqueries_;
  std::vector<Equality> equalities_;
  std::vector<Equality> links_;     ///< equalities of values, which filter too
  std::vector<std::size_t> place_;  ///< where a table came to stand
  bool is_all_inner_ = true;
};

}  // namespace discreet::sql
