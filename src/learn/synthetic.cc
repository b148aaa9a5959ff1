// SPDX-License-Identifier: Apache-2.0
#include "learn/synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <random>

#include "learn/choices.h"
#include "learn/distribution.h"

namespace discreet::learn {
namespace {

struct Pair {
  std::size_t a, b;
  std::size_t first;  ///< where its cells begin
  std::vector<double> shares;
};

double mutual_information(const Pair& pair, const std::vector<std::vector<double>>& singles) {
  const auto& x = singles[pair.a];
  const auto& y = singles[pair.b];
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double p = pair.shares[i * y.size() + j];
      if (p > 0 && x[i] > 0 && y[j] > 0) sum += p * std::log(p / (x[i] * y[j]));
    }
  }
  return sum;
}

/// Edges (parent, child, pair) of a spanning tree of the largest mutual informations, parents
/// first.
struct Edge {
  std::size_t parent, child, pair;
};

std::vector<Edge> spanning_tree(const std::vector<Pair>& pairs,
                                const std::vector<std::vector<double>>& singles) {
  std::vector<double> weight;
  for (const Pair& pair : pairs) weight.push_back(mutual_information(pair, singles));
  std::vector<bool> in(singles.size(), false);
  in[0] = true;
  std::vector<Edge> edges;
  while (edges.size() + 1 < singles.size()) {
    std::size_t best = pairs.size();
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      if (in[pairs[p].a] == in[pairs[p].b]) continue;
      if (best == pairs.size() || weight[p] > weight[best]) best = p;
    }
    const bool forward = in[pairs[best].a];
    edges.push_back(
        {forward ? pairs[best].a : pairs[best].b, forward ? pairs[best].b : pairs[best].a, best});
    in[edges.back().child] = true;
  }
  return edges;
}

using Rows = std::vector<std::vector<std::int64_t>>;

Rows draw_tree(std::size_t count, const std::vector<Edge>& edges, const std::vector<Pair>& pairs,
               const std::vector<std::vector<double>>& singles, Choices& random) {
  // Tables of conditional distributions, one for each edge and value of the parent.
  std::vector<std::vector<std::discrete_distribution<std::int64_t>>> given;
  for (const Edge& edge : edges) {
    const Pair& pair = pairs[edge.pair];
    const std::size_t nb = singles[pair.b].size();
    auto& tables = given.emplace_back();
    for (std::size_t v = 0; v < singles[edge.parent].size(); ++v) {
      std::vector<double> p(singles[edge.child].size());
      double total = 0;
      for (std::size_t w = 0; w < p.size(); ++w) {
        p[w] = edge.parent == pair.a ? pair.shares[v * nb + w] : pair.shares[w * nb + v];
        total += p[w];
      }
      if (!(total > 0)) p = singles[edge.child];
      tables.emplace_back(p.begin(), p.end());
    }
  }
  std::discrete_distribution<std::int64_t> root(singles[0].begin(), singles[0].end());
  Rows rows(count, std::vector<std::int64_t>(singles.size()));
  for (auto& row : rows) {
    row[0] = root(random);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      row[edges[e].child] = given[e][static_cast<std::size_t>(row[edges[e].parent])](random);
    }
  }
  return rows;
}

std::size_t cell_of(const Pair& pair, const std::vector<std::int64_t>& row, std::size_t width_b) {
  return static_cast<std::size_t>(row[pair.a]) * width_b + static_cast<std::size_t>(row[pair.b]);
}

