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

std::size_t Grid::cells(const std::vector<std::size_t>& columns) const {
  std::size_t product = 1;
  for (const std::size_t c : columns) product *= widths_[c];
  return product;
}

Rows draw_tree(std::size_t count, const Grid& grid, const std::vector<Marginal>& singles,
               const std::vector<Marginal>& pairs, Choices& random) {
  const std::vector<Edge> edges = spanning_tree(pairs, singles);
  // Tables of conditional distributions, one for each edge and value of the parent.
  std::vector<std::vector<std::discrete_distribution<std::int64_t>>> given;
  for (const Edge& edge : edges) {
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
  Rows rows(count, std::vector<std::int64_t>(singles.size()));
  for (auto& row : rows) {
    row[0] = root(random);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      row[edges[e].child] = given[e][static_cast<std::size_t>(row[edges[e].parent])](random);
    }
  }
  return rows;
}

std::vector<double> weigh(const Rows& rows, const Grid& grid, const std::vector<Marginal>& wanted,
                          std::vector<double> weights) {
  constexpr int kPasses = 16;
  if (weights.empty()) weights.assign(rows.size(), 1.0 / static_cast<double>(rows.size()));
  std::vector<std::uint32_t> cells(rows.size());
  std::vector<double> factor;
  for (int pass = 0; pass < kPasses; ++pass) {
    // Marginals with noise do not agree: smaller steps end between them, not at the last.
    const double step = 0.7 / (1 + pass / 6.0);
    for (const Marginal& marginal : wanted) {
      factor.assign(marginal.shares.size(), 0.0);
      for (std::size_t r = 0; r < rows.size(); ++r) {
        cells[r] = static_cast<std::uint32_t>(grid.cell(marginal.columns, rows[r]));
        factor[cells[r]] += weights[r];
      }
      for (std::size_t c = 0; c < factor.size(); ++c) {
        const double have = factor[c] + 1e-9;
        factor[c] = std::clamp(std::pow((marginal.shares[c] + 1e-9) / have, step), 0.1, 10.0);
      }
      for (std::size_t r = 0; r < rows.size(); ++r) weights[r] *= factor[cells[r]];
    }
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& w : weights) w /= total;
  }
  return weights;
}

std::vector<double> shares_among(const Rows& rows, const std::vector<double>& weights,
                                 const Grid& grid, const std::vector<std::size_t>& columns) {
  std::vector<double> out(grid.cells(columns), 0.0);
  for (std::size_t r = 0; r < rows.size(); ++r) out[grid.cell(columns, rows[r])] += weights[r];
  return out;
}

Rows resample(const Rows& rows, const std::vector<double>& weights, std::size_t count,
              Choices& random) {
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
