// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>

#include "sql/query.h"

namespace discreet::sql {
namespace {

// NULL before all others, then by value. Strict and weak: a cell never holds NaN.
bool less(const Cell& a, const Cell& b) {
  if (a.index() != b.index()) return a.index() < b.index();
  if (const Number* x = std::get_if<Number>(&a)) return x->value < std::get<Number>(b).value;
  if (const bool* x = std::get_if<bool>(&a)) return !*x && std::get<bool>(b);
  if (const auto* x = std::get_if<std::string>(&a)) return *x < std::get<std::string>(b);
  return false;
}

struct Candidate {
  Line line;
  std::vector<Cell> order;
};

bool comes_before(const std::vector<OrderBy>& order, const Candidate& a, const Candidate& b) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool a_null = a.order[i].index() == 0;
    const bool b_null = b.order[i].index() == 0;
    if (a_null != b_null) return a_null == order[i].nulls_first;
    if (less(a.order[i], b.order[i])) return !order[i].descending;
    if (less(b.order[i], a.order[i])) return order[i].descending;
  }
  return false;
}

// Of the groups that differ in the last key only, those with the `best` greatest last outputs,
// greatest first.
std::vector<Candidate> best_of_each(std::vector<Candidate> all, const std::vector<Group>& groups,
                                    std::size_t best) {
  std::vector<std::vector<Candidate>> parts;
  std::map<std::string, std::size_t> index;
  for (Candidate& candidate : all) {
    std::vector<policy::Value> outer = groups[candidate.line.group].keys;
    if (outer.empty() || outer.back().is_null()) continue;  // as in SQL, a NULL is no value
    outer.pop_back();
    std::string name;  // injective: each text is preceded by its length, NULL has none
    for (const policy::Value& value : outer) {
      const std::string text = policy::to_string(value);
      name += value.is_null() ? "-" : std::to_string(text.size()) + ":" + text;
    }
    const auto [at, is_new] = index.emplace(name, parts.size());
    if (is_new) parts.emplace_back();
    parts[at->second].push_back(std::move(candidate));
  }
  std::vector<Candidate> out;
  for (std::vector<Candidate>& part : parts) {
    std::ranges::stable_sort(part, [](const Candidate& a, const Candidate& b) {
      return less(b.line.cells.back(), a.line.cells.back());
    });
    part.resize(std::min(part.size(), best));
    std::ranges::move(part, std::back_inserter(out));
  }
  return out;
}

}  // namespace

std::vector<Line> arrange(const Query& query, const std::vector<Group>& groups) {
  std::vector<Candidate> rows;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    if (query.having) {
      const Cell kept = evaluate(*query.having, group.keys, group.readings);
      if (!std::holds_alternative<bool>(kept) || !std::get<bool>(kept)) continue;
    }
    Candidate row;
    row.line.group = g;
    for (const Output& output : query.outputs) {
      row.line.cells.push_back(evaluate(output.post, group.keys, group.readings));
    }
    for (const OrderBy& order : query.order) {
      row.order.push_back(evaluate(order.post, group.keys, group.readings));
    }
    rows.push_back(std::move(row));
  }
  if (query.drawing == Drawing::kTopK) {
    rows = best_of_each(std::move(rows), groups, static_cast<std::size_t>(query.best));
  }
  std::ranges::stable_sort(rows, [&](const Candidate& a, const Candidate& b) {
    return comes_before(query.order, a, b);
  });
  std::vector<Line> out;
  const auto first = static_cast<std::size_t>(query.offset);
  for (std::size_t i = first; i < rows.size(); ++i) {
    if (query.limit && out.size() >= static_cast<std::size_t>(*query.limit)) break;
    out.push_back(std::move(rows[i].line));
  }
  return out;
}

}  // namespace discreet::sql