/// Multiplies rows' weights by what is wanted over what there is, pair after pair (iterative
/// proportional fitting on the drawn rows), damped so that noise is not chased.
std::vector<double> weigh(const Rows& rows, const std::vector<Pair>& pairs,
                          const std::vector<std::vector<double>>& singles) {
  std::vector<double> weights(rows.size(), 1.0 / static_cast<double>(rows.size()));
  std::vector<double> have;
  for (int pass = 0; pass < 12; ++pass) {
    for (const Pair& pair : pairs) {
      const std::size_t nb = singles[pair.b].size();
      have.assign(pair.shares.size(), 0.0);
      for (std::size_t r = 0; r < rows.size(); ++r) have[cell_of(pair, rows[r], nb)] += weights[r];
      for (std::size_t c = 0; c < have.size(); ++c) {
        have[c] = have[c] > 0
                      ? std::clamp(std::sqrt((pair.shares[c] + 1e-9) / (have[c] + 1e-9)), 0.2, 5.0)
                      : 1;
      }
      for (std::size_t r = 0; r < rows.size(); ++r) weights[r] *= have[cell_of(pair, rows[r], nb)];
    }
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& w : weights) w /= total;
  }
  return weights;
}

/// `count` rows by their weights: each as often as its share, the rest of a row by lot.
Rows resample(const Rows& rows, const std::vector<double>& weights, std::size_t count,
              Choices& random) {
  Rows out;
  out.reserve(count);
  double at = std::uniform_real_distribution<double>()(random) / static_cast<double>(count);
  double below = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    below += weights[r];
    while (at < below && out.size() < count) {
      out.push_back(rows[r]);
      at += 1 / static_cast<double>(count);
    }
  }
  while (out.size() < count) out.push_back(rows.back());
  std::shuffle(out.begin(), out.end(), random);
  return out;
}

std::vector<double> shares_of(std::vector<double> counts, double total) {
  for (double& c : counts) c /= total;
  return nearest_shares(std::move(counts));
}

}  // namespace

double ReleasedMarginal::distance() const {
  double sum = 0;
  for (std::size_t i = 0; i < released.size(); ++i) sum += std::abs(released[i] - synthetic[i]);
  return sum / 2;
}

Result<void> check_task(const SyntheticTask& task) {
  if (task.columns.size() < 2 || task.columns.size() > 64) {
    return invalid_input("a synthetic table needs 2 to 64 columns; choose with --features");
  }
  for (const Column& column : task.columns) DISCREET_TRY(check_column(column));
  if (task.bins < 2 || task.bins > 256) return invalid_input("--bins must lie between 2 and 256");
  return {};
}

std::vector<Rational> synthetic_shares(const SyntheticTask&) { return {15, 85}; }

