// SPDX-License-Identifier: Apache-2.0
// Rows that agree with released marginals: all that there could be, or some from a tree of the
// pairs that depend on each other most, weighed until they agree, drawn again by their weights. All
// of it is free.
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
  /// How many rows there could be; a number above `most` stands for all that are.
  std::size_t rows(std::size_t most) const;
  template <class Row>
  std::size_t cell(const std::vector<std::size_t>& columns, const Row& row) const {
    std::size_t at = 0;
    for (const std::size_t c : columns) at = at * widths_[c] + static_cast<std::size_t>(row[c]);
    return at;
  }

 private:
  std::vector<std::size_t> widths_;
};

/// Rows and their weights, which add up to 1.
struct Weighed {
  Rows rows;
  std::vector<double> weights;
};

/// Every row that there could be, weighed as if columns had nothing to do with each other, if they
/// are at most `count`; else `count` rows drawn from a spanning tree of the pairs with most mutual
/// information (Chow and Liu), whose places in `pairs` are then in `tree`.
struct Start {
  Weighed table;
  std::vector<std::size_t> tree;
};
Start first_rows(std::size_t count, const Grid& grid, const std::vector<Marginal>& singles,
                 const std::vector<Marginal>& pairs, Choices& random);

/// A marginal as it was measured: shares that may be negative, and the variance of each.
struct Measured {
  std::vector<std::size_t> columns;
  std::vector<double> shares;
  double variance = 0;

  /// Another measurement of the same, each counting by how sure it is.
  void add(const std::vector<double>& again, double variance_again);
};

/// Changes the weights towards the least squares of all that was measured, by how sure each is:
/// mirror descent (as in Private-PGM), which moves weights no further from where they were than
/// the squares ask for.
void weigh(Weighed& table, const Grid& grid, const std::vector<Measured>& measured, int passes);

/// The shares of a marginal among weighed rows.
std::vector<double> shares_among(const Weighed& table, const Grid& grid,
                                 const std::vector<std::size_t>& columns);

/// `count` rows by their weights: each as often as its share, the rest by lot, evenly along the
/// sorted rows, so that groups of equal rows get what is theirs to within one.
Rows resample(const Weighed& table, std::size_t count, Choices& random);

}  // namespace discreet::learn
