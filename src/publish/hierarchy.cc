// SPDX-License-Identifier: Apache-2.0
#include "publish/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace discreet::publish {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The children of every node of a level, as [begin, end) of `order`.
struct Children {
  std::vector<std::int64_t> order;
  std::vector<std::size_t> begin;

  Children(const std::vector<std::int64_t>& parents, std::int64_t nodes)
      : order(parents.size()), begin(at(nodes) + 1, 0) {
    for (const std::int64_t p : parents) ++begin[at(p) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < parents.size(); ++i) {
      order[next[at(parents[i])]++] = static_cast<std::int64_t>(i);
    }
  }
};

/// u of every node, going up.
LevelValues upward_variances(const Hierarchy& tree, const std::vector<double>& measured) {
  LevelValues u(tree.levels());
  u.back().assign(at(tree.nodes(tree.levels() - 1)), measured.back());
  for (std::size_t l = tree.levels() - 1; l-- > 0;) {
    std::vector<double> below(at(tree.nodes(l)), 0);
    for (std::size_t i = 0; i < tree.parents[l].size(); ++i) {
      below[at(tree.parents[l][i])] += u[l + 1][i];
    }
    u[l].resize(below.size());
    for (std::size_t i = 0; i < below.size(); ++i) {
      u[l][i] = below[i] > 0 ? 1 / (1 / measured[l] + 1 / below[i]) : measured[l];
    }
  }
  return u;
}

}  // namespace

std::int64_t Hierarchy::nodes(std::size_t level) const {
  if (level == 0) return 1;
  return static_cast<std::int64_t>(parents[level - 1].size());
}

LevelValues hierarchy_variances(const Hierarchy& tree, const std::vector<double>& measured) {
  const LevelValues u = upward_variances(tree, measured);
  LevelValues t(tree.levels());
  t[0] = u[0];
  for (std::size_t l = 0; l + 1 < tree.levels(); ++l) {
    std::vector<double> sums(t[l].size(), 0);
    for (std::size_t i = 0; i < tree.parents[l].size(); ++i) {
      sums[at(tree.parents[l][i])] += u[l + 1][i];
    }
    t[l + 1].resize(tree.parents[l].size());
    for (std::size_t i = 0; i < tree.parents[l].size(); ++i) {
      const std::size_t p = at(tree.parents[l][i]);
      const double own = u[l + 1][i];
      t[l + 1][i] = own - own * own / sums[p] * (1 - t[l][p] / sums[p]);
    }
  }
  return t;
}

LevelValues hierarchy_estimate(
    const Hierarchy& tree, const LevelValues& measured, const std::vector<double>& variances,
    const std::map<std::pair<std::size_t, std::int64_t>, double>& fixed) {
  const LevelValues u = upward_variances(tree, variances);
  LevelValues z = measured;
  for (std::size_t l = tree.levels() - 1; l-- > 0;) {
    std::vector<double> below(z[l].size(), 0);
    std::vector<double> spread(z[l].size(), 0);
    for (std::size_t i = 0; i < tree.parents[l].size(); ++i) {
      below[at(tree.parents[l][i])] += z[l + 1][i];
      spread[at(tree.parents[l][i])] += u[l + 1][i];
    }
    for (std::size_t i = 0; i < z[l].size(); ++i) {
      if (spread[i] > 0) {
        z[l][i] = u[l][i] * (measured[l][i] / variances[l] + below[i] / spread[i]);
      }
    }
  }
  LevelValues out = z;
  const auto fixed_at = [&fixed](std::size_t l, std::size_t i) {
    return fixed.find({l, static_cast<std::int64_t>(i)});
  };
  if (const auto top = fixed_at(0, 0); top != fixed.end()) out[0][0] = top->second;
  for (std::size_t l = 0; l + 1 < tree.levels(); ++l) {
    std::vector<double> rest = out[l];
    std::vector<double> spread(out[l].size(), 0);
    for (std::size_t i = 0; i < tree.parents[l].size(); ++i) {
      const std::size_t p = at(tree.parents[l][i]);
      const auto known = fixed.empty() ? fixed.end() : fixed_at(l + 1, i);
      rest[p] -= known != fixed.end() ? known->second : z[l + 1][i];
      if (known == fixed.end()) spread[p] += u[l + 1][i];
    }
    for (std::size_t i = 0; i < tree.parents[l].size(); ++i) {
      const std::size_t p = at(tree.parents[l][i]);
      const auto known = fixed.empty() ? fixed.end() : fixed_at(l + 1, i);
      out[l + 1][i] =
          known != fixed.end() ? known->second : z[l + 1][i] + u[l + 1][i] / spread[p] * rest[p];
    }
  }
  return out;
}

