// SPDX-License-Identifier: Apache-2.0
#include "learn/synthetic_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace discreet::learn {
namespace {

double mutual_information(const Marginal& pair, const std::vector<Marginal>& singles) {
  const auto& x = singles[pair.columns[0]].shares;
  const auto& y = singles[pair.columns[1]].shares;
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double p = pair.shares[i * y.size() + j];
      if (p > 0 && x[i] > 0 && y[j] > 0) sum += p * std::log(p / (x[i] * y[j]));
    }
  }
  return sum;
}

/// A column that is drawn given another; parents come first.
struct Edge {
  std::size_t parent, child, pair;
};

std::vector<Edge> spanning_tree(const std::vector<Marginal>& pairs,
                                const std::vector<Marginal>& singles) {
  std::vector<double> weight;
  for (const Marginal& pair : pairs) weight.push_back(mutual_information(pair, singles));
  std::vector<bool> in(singles.size(), false);
  in[0] = true;
  std::vector<Edge> edges;
  while (edges.size() + 1 < singles.size()) {
    std::size_t best = pairs.size();
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      if (in[pairs[p].columns[0]] == in[pairs[p].columns[1]]) continue;
      if (best == pairs.size() || weight[p] > weight[best]) best = p;
    }
    const std::size_t a = pairs[best].columns[0];
    const std::size_t b = pairs[best].columns[1];
    edges.push_back({in[a] ? a : b, in[a] ? b : a, best});
    in[edges.back().child] = true;
  }
  return edges;
}

}  // namespace

std::size_t Grid::rows(std::size_t most) const {
  std::size_t product = 1;
  for (const std::size_t width : widths_) {
    if (product > most) break;
    product *= width;
  }
  return product;
}

std::size_t Grid::cells(const std::vector<std::size_t>& columns) const {
  std::size_t product = 1;
  for (const std::size_t c : columns) product *= widths_[c];
  return product;
}

Start first_rows(std::size_t count, const Grid& grid, const std::vector<Marginal>& singles,
                 const std::vector<Marginal>& pairs, Choices& random) {
  Start out;
  Rows& rows = out.table.rows;
  if (const std::size_t all = grid.rows(count); all <= count) {
    std::vector<std::int64_t> row(singles.size(), 0);
    for (std::size_t r = 0; r < all; ++r) {
      double chance = 1;
      for (std::size_t c = 0; c < row.size(); ++c) {
        chance *= singles[c].shares[static_cast<std::size_t>(row[c])];
      }
      rows.push_back(row);
      out.table.weights.push_back(chance + 1e-12);  // what noise forbids may be found yet
      for (std::size_t c = 0; c < row.size() && ++row[c] == static_cast<int>(grid.width(c)); ++c) {
        row[c] = 0;
      }
    }
    return out;
  }
  const std::vector<Edge> edges = spanning_tree(pairs, singles);
  // Tables of conditional distributions, one for each edge and value of the parent.
  std::vector<std::vector<std::discrete_distribution<std::int64_t>>> given;
  for (const Edge& edge : edges) {
    out.tree.push_back(edge.pair);
    const Marginal& pair = pairs[edge.pair];
    const std::size_t nb = grid.width(pair.columns[1]);
    auto& tables = given.emplace_back();
    for (std::size_t v = 0; v < grid.width(edge.parent); ++v) {
      std::vector<double> p(grid.width(edge.child));
      double total = 0;
      for (std::size_t w = 0; w < p.size(); ++w) {
        p[w] = edge.parent == pair.columns[0] ? pair.shares[v * nb + w] : pair.shares[w * nb + v];
        total += p[w];
      }
      if (!(total > 0)) p = singles[edge.child].shares;
      tables.emplace_back(p.begin(), p.end());
    }
  }
  const std::vector<double>& first = singles[0].shares;
  std::discrete_distribution<std::int64_t> root(first.begin(), first.end());
  rows.assign(count, std::vector<std::int64_t>(singles.size()));
  out.table.weights.assign(count, 1 / static_cast<double>(count));
  for (auto& row : rows) {
    row[0] = root(random);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      row[edges[e].child] = given[e][static_cast<std::size_t>(row[edges[e].parent])](random);
    }
  }
  return out;
}

