// SPDX-License-Identifier: Apache-2.0
#include "learn/clusters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "learn/choices.h"
#include "learn/cluster_tree.h"

namespace discreet::learn {
namespace {

constexpr std::size_t kGridDimensions = 2;
constexpr std::size_t kSteps = 1;  ///< Lloyd rounds at the end

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

std::size_t nearest(std::span<const double> x, const std::vector<std::vector<double>>& centres) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < centres.size(); ++c) {
    const double d = squared_distance(x, centres[c]);
    if (d < least) {
      least = d;
      best = c;
    }
  }
  return best;
}

/// Counts in the cells of a grid over one or two dimensions.
Result<WeightedPoints> grid_points(Sums& sums, std::size_t dimensions, const UnitPoint& read) {
  const std::size_t side = dimensions == 1 ? 512 : 48;
  const std::size_t cells = dimensions == 1 ? side : side * side;
  std::vector<double> x(dimensions);
  const auto place = [&](double v) {
    return std::min(static_cast<std::size_t>(std::max(v, 0.0) * static_cast<double>(side)),
                    side - 1);
  };
  DISCREET_ASSIGN(const std::vector<double> counts,
                  sums.sparse(cells, 1, [&](std::span<const std::int64_t> row, Sums::Pairs& out) {
                    if (!read(row, x)) return;
                    const std::size_t at = place(x[0]);
                    out.emplace_back(dimensions == 1 ? at : at * side + place(x[1]), 1.0);
                  }));
  WeightedPoints result;
  const auto middle = [&](std::size_t i) {
    return (static_cast<double>(i) + 0.5) / static_cast<double>(side);
  };
  for (std::size_t c = 0; c < cells; ++c) {
    if (counts[c] <= 2.2 * sums.deviation()) continue;
    result.points.push_back(dimensions == 1
                                ? std::vector<double>{middle(c)}
                                : std::vector<double>{middle(c / side), middle(c % side)});
    result.weights.push_back(counts[c]);
  }
  return result;
}

/// One Lloyd round: each unit's way from its centre, clipped, and a count.
Result<void> lloyd(Sums& sums, const UnitPoint& read, double radius,
                   std::vector<std::vector<double>>& centres, std::vector<double>& sizes) {
  const std::size_t d = centres[0].size();
  const double one = radius / 2;
  const double clip = sums.pure() ? radius + one : std::hypot(radius, one);
  std::vector<double> x(d);
  DISCREET_ASSIGN(const std::vector<double> flat,
                  sums.sparse(centres.size() * (d + 1), clip,
                              [&](std::span<const std::int64_t> row, Sums::Pairs& out) {
                                if (!read(row, x)) return;
                                const std::size_t c = nearest(x, centres);
                                for (std::size_t i = 0; i < d; ++i) x[i] -= centres[c][i];
                                const double length = sums.norm(x);
                                const double shrink = length > radius ? radius / length : 1;
                                out.emplace_back(c * (d + 1), one);
                                for (std::size_t i = 0; i < d; ++i) {
                                  out.emplace_back(c * (d + 1) + i + 1, shrink * x[i]);
                                }
                              }));
  for (std::size_t c = 0; c < centres.size(); ++c) {
    const double count = flat[c * (d + 1)] / one;
    sizes[c] = std::max(count, 0.0);
    // A centre whose count is all noise stays where the released seeds put it.
    if (count < 10 * sums.deviation() / one) continue;
    for (std::size_t i = 0; i < d; ++i) {
      centres[c][i] = std::clamp(centres[c][i] + flat[c * (d + 1) + i + 1] / count, 0.0, 1.0);
    }
  }
  return {};
}

}  // namespace

std::vector<std::vector<double>> weighted_k_means(const std::vector<std::vector<double>>& points,
                                                  const std::vector<double>& weights,
                                                  std::size_t k) {
  Choices random(1);  // after release: the same every time
  const std::size_t n = points.size();
  std::vector<std::vector<double>> best;
  double best_cost = std::numeric_limits<double>::infinity();
  const std::size_t starts = n > 500 ? 12 : 40;
  for (std::size_t start = 0; start < starts; ++start) {
    std::vector<std::vector<double>> centres;
    std::vector<double> chance = weights;
    std::vector<double> least(n, std::numeric_limits<double>::infinity());
    while (centres.size() < k) {
      std::discrete_distribution<std::size_t> pick(chance.begin(), chance.end());
      centres.push_back(points[pick(random)]);
      double total = 0;
      for (std::size_t i = 0; i < n; ++i) {
        least[i] = std::min(least[i], squared_distance(points[i], centres.back()));
        total += chance[i] = weights[i] * least[i];
      }
      if (!(total > 0)) chance = weights;
    }
    double cost = 0;
    for (int step = 0; step < 30; ++step) {
      std::vector<std::vector<double>> sums(k, std::vector<double>(points[0].size(), 0.0));
      std::vector<double> mass(k, 0.0);
      double next = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t c = nearest(points[i], centres);
        next += weights[i] * squared_distance(points[i], centres[c]);
        mass[c] += weights[i];
        for (std::size_t j = 0; j < points[i].size(); ++j) sums[c][j] += weights[i] * points[i][j];
      }
      for (std::size_t c = 0; c < k; ++c) {
        if (!(mass[c] > 0)) continue;
        for (double& x : sums[c]) x /= mass[c];
        centres[c] = sums[c];
      }
      if (step > 0 && next > 0.9999 * cost) break;
      cost = next;
    }
    if (cost < best_cost) {
      best_cost = cost;
      best = centres;
    }
  }
  return best;
}

