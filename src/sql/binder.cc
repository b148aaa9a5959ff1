// SPDX-License-Identifier: Apache-2.0
#include "sql/binder.h"

#include <algorithm>
#include <utility>

#include "base/suggest.h"
#include "sql/grouped.h"
#include "sql/settings.h"
#include "sql/totals.h"

namespace discreet::sql {
namespace {

using plan::Expr;
using plan::Op;

constexpr std::size_t kOutputsMax = 100;
constexpr std::size_t kKeysMax = 16;

bool from_keys_alone(const Post& post) {
  if (post.kind == PostKind::kMeasurement) return false;
  return std::ranges::all_of(post.args, from_keys_alone);
}

}  // namespace

Binder::Binder(const Node& select, const Scope& scope, const Dialect& dialect,
               const Options& options)
    : select_(select),
      scope_(scope),
      options_(options),
      dialect_(dialect),
      rows_(scope),
      aggregates_(rows_, scope, dialect, options),
      released_(rows_, scope, query_.plan.keys, aggregates_),
      targets_(select.list("targetList")) {}

Result<Query> Binder::run() && {
  query_.plan.source = scope_.source();
  DISCREET_TRY(bind_filter());
  DISCREET_TRY(bind_keys());
  DISCREET_TRY(bind_outputs());
  DISCREET_TRY(bind_having());
  DISCREET_TRY(bind_order());
  DISCREET_TRY(bind_limit());
  DISCREET_TRY(check_weights());
  query_.plan.measurements = aggregates_.measurements();
  DISCREET_TRY(apply_settings(options_, dialect_, scope_, aggregates_, query_.plan));
  DISCREET_TRY(total_by_unit(query_.plan, aggregates_.per_unit(), scope_.policy()));
  query_.notes = aggregates_.notes();
  return std::move(query_);
}

Result<void> Binder::bind_filter() {
  std::vector<Expr> all;
  for (const Node& condition : scope_.conditions()) {
    DISCREET_ASSIGN(Typed value, rows_.condition(condition));
    DISCREET_ASSIGN(const plan::Shape shape, rows_.shape(value, plan::Use::kFilter));
    all.push_back(std::move(value.expr));
  }
  if (all.empty()) return {};
  query_.plan.filter =
      all.size() == 1 ? std::move(all.front()) : Expr::of(Op::kAnd, std::move(all));
  return {};
}

Result<void> Binder::bind_keys() {
  for (const Node& node : select_.list("groupClause")) {
    if (node.is("GroupingSet")) {
      return error(Code::kUnsupported, node.place(),
                   "GROUPING SETS, ROLLUP and CUBE are not supported; ask one question for each");
    }
    if (node.is("A_Const") && node.has("ival")) {
      const std::int64_t ordinal = node.part("ival").number("ival");
      if (ordinal < 1 || ordinal > static_cast<std::int64_t>(targets_.size())) {
        return error(Code::kInvalidInput, node.place(),
                     "there is no column " + std::to_string(ordinal) + " in SELECT");
      }
      DISCREET_TRY(add_key(target(static_cast<std::size_t>(ordinal)).child("val")));
      continue;
    }
    // As in PostgreSQL a column of a table comes before an output's name.
    Node meant = node;
    const std::vector<std::string> names = node.names("fields");
    if (node.is("ColumnRef") && names.size() == 1 && !scope_.find(node).has_value()) {
      for (const Node& one : targets_) {
        if (one.text("name") == names.front()) meant = one.child("val");
      }
    }
    DISCREET_TRY(add_key(meant));
  }
  return {};
}

Result<void> Binder::add_key(const Node& node) {
  if (has_aggregate(node)) {
    return error(Code::kInvalidInput, node.place(), "an aggregate cannot be grouped by");
  }
  DISCREET_ASSIGN(Typed value, rows_.bind(node));
  if (value.is_literal()) {
    return error(Code::kInvalidInput, node.place(),
                 "a constant cannot be grouped by; leave GROUP BY out for one group");
  }
  DISCREET_ASSIGN(const plan::Shape shape, rows_.shape(value, plan::Use::kGroup));
  for (const plan::Key& key : query_.plan.keys) {
    if (key.expr == value.expr) return {};
  }
  if (query_.plan.keys.size() == kKeysMax) {
    return error(Code::kInvalidInput, node.place(), "at most 16 expressions can be grouped by");
  }
  query_.plan.keys.push_back({std::move(value.expr), output_name(node)});
  return {};
}

std::optional<Rational> Binder::weight_of(const std::string& name) const {
  const auto found = options_.weights.find(name);
  return found == options_.weights.end() ? Rational(1) : found->second;
}

void Binder::add_output(std::string name, TypedPost post, bool is_key) {
  std::string unique = name;
  const auto taken = [&](const std::string& text) {
    return std::ranges::any_of(query_.outputs, [&](const Output& o) { return o.name == text; });
  };
  for (int i = 2; taken(unique); ++i) unique = name + "_" + std::to_string(i);
  asked_names_.insert(name);
  released_.name(unique, post);
  if (post.post.kind == PostKind::kKey && post.post.index < query_.plan.keys.size()) {
    query_.plan.keys[post.post.index].name = unique;
  }
  query_.outputs.push_back({std::move(unique), std::move(post.post), post.type, is_key});
}

Result<void> Binder::bind_outputs() {
  if (targets_.empty()) return invalid_input("SELECT is empty; ask for an aggregate");
  if (targets_.size() > kOutputsMax) {
    return error(Code::kInvalidInput, target(kOutputsMax + 1).place(),
                 "an answer has at most 100 columns; ask several questions");
  }
  DISCREET_ASSIGN(const Node drawing, find_drawing());
  if (drawing) return bind_drawing(drawing);
  for (const Node& one : targets_) aggregates_.foresee(one);
  aggregates_.foresee(select_.child("havingClause"));
  for (const Node& sort : select_.list("sortClause")) aggregates_.foresee(sort);
  for (const Node& one : targets_) DISCREET_TRY(bind_output(one));
  if (aggregates_.measurements().empty()) {
    return error(Code::kUnsupported, target(1).place(),
                 "there is no aggregate; rows cannot be shown, so ask for COUNT, SUM, AVG, MEDIAN, "
                 "HISTOGRAM, ...");
  }
  return {};
}

Result<void> Binder::bind_output(const Node& one) {
  const Node value = one.child("val");
  const std::string alias = one.text("name");
  const std::string name = alias.empty() ? output_name(value) : alias;
  DISCREET_ASSIGN(TypedPost post, released_.bind(value, weight_of(name)));
  const bool is_key = from_keys_alone(post.post);
  add_output(name, std::move(post), is_key);
  return {};
}

Result<void> Binder::bind_having() {
  const Node having = select_.child("havingClause");
  if (!having) return {};
  if (query_.drawing == Drawing::kHistogram || query_.drawing == Drawing::kTopK) {
    return error(Code::kUnsupported, having.place(),
                 "HAVING cannot be combined with HISTOGRAM, TOP_K or MODE");
  }
  DISCREET_ASSIGN(TypedPost post, released_.condition(having));
  query_.having = std::move(post.post);
  return {};
}

Result<void> Binder::bind_order() {
  for (const Node& sort : select_.list("sortClause")) {
    const Node node = sort.child("node");
    const std::string direction = sort.text("sortby_dir");
    if (direction == "SORTBY_USING") {
      return error(Code::kUnsupported, node.place(), "write ORDER BY x ASC or DESC");
    }
    OrderBy order;
    order.descending = direction == "SORTBY_DESC";
    const std::string nulls = sort.text("sortby_nulls");
    order.nulls_first =
        nulls == "SORTBY_NULLS_FIRST" || (nulls != "SORTBY_NULLS_LAST" && order.descending);
    if (node.is("A_Const") && node.has("ival")) {
      const std::int64_t ordinal = node.part("ival").number("ival");
      if (ordinal < 1 || ordinal > static_cast<std::int64_t>(query_.outputs.size())) {
        return error(Code::kInvalidInput, node.place(),
                     "there is no column " + std::to_string(ordinal) + " in the answer");
      }
      order.post = query_.outputs[static_cast<std::size_t>(ordinal - 1)].post;
    } else if (const TypedPost* known = released_.named(node)) {
      order.post = known->post;
    } else {
      DISCREET_ASSIGN(TypedPost post, released_.bind(node, std::nullopt));
      order.post = std::move(post.post);
    }
    query_.order.push_back(std::move(order));
  }
  return {};
}

Result<std::int64_t> Binder::row_number(const Node& node) const {
  const std::int64_t number = node.part("ival").number("ival");
  if (!node.is("A_Const") || !node.has("ival") || number < 0) {
    return error(Code::kUnsupported, node.place(),
                 "LIMIT and OFFSET take a constant whole number, at most 2147483647");
  }
  return number;
}

Result<void> Binder::bind_limit() {
  const Node limit = select_.child("limitCount");
  if (limit && !limit.flag("isnull")) {
    DISCREET_ASSIGN(query_.limit, row_number(limit));
  }
  const Node offset = select_.child("limitOffset");
  if (offset && !offset.flag("isnull")) {
    DISCREET_ASSIGN(query_.offset, row_number(offset));
  }
  return {};
}

Result<void> Binder::check_weights() const {
  const std::vector<std::string> names(asked_names_.begin(), asked_names_.end());
  for (const auto& [name, weight] : options_.weights) {
    if (!asked_names_.contains(name)) {
      return invalid_input("there is no column " + in_quotes(name) + " to give a weight to" +
                           did_you_mean(name, names) + "; there are " + one_of(names));
    }
    if (weight <= Rational(0) || weight > Rational(1'000'000)) {
      return invalid_input("the weight of " + in_quotes(name) +
                           " must be above 0 and at most 1,000,000");
    }
  }
  return {};
}

}  // namespace discreet::sql