Result<Synthetic> fit_synthetic(Sums& sums, const SyntheticTask& task) {
  DISCREET_TRY(check_task(task));
  const std::size_t d = task.columns.size();
  std::vector<std::size_t> widths;
  for (const Column& column : task.columns) widths.push_back(bin_count(column, task.bins));
  // A row without one of its values is left out of both rounds.
  std::vector<std::size_t> bins(d);
  const auto read = [&](std::span<const std::int64_t> row) {
    for (std::size_t c = 0; c < d; ++c) {
      const std::int64_t bin = bin_of(task.columns[c], row[c], task.bins);
      if (bin < 0) return false;
      bins[c] = static_cast<std::size_t>(bin);
    }
    return true;
  };
  const auto norm = [&](std::size_t ones) {
    return sums.pure() ? static_cast<double>(ones) : std::sqrt(static_cast<double>(ones));
  };
  std::vector<std::size_t> first{0};
  for (const std::size_t width : widths) first.push_back(first.back() + width);
  DISCREET_ASSIGN(
      const std::vector<double> flat,
      sums.sparse(first.back(), norm(d), [&](std::span<const std::int64_t> row, Sums::Pairs& out) {
        if (!read(row)) return;
        for (std::size_t c = 0; c < d; ++c) {
          out.emplace_back(first[c] + bins[c], 1.0);
        }
      }));
  const double total =
      std::max(std::accumulate(flat.begin(), flat.end(), 0.0) / static_cast<double>(d), 10.0);
  std::vector<std::vector<double>> singles;
  for (std::size_t c = 0; c < d; ++c) {
    singles.push_back(shares_of({flat.begin() + static_cast<std::ptrdiff_t>(first[c]),
                                 flat.begin() + static_cast<std::ptrdiff_t>(first[c + 1])},
                                total));
  }
  std::vector<Pair> pairs;
  std::size_t cells = 0;
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t b = a + 1; b < d; ++b) {
      pairs.push_back({a, b, cells, {}});
      cells += widths[a] * widths[b];
    }
  }
  DISCREET_ASSIGN(
      const std::vector<double> joint,
      sums.sparse(
          cells, norm(pairs.size()), [&](std::span<const std::int64_t> row, Sums::Pairs& out) {
            if (!read(row)) return;
            for (const Pair& pair : pairs) {
              out.emplace_back(pair.first + bins[pair.a] * widths[pair.b] + bins[pair.b], 1.0);
            }
          }));
  for (Pair& pair : pairs) {
    const auto from = joint.begin() + static_cast<std::ptrdiff_t>(pair.first);
    const auto size = static_cast<std::ptrdiff_t>(widths[pair.a] * widths[pair.b]);
    pair.shares = shares_of({from, from + size}, total);
  }
  // Each column's shares are now known from its own marginal and from every pair.
  for (std::size_t c = 0; c < d; ++c) {
    std::vector<double> mean(widths[c], 0.0);
    for (const Pair& pair : pairs) {
      if (pair.a != c && pair.b != c) continue;
      for (std::size_t i = 0; i < widths[pair.a]; ++i) {
        for (std::size_t j = 0; j < widths[pair.b]; ++j) {
          mean[pair.a == c ? i : j] += pair.shares[i * widths[pair.b] + j];
        }
      }
    }
    for (std::size_t i = 0; i < widths[c]; ++i) {
      singles[c][i] = 0.5 * singles[c][i] + 0.5 * mean[i] / static_cast<double>(d - 1);
    }
  }
  Choices random(task.seed);
  Synthetic out;
  out.count = total;
  const std::size_t drawn = 30'000;
  const Rows rows = draw_tree(drawn, spanning_tree(pairs, singles), pairs, singles, random);
  const std::size_t wanted = task.rows > 0 ? task.rows : static_cast<std::size_t>(total);
  out.rows = resample(rows, weigh(rows, pairs, singles), std::min<std::size_t>(wanted, 10'000'000),
                      random);
  const double one = 1 / static_cast<double>(out.rows.size());
  for (std::size_t c = 0; c < d; ++c) {
    out.marginals.push_back({{c}, singles[c], std::vector<double>(widths[c], 0.0)});
    for (const auto& row : out.rows) {
      out.marginals.back().synthetic[static_cast<std::size_t>(row[c])] += one;
    }
  }
  for (const Pair& pair : pairs) {
    out.marginals.push_back(
        {{pair.a, pair.b}, pair.shares, std::vector<double>(pair.shares.size(), 0.0)});
    for (const auto& row : out.rows) {
      out.marginals.back().synthetic[cell_of(pair, row, widths[pair.b])] += one;
    }
  }
  return out;
}

std::string value_text(const Column& column, std::int64_t bin, std::size_t bins,
                       std::uint64_t draw) {
  if (column.categorical()) return column.categories[static_cast<std::size_t>(bin)];
  const auto cells = static_cast<double>(column.cells());
  const auto count = static_cast<double>(bin_count(column, bins));
  const auto begin = static_cast<std::int64_t>(std::ceil(static_cast<double>(bin) * cells / count));
  const auto end =
      std::max(begin + 1,
               static_cast<std::int64_t>(std::ceil(static_cast<double>(bin + 1) * cells / count)));
  const std::int64_t cell =
      begin + static_cast<std::int64_t>(draw % static_cast<std::uint64_t>(end - begin));
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g",
                column.value(std::min(cell, column.cells() - 1)));
  return text.data();
}

}  // namespace discreet::learn