Result<void> check_task(const ClusterTask& task) {
  if (task.k < 1 || task.k > 1000) return invalid_input("--k must lie between 1 and 1000");
  if (task.features.empty()) return invalid_input("name at least one feature with --features");
  for (const std::size_t f : task.features) {
    DISCREET_TRY(check_column(task.columns[f]));
    if (task.columns[f].categorical()) {
      return invalid_input("k-means needs numbers; " + in_quotes(task.columns[f].name) +
                           " is a list of values");
    }
  }
  return check_entries(ClusterTree::entries(task.features.size(), task.k),
                       "take a smaller --k, or fewer --features");
}

std::vector<Rational> cluster_shares(const ClusterTask& task) {
  if (task.features.size() <= kGridDimensions) return {75, 25};
  const std::size_t levels = ClusterTree::levels(task.k) + 1;
  std::vector<Rational> shares(levels, Rational::ratio(65, static_cast<long>(levels)));
  shares.insert(shares.end(), kSteps, Rational::ratio(35, kSteps));
  return shares;
}

Result<Clusters> fit_clusters(Sums& sums, const ClusterTask& task) {
  DISCREET_TRY(check_task(task));
  const std::size_t d = task.features.size();
  const UnitPoint read = [&](std::span<const std::int64_t> row, std::span<double> out) {
    for (std::size_t i = 0; i < d; ++i) {
      const Column& column = task.columns[task.features[i]];
      const std::int64_t cell = row[task.features[i]];
      if (cell == kMissing) return false;
      out[i] = std::clamp((column.value(cell) - column.low) / (column.high - column.low), 0.0, 1.0);
    }
    return true;
  };
  WeightedPoints seeds;
  if (d <= kGridDimensions) {
    DISCREET_ASSIGN(seeds, grid_points(sums, d, read));
  } else {
    DISCREET_ASSIGN(seeds, ClusterTree::grow(sums, d, task.k, read));
  }
  // What noise made of nobody is no seed.
  for (std::size_t i = seeds.points.size(); i-- > 0;) {
    if (seeds.weights[i] > 0) continue;
    seeds.points.erase(seeds.points.begin() + static_cast<std::ptrdiff_t>(i));
    seeds.weights.erase(seeds.weights.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (seeds.points.empty()) {
    seeds.points.assign(1, std::vector<double>(d, 0.5));
    seeds.weights.assign(1, 1.0);
  }
  Clusters out;
  out.centres = weighted_k_means(seeds.points, seeds.weights, task.k);
  out.sizes.assign(out.centres.size(), 0.0);
  // How far a unit may pull: about the spread of the released points around their centres.
  double spread = 0;
  double mass = 0;
  for (std::size_t i = 0; i < seeds.points.size(); ++i) {
    const std::size_t c = nearest(seeds.points[i], out.centres);
    spread += seeds.weights[i] * squared_distance(seeds.points[i], out.centres[c]);
    mass += seeds.weights[i];
  }
  const double inside = seeds.spread * static_cast<double>(d);
  const double squared = spread / std::max(mass, 1e-9) + inside;
  double radius = 2 * std::sqrt(squared > 0 ? squared : 0) + 0.02;
  if (sums.pure()) radius *= std::sqrt(static_cast<double>(d));
  for (std::size_t step = 0; step < kSteps; ++step) {
    DISCREET_TRY(lloyd(sums, read, radius, out.centres, out.sizes));
  }
  for (std::vector<double>& centre : out.centres) {
    for (std::size_t i = 0; i < d; ++i) {
      const Column& column = task.columns[task.features[i]];
      centre[i] = column.low + centre[i] * (column.high - column.low);
    }
  }
  return out;
}

}  // namespace discreet::learn
