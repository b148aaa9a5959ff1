// SPDX-License-Identifier: Apache-2.0
// Where all joins are inner ones tables are put in an order in which each is joined to earlier
// ones: FROM a, b, c WHERE a.x = c.x AND b.y = c.y is fine. Else they stay as they are written. Two
// tables with units that no key ties become a pair.
#include <algorithm>

#include "plan/identity.h"
#include "plan/locality.h"
#include "sql/from.h"

namespace discreet::sql {

// Two people's rows side by side (plan/pair_join.h): both sides become limited subqueries.
Result<void> FromReader::make_pair() {
  const bool two = scope_.tables_.size() == 2 && is_all_inner_ && is_private(0) && is_private(1);
  if (!two || !equalities_.empty() || links_.empty()) return {};
  const auto differs = [](const Equality& link) { return link.left.type != link.right.type; };
  if (std::ranges::any_of(links_, differs)) return {};  // compared in WHERE, but not joined on
  for (std::size_t i = 0; i < 2; ++i) {
    DISCREET_ASSIGN(const plan::Locality side,
                    plan::locality_of(scope_.source_.tables[i], scope_.policy(), 0));
    if (side.row_is_unit) return {};  // the checker says why not
    wrap(i);
    const std::int64_t rows = scope_.context_.rows_per_unit.value_or(
        side.bounds.groups_per_unit * side.bounds.rows_per_unit_and_group);
    scope_.source_.tables[i].limits =
        plan::PairLimits{rows, scope_.context_.rows_per_join_key.value_or(rows)};
  }
  for (const Equality& link : links_) {
    const Found& a = link.left.table == 0 ? link.left : link.right;
    const Found& b = link.left.table == 0 ? link.right : link.left;
    scope_.source_.tables[1].on.push_back({0, a.value, b.value});
  }
  is_all_inner_ = false;
  const plan::PairLimits& limits = *scope_.source_.tables[0].limits;
  scope_.context_.notes->push_back(
      "rows of two people meet: of each unit at most " + std::to_string(limits.rows_per_unit) +
      " rows of a side, and of these at most " + std::to_string(limits.rows_per_key) +
      " for one value of the joined columns");
  return {};
}

Result<void> FromReader::put_in_order() {
  const std::size_t count = scope_.tables_.size();
  std::vector<std::size_t> order = {0};
  while (order.size() < count && is_all_inner_) {
    std::optional<std::size_t> next;
    for (std::size_t i = 1; i < count && !next; ++i) {
      if (std::ranges::count(order, i) == 0 && is_joined(i, order)) next = i;
    }
    if (!next) return not_joined(order);
    order.push_back(*next);
  }
  for (std::size_t i = order.size(); i < count; ++i) {  // as it is written
    const plan::TableUse& use = scope_.source_.tables[i];
    if (use.on.empty() && !use.condition && !is_joined(i, order)) return not_joined(order);
    order.push_back(i);
  }
  apply(order);
  return {};
}

bool FromReader::is_joined(std::size_t table, const std::vector<std::size_t>& earlier) const {
  const auto connects = [&](const Equality& e) {
    return (e.left.table == table && std::ranges::count(earlier, e.right.table) > 0) ||
           (e.right.table == table && std::ranges::count(earlier, e.left.table) > 0);
  };
  const auto is_value_link = [&](const Equality& e) {
    return connects(e) && (!is_private(e.left.table) || !is_private(e.right.table));
  };
  return std::ranges::any_of(equalities_, connects) || std::ranges::any_of(links_, is_value_link);
}

Error FromReader::not_joined(const std::vector<std::size_t>& order) const {
  for (std::size_t i = 1; i < scope_.tables_.size(); ++i) {
    if (std::ranges::count(order, i) > 0) continue;
    const std::string advice = advise(i);
    return {Code::kUnsupported,
            scope_.source_.tables[i].alias + " is not joined to the tables before it" +
                (advice.empty() ? "; write JOIN ... ON with an equality of columns, and between "
                                  "tables with units one that keeps the same unit"
                                : "; write ON " + advice)};
  }
  return {Code::kBug, "all tables are joined"};
}

// An equality that would join table `i` to an earlier one of the same units.
std::string FromReader::advise(std::size_t i) const {
  const auto& tables = scope_.source_.tables;
  const auto& policy = scope_.policy();
  for (std::size_t j = 0; j < i; ++j) {
    for (const std::string& x : plan::identifiers_of(tables[j], policy)) {
      for (const std::string& y : plan::identifiers_of(tables[i], policy)) {
        if (!plan::shares_identity(tables[j], x, tables[i], y, policy)) continue;
        const bool step = !is_private(i) || plan::is_unit_itself(tables[i], y, policy);
        const std::string left = tables[j].alias + "." + x;
        const std::string right = tables[i].alias + "." + y;
        return step ? left + " = " + right : right + " = " + left;
      }
    }
  }
  return "";
}

void FromReader::apply(const std::vector<std::size_t>& order) {
  place_.assign(order.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
  plan::Source source;
  std::vector<Scope::Entry> tables;
  for (const std::size_t i : order) {
    source.tables.push_back(scope_.source_.tables[i]);
    tables.push_back(scope_.tables_[i]);
  }
  for (const Equality& equality : equalities_) {
    const bool forward = place_[equality.left.table] < place_[equality.right.table];
    const Found& left = forward ? equality.left : equality.right;
    const Found& right = forward ? equality.right : equality.left;
    const bool raw = keeps_owner(left, right);
    const plan::JoinOn on = {.left_table = place_[left.table],
                             .left = raw ? left.identifier : left.name,
                             .right = raw ? right.identifier : right.name};
    auto& all = source.tables[place_[right.table]].on;
    if (std::ranges::count(all, on) == 0) all.push_back(on);
  }
  scope_.source_ = std::move(source);
  scope_.tables_ = std::move(tables);
}

// A table that is joined by values alone: the equalities are its condition, beside WHERE's.
Result<void> FromReader::link_values() {
  for (const Equality& link : links_) {
    const std::size_t a = place_[link.left.table];
    const std::size_t b = place_[link.right.table];
    const std::size_t later = std::max(a, b);
    if (!scope_.source_.tables[later].on.empty() || scope_.source_.tables[later].limits) continue;
    if (scope_.source_.tables[later].join != plan::JoinKind::kInner) continue;
    add_condition(later,
                  plan::Expr::of(plan::Op::kEqual, {plan::Expr::column(a, link.left.value),
                                                    plan::Expr::column(b, link.right.value)}));
  }
  return {};
}

}  // namespace discreet::sql
