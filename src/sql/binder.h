// SPDX-License-Identifier: Apache-2.0
// Binds one SELECT clause by clause, in the order FROM, WHERE, GROUP BY, SELECT, HAVING, ORDER BY,
// LIMIT.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "sql/aggregates.h"
#include "sql/dialect.h"
#include "sql/query.h"
#include "sql/released.h"
#include "sql/rows.h"
#include "sql/scope.h"

namespace discreet::sql {

class Binder {
 public:
  Binder(const Node& select, const Scope& scope, const Dialect& dialect, const Options& options);

  Result<Query> run() &&;

 private:
  Result<void> bind_filter();
  Result<void> bind_keys();
  Result<void> add_key(const Node& node);
  Result<void> bind_outputs();
  Result<void> bind_output(const Node& target);
  Result<void> bind_having();
  Result<void> bind_order();
  Result<void> bind_limit();
  Result<std::int64_t> row_number(const Node& node) const;
  Result<void> check_weights() const;

  // drawings.cc: aggregates that return rows. Empty when there is none.
  Result<Node> find_drawing() const;
  Result<void> bind_drawing(const Node& call);
  Result<void> bind_histogram(const Call& call);
  Result<void> bind_boxplot(const Call& call);
  Result<void> bind_top_k(const Call& call);

  const Node& target(std::size_t ordinal) const { return targets_[ordinal - 1]; }
  void add_output(std::string name, TypedPost post, bool is_key);
  std::optional<Rational> weight_of(const std::string& name) const;
  Error error(Code code, Place place, const std::string& message) const {
    return scope_.text().error(code, place, message);
  }

  const Node& select_;
  const Scope& scope_;
  const Options& options_;
  const Dialect& dialect_;
  Rows rows_;
  Query query_;
  Aggregates aggregates_;
  ReleasedBinder released_;
  std::vector<Node> targets_;  ///< ResTarget
  std::set<std::string> asked_names_;
};

}  // namespace discreet::sql
