// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <utility>

#include "learn/csv.h"
#include "publish/hierarchy.h"

namespace discreet::publish {
namespace {

constexpr std::size_t kDepthMax = 12;

}  // namespace

Result<Hierarchy> read_hierarchy(std::string_view csv, const std::vector<std::string>& leaves) {
  DISCREET_ASSIGN(const learn::Csv file, learn::parse_csv(csv));
  if (file.header.size() != 2) {
    return invalid_input(
        "line 1: a hierarchy has two columns; write a header such as child,parent");
  }
  std::unordered_map<std::string, std::size_t> row_of;
  row_of.reserve(file.rows.size());
  const auto line = [](std::size_t row) { return "line " + std::to_string(row + 2) + ": "; };
  for (std::size_t r = 0; r < file.rows.size(); ++r) {
    if (!row_of.emplace(file.rows[r][0], r).second) {
      return invalid_input(line(r) + in_quotes(file.rows[r][0]) +
                           " has a second parent; an area lies in one other");
    }
  }
  // Every leaf's way to the top; all are equally long, so a node's level is its depth.
  std::vector<std::vector<std::string>> names;  // from the leaves' parents upwards
  std::vector<std::unordered_map<std::string, std::int64_t>> places;
  std::vector<std::vector<std::int64_t>> up(1, std::vector<std::int64_t>(leaves.size(), -1));
  std::vector<bool> used(file.rows.size(), false);
  std::vector<std::string> level = leaves;
  for (std::size_t depth = 0;; ++depth) {
    if (depth > kDepthMax) {
      return invalid_input("the areas around " + in_quotes(leaves.front()) +
                           " never end: a cycle; every way up must end at one top area");
    }
    std::vector<std::string> next;
    std::unordered_map<std::string, std::int64_t> seen;
    std::vector<std::int64_t> parents;
    std::size_t tops = 0;
    for (const std::string& child : level) {
      const auto found = row_of.find(child);
      if (found == row_of.end() || file.rows[found->second][1].empty()) {
        ++tops;
        if (depth == 0) {
          return invalid_input(in_quotes(child) +
                               " is an orphan: the hierarchy does not say in which area it lies");
        }
        if (level.size() > 1) {
          return invalid_input(in_quotes(child) +
                               " is an orphan: it has no parent, and is not the "
                               "only one at its level; all areas must lie in one top area, at "
                               "the same depth");
        }
        break;
      }
      used[found->second] = true;
      const std::string& parent = file.rows[found->second][1];
      if (parent == child) {
        return invalid_input(line(found->second) + in_quotes(child) +
                             " is its own parent: a cycle");
      }
      const auto [place, is_new] = seen.emplace(parent, static_cast<std::int64_t>(next.size()));
      if (is_new) next.push_back(parent);
      parents.push_back(place->second);
    }
    if (tops > 0) break;
    for (const auto& earlier : places) {
      for (const std::string& name : next) {
        if (earlier.contains(name)) {
          return invalid_input(in_quotes(name) +
                               " stands at two levels: a cycle, or areas at different depths; "
                               "every smallest area must be equally far from the top");
        }
      }
    }
    if (depth == 0) {
      std::unordered_map<std::string, std::int64_t> own;
      for (const std::string& leaf : leaves) own.emplace(leaf, 0);
      for (const std::string& name : next) {
        if (own.contains(name)) {
          return invalid_input(in_quotes(name) +
                               " is one of the smallest areas and holds others; "
                               "give the larger area another name");
        }
      }
    }
    up[depth] = std::move(parents);
    up.emplace_back();
    places.push_back(std::move(seen));
    names.push_back(next);
    level = std::move(next);
  }
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (!used[r] && !file.rows[r][1].empty()) {
      return invalid_input(line(r) + in_quotes(file.rows[r][0]) +
                           " leads to none of the column's values; leave it out");
    }
  }
  Hierarchy tree;
  tree.parents.assign(up.rbegin() + 1, up.rend());
  tree.names.assign(names.rbegin(), names.rend());
  tree.names.emplace_back();
  return tree;
}

}  // namespace discreet::publish
