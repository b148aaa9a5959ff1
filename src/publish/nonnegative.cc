// SPDX-License-Identifier: Apache-2.0
#include "publish/nonnegative.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace discreet::publish {
namespace {

constexpr int kSteps = 200;

AttributeSet all_of(const std::vector<AttributeSet>& sets) {
  std::set<int> all;
  for (const AttributeSet& set : sets) all.insert(set.begin(), set.end());
  return {all.begin(), all.end()};
}

/// For every cell of the joint table its cell in a table on `set`.
std::vector<std::uint32_t> places_in(const std::vector<Attribute>& attributes,
                                     const AttributeSet& joint, const AttributeSet& set,
                                     std::size_t cells) {
  std::vector<std::uint32_t> out(cells, 0);
  std::size_t inner = cells;
  for (const int axis : joint) {
    const auto n = static_cast<std::size_t>(attributes[static_cast<std::size_t>(axis)].values);
    inner /= n;
    if (!std::binary_search(set.begin(), set.end(), axis)) continue;
    for (std::size_t c = 0; c < cells; ++c) {
      out[c] = static_cast<std::uint32_t>(out[c] * n + c / inner % n);
    }
  }
  return out;
}

/// Rounds in the order of the cells so that every running sum is off by less than 1: sums over
/// the last axes stay near.
void round_along(std::vector<double>& cells, double total) {
  const double sum = std::accumulate(cells.begin(), cells.end(), 0.0);
  if (sum <= 0) {
    if (!cells.empty()) std::fill(cells.begin(), cells.end(), 0.0), cells[0] = total;
    return;
  }
  double real = 0;
  double given = 0;
  for (double& cell : cells) {
    real += cell / sum * total;
    const double whole = std::floor(real + 1e-9 * total / static_cast<double>(cells.size()) + 0.5);
    cell = std::min(whole, total) - given;
    given += cell;
  }
  if (given < total) cells.back() += total - given;
}

}  // namespace

Result<void> check_joint(const Workload& workload) {
  std::set<std::size_t> axes;
  for (const AskedTable& table : workload.tables) {
    if (table.measure == 0) axes.insert(table.axes.begin(), table.axes.end());
  }
  Integer cells = 1;
  for (const std::size_t axis : axes) cells *= Integer(workload.axes[axis].places());
  if (cells <= kJointMax) return {};
  return invalid_input(
      "nonnegative tables that agree are margins of one joint table, and these "
      "columns have " +
      cells.get_str() +
      " cells together, more than 4194304; ask for fewer columns or wider bins, "
      "or leave nonnegative out");
}

std::vector<Cells> whole_tables(const std::vector<Attribute>& attributes,
                                const std::vector<AttributeSet>& sets,
                                const std::vector<Cells>& tables, std::optional<double> total) {
  const AttributeSet joint = all_of(sets);
  std::size_t cells = 1;
  for (const int axis : joint) {
    cells *= static_cast<std::size_t>(attributes[static_cast<std::size_t>(axis)].values);
  }
  std::vector<std::vector<std::uint32_t>> places;
  for (const AttributeSet& set : sets) places.push_back(places_in(attributes, joint, set, cells));
  double sum = 0;
  for (const Cells& table : tables) {
    sum += std::accumulate(table.begin(), table.end(), 0.0);
  }
  const double people =
      std::max(0.0, std::round(total.value_or(sum / static_cast<double>(tables.size()))));
  // Least squares over cells not below 0, by projected gradients with momentum: the residual of
  // every table is spread evenly over the cells that make it up.
  std::vector<double> x(cells, people / static_cast<double>(cells));
  std::vector<double> before = x;
  std::vector<double> at = x;
  const double step = 1.0 / static_cast<double>(sets.size());
  double momentum = 1;
  for (int i = 0; i < kSteps; ++i) {
    std::vector<double> next = at;
    for (std::size_t b = 0; b < sets.size(); ++b) {
      Cells margin(tables[b].size(), 0);
      for (std::size_t c = 0; c < cells; ++c) margin[places[b][c]] += at[c];
      const double share =
          step * static_cast<double>(tables[b].size()) / static_cast<double>(cells);
      for (std::size_t c = 0; c < cells; ++c) {
        next[c] += share * (tables[b][places[b][c]] - margin[places[b][c]]);
      }
    }
    for (double& cell : next) cell = std::max(0.0, cell);
    const double grown = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    before = std::exchange(x, std::move(next));
    for (std::size_t c = 0; c < cells; ++c) {
      at[c] = x[c] + (momentum - 1) / grown * (x[c] - before[c]);
    }
    momentum = grown;
  }
  round_along(x, people);
  std::vector<Cells> out;
  for (std::size_t b = 0; b < sets.size(); ++b) {
    Cells margin(tables[b].size(), 0);
    for (std::size_t c = 0; c < cells; ++c) margin[places[b][c]] += x[c];
    out.push_back(std::move(margin));
  }
  return out;
}

}  // namespace discreet::publish