void Measured::add(const std::vector<double>& again, double variance_again) {
  const double a = 1 / variance;
  const double b = 1 / variance_again;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = (a * shares[i] + b * again[i]) / (a + b);
  }
  variance = 1 / (a + b);
}

void weigh(Weighed& table, const Grid& grid, const std::vector<Measured>& measured, int passes) {
  const std::size_t n = table.rows.size();
  std::vector<std::vector<std::uint32_t>> cells;  // of each row in each marginal
  double variance = 1e300;
  for (const Measured& m : measured) {
    std::vector<std::uint32_t>& at = cells.emplace_back(n);
    for (std::size_t r = 0; r < n; ++r) {
      at[r] = static_cast<std::uint32_t>(grid.cell(m.columns, table.rows[r]));
    }
    variance = std::min(variance, m.variance);
  }
  // The squares of what `weights` miss, and for each marginal their slope in each cell.
  std::vector<std::vector<double>> slopes(measured.size());
  const auto squares = [&](const std::vector<double>& weights) {
    double sum = 0;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      std::vector<double>& slope = slopes[i];
      slope.assign(measured[i].shares.size(), 0.0);
      for (std::size_t r = 0; r < n; ++r) slope[cells[i][r]] += weights[r];
      for (std::size_t c = 0; c < slope.size(); ++c) {
        const double miss = slope[c] - measured[i].shares[c];
        sum += miss * miss / (2 * measured[i].variance);
        slope[c] = miss / measured[i].variance;
      }
    }
    return sum;
  };
  double now = squares(table.weights);
  double step = 4 * variance;
  std::vector<double> slope(n), next(n);
  for (int pass = 0; pass < passes; ++pass) {
    std::fill(slope.begin(), slope.end(), 0.0);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      for (std::size_t r = 0; r < n; ++r) slope[r] += slopes[i][cells[i][r]];
    }
    double mean = 0;
    for (std::size_t r = 0; r < n; ++r) mean += table.weights[r] * slope[r];
    double then = now;
    int tries = 0;
    do {
      double total = 0;
      for (std::size_t r = 0; r < n; ++r) {
        next[r] = table.weights[r] * std::exp(std::clamp(-step * (slope[r] - mean), -20.0, 20.0));
        total += next[r];
      }
      for (double& w : next) w /= total;
      then = squares(next);
      if (then >= now) step /= 2;
    } while (then >= now && ++tries < 12);
    if (then >= now) return;
    now = then;
    table.weights.swap(next);
    step *= 1.5;
  }
}

std::vector<double> shares_among(const Weighed& table, const Grid& grid,
                                 const std::vector<std::size_t>& columns) {
  const auto& [rows, weights] = table;
  std::vector<double> out(grid.cells(columns), 0.0);
  for (std::size_t r = 0; r < rows.size(); ++r) out[grid.cell(columns, rows[r])] += weights[r];
  return out;
}

Rows resample(const Weighed& table, std::size_t count, Choices& random) {
  const Rows& rows = table.rows;
  const std::vector<double>& weights = table.weights;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rows[a] < rows[b]; });
  Rows out;
  out.reserve(count);
  double at = std::uniform_real_distribution<double>()(random) / static_cast<double>(count);
  double below = 0;
  for (const std::size_t r : order) {
    below += weights[r];
    while (at < below && out.size() < count) {
      out.push_back(rows[r]);
      at += 1 / static_cast<double>(count);
    }
  }
  while (out.size() < count) out.push_back(rows[order.back()]);
  std::shuffle(out.begin(), out.end(), random);
  return out;
}

}  // namespace discreet::learn
