// SPDX-License-Identifier: Apache-2.0
// Rows that agree with released marginals: drawn from a tree of the pairs that depend on each other
// most, weighed until all marginals agree, drawn again by their weights. All of it is free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learn/choices.h"

namespace discreet::learn {

/// Shares of the cells of some columns; the last column's values are neighbours.
struct Marginal {
  std::vector<std::size_t> columns;
  std::vector<double> shares;
};

using Rows = std::vector<std::vector<std::int64_t>>;

/// How many values each column has, and where a row's values are in a marginal.
class Grid {
 public:
  explicit Grid(std::vector<std::size_t> widths) : widths_(std::move(widths)) {}
  std::size_t columns() const { return widths_.size(); }
  std::size_t width(std::size_t column) const { return widths_[column]; }
  std::size_t cells(const std::vector<std::size_t>& columns) const;
  template <class Row>
  std::size_t cell(const std::vector<std::size_t>& columns, const Row& row) const {
    std::size_t at = 0;
    for (const std::size_t c : columns) at = at * widths_[c] + static_cast<std::size_t>(row[c]);
    return at;
  }

 private:
  std::vector<std::size_t> widths_;
};

/// `count` rows from the singles and a spanning tree of the pairs with most mutual information
/// (Chow and Liu).
Rows draw_tree(std::size_t count, const Grid& grid, const std::vector<Marginal>& singles,
               const std::vector<Marginal>& pairs, Choices& random);

/// Weights of rows, adding up to 1, under which the marginals agree with `wanted` as far as they
/// agree with each other: iterative proportional fitting, damped more from pass to pass.
std::vector<double> weigh(const Rows& rows, const Grid& grid, const std::vector<Marginal>& wanted,
                          std::vector<double> weights = {});

/// The shares of a marginal among weighed rows.
std::vector<double> shares_among(const Rows& rows, const std::vector<double>& weights,
                                 const Grid& grid, const std::vector<std::size_t>& columns);

/// `count` rows by their weights: each as often as its share, the rest by lot, evenly along the
/// sorted rows, so that groups of equal rows get what is theirs to within one.
Rows resample(const Rows& rows, const std::vector<double>& weights, std::size_t count,
              Choices& random);

}  // namespace discreet::learn