std::vector<double> whole_parts(std::vector<double> values, double total) {
  // The projection subtracts one number from all and drops what falls below 0.
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double shift = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double tried = (sum - total) / static_cast<double>(k + 1);
    if (k == 0 || sorted[k] > tried) shift = tried;
  }
  double left = total;
  std::vector<std::pair<double, std::size_t>> remainders;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double real = std::max(0.0, values[i] - shift);
    values[i] = std::floor(real);
    left -= values[i];
    remainders.emplace_back(values[i] - real, i);  // the largest remainder first
  }
  std::sort(remainders.begin(), remainders.end());
  // Rounding errors of the projection aside, 0 <= left < the number of parts.
  for (std::size_t k = 0; left > 0.5 && !remainders.empty(); k = (k + 1) % remainders.size()) {
    values[remainders[k].second] += 1;
    left -= 1;
  }
  for (std::size_t k = values.size(); left < -0.5 && k-- > 0;) {
    const double taken = std::min(values[k], -left);
    values[k] -= taken;
    left += taken;
  }
  return values;
}

LevelValues whole_hierarchy(const Hierarchy& tree, const LevelValues& estimate,
                            const std::map<std::pair<std::size_t, std::int64_t>, double>& fixed) {
  LevelValues out = estimate;
  const auto fixed_at = [&fixed](std::size_t l, std::int64_t i) {
    return fixed.empty() ? fixed.end() : fixed.find({l, i});
  };
  const auto top = fixed_at(0, 0);
  out[0][0] = std::max(0.0, std::round(top != fixed.end() ? top->second : estimate[0][0]));
  for (std::size_t l = 0; l + 1 < tree.levels(); ++l) {
    const Children children(tree.parents[l], tree.nodes(l));
    for (std::size_t p = 0; p < out[l].size(); ++p) {
      double total = out[l][p];
      std::vector<double> values;
      std::vector<std::int64_t> open;
      for (std::size_t k = children.begin[p]; k < children.begin[p + 1]; ++k) {
        const std::int64_t child = children.order[k];
        const auto known = fixed_at(l + 1, child);
        if (known != fixed.end()) {
          out[l + 1][at(child)] = std::min(total, std::max(0.0, std::round(known->second)));
          total -= out[l + 1][at(child)];
        } else {
          open.push_back(child);
          values.push_back(estimate[l + 1][at(child)]);
        }
      }
      const std::vector<double> parts = whole_parts(std::move(values), total);
      for (std::size_t k = 0; k < open.size(); ++k) out[l + 1][at(open[k])] = parts[k];
    }
  }
  return out;
}

std::vector<double> level_shares(const Hierarchy& tree) {
  const std::size_t n = tree.levels();
  // A tree of equal branches: u and t are one number a level.
  const auto objective = [&](const std::vector<double>& shares) {
    std::vector<double> u(n);
    std::vector<double> fan(n, 1);
    for (std::size_t l = 1; l < n; ++l) {
      fan[l] = static_cast<double>(tree.nodes(l)) / static_cast<double>(tree.nodes(l - 1));
    }
    u[n - 1] = 1 / shares[n - 1];
    for (std::size_t l = n - 1; l-- > 0;) u[l] = 1 / (shares[l] + 1 / (fan[l + 1] * u[l + 1]));
    double t = u[0];
    double sum = t;
    for (std::size_t l = 1; l < n; ++l) {
      const double s = fan[l] * u[l];
      t = u[l] - u[l] * u[l] / s * (1 - t / s);
      sum += t;
    }
    return sum;
  };
  std::vector<double> best(n, 1.0 / static_cast<double>(n));
  double least = objective(best);
  for (double factor = 2; factor > 1.01;) {
    bool better = false;
    for (std::size_t l = 0; l < n; ++l) {
      for (const double f : {factor, 1 / factor}) {
        std::vector<double> tried = best;
        tried[l] *= f;
        const double sum = std::accumulate(tried.begin(), tried.end(), 0.0);
        for (double& share : tried) share /= sum;
        const double reached = objective(tried);
        if (reached < least * (1 - 1e-9)) {
          least = reached;
          best = std::move(tried);
          better = true;
        }
      }
    }
    if (!better) factor = std::sqrt(factor);
  }
  return best;
}

}  // namespace discreet::publish
