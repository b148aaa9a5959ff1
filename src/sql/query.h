// SPDX-License-Identifier: Apache-2.0
// A question in SQL, bound to a policy: the plan that it proposes, and what is to be done with the
// released numbers. Untrusted: the checker recomputes what the plan may reach and what it costs.
//
//   DISCREET_ASSIGN(sql::Query query, sql::bind("SELECT AVG(age) FROM visits", options, policy));
//   DISCREET_ASSIGN(plan::Checked checked, plan::Checker::check(query.plan, policy, id));
//   ... charge, run, release ...
//   for (const sql::Line& line : sql::arrange(query, groups)) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "privacy/quantity.h"
#include "sql/post.h"

namespace discreet::sql {

/// What may be said outside of the text (`--epsilon`). BigQuery's OPTIONS say the same inside; to
/// say both differently is an error.
struct Options {
  std::optional<Epsilon> epsilon;
  std::optional<Delta> delta;
  std::optional<std::int64_t> groups_per_unit;
  std::optional<std::int64_t> rows_per_unit_and_group;
  /// Where rows of two people are joined: of one side, with the same values of the joined columns.
  std::optional<std::int64_t> rows_per_join_key = {};
  /// Shares of epsilon by name of an output column; 1 where none is given.
  std::map<std::string, Rational> weights;
  /// Whether quantiles' intervals are bought. If not, a quantile's interval is the declared range.
  bool quantile_intervals = true;
};

/// A column of the answer.
struct Output {
  std::string name;
  Post post;
  policy::Type type = policy::Type::kDecimal;  ///< how to show it
  bool is_key = false;                         ///< computed from keys alone: has no interval
};

struct OrderBy {
  Post post;
  bool descending = false;
  bool nulls_first = false;
};

/// What the answer is for, where SQL has no word for it.
enum class Drawing {
  kTable,
  kHistogram,  ///< outputs: keys, bin_from, bin_to, rows
  kBoxplot,    ///< outputs: keys, min, q1, median, q3, max
  kTopK,       ///< outputs: keys, the value, rows; the best `best` values in each group
};

struct Query {
  plan::Plan plan;
  std::vector<Output> outputs;
  std::optional<Post> having;
  std::vector<OrderBy> order;
  std::optional<std::int64_t> limit;
  std::int64_t offset = 0;
  Drawing drawing = Drawing::kTable;
  std::int64_t best = 0;           ///< kTopK
  std::vector<std::string> notes;  ///< what the analyst should know: what a word means here
};

/// Reads and binds one question. Every error is a function of the text, the options and the policy.
/// Fails with: kInvalidInput, kNotFound (a name), kUnsupported (naming what would be accepted),
/// kRefused (not allowed by the policy).
Result<Query> bind(std::string_view sql, const Options& options, const policy::Policy& policy);

/// One group's released values.
struct Group {
  std::vector<policy::Value> keys;
  Readings readings;
};

/// One row of the answer.
struct Line {
  std::size_t group = 0;    ///< index into the groups
  std::vector<Cell> cells;  ///< one for each output
};

/// HAVING, the best k, ORDER BY (ties in the groups' own order), OFFSET, LIMIT: on released values
/// only.
std::vector<Line> arrange(const Query& query, const std::vector<Group>& groups);

}  // namespace discreet::sql
