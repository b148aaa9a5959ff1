// SPDX-License-Identifier: Apache-2.0
#include "publish/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "publish/shares.h"

namespace discreet::publish {
namespace {

std::size_t index_of(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The children of every node of a level, as [begin, end) of `order`.
struct Children {
  std::vector<std::int64_t> order;
  std::vector<std::size_t> begin;

  Children(const std::vector<std::int64_t>& parents, std::int64_t nodes)
      : order(parents.size()), begin(index_of(nodes) + 1, 0) {
    for (const std::int64_t p : parents) ++begin[index_of(p) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < parents.size(); ++i) {
      order[next[index_of(parents[i])]++] = static_cast<std::int64_t>(i);
    }
  }
};

}  // namespace

std::int64_t Hierarchy::nodes(std::size_t level) const {
  if (level == 0) return 1;
  return static_cast<std::int64_t>(parents[level - 1].size());
}

TreeFit::TreeFit(const Hierarchy& tree, std::vector<double> precisions, FixedAreas fixed)
    : tree_(tree),
      precisions_(std::move(precisions)),
      fixed_(std::move(fixed)),
      u_(tree.levels()),
      sums_(tree.levels()),
      response_(tree.levels()),
      within_(tree.levels()) {
  const std::size_t last = tree.levels() - 1;
  u_[last].assign(index_of(tree.nodes(last)), 1 / precisions_[last]);
  for (std::size_t l = last; l-- > 0;) {
    sums_[l].assign(index_of(tree.nodes(l)), 0);
    for (std::size_t i = 0; i < tree.parents[l].size(); ++i) {
      sums_[l][index_of(tree.parents[l][i])] += u_[l + 1][i];
    }
    u_[l].resize(sums_[l].size());
    for (std::size_t i = 0; i < u_[l].size(); ++i) {
      u_[l][i] = sums_[l][i] / (1 + precisions_[l] * sums_[l][i]);
    }
    for (const auto& [node, value] : fixed_) {
      if (node.first == l) u_[l][index_of(node.second)] = 0;
    }
  }
  response_[0] = {1};
  within_[0] = {0};
  for (std::size_t l = 0; l < last; ++l) {
    const std::size_t nodes = tree.parents[l].size();
    response_[l + 1].resize(nodes);
    within_[l + 1].resize(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t p = index_of(tree.parents[l][i]);
      const double own = u_[l + 1][i];
      // Nothing is left to share where all children are given.
      const double share = sums_[l][p] > 0 ? own / sums_[l][p] : 0;
      response_[l + 1][i] = share * response_[l][p];
      within_[l + 1][i] = own - own * share + share * share * within_[l][p];
    }
  }
}

LevelValues TreeFit::totals(const std::vector<double>& leaf_information) const {
  const std::size_t last = tree_.levels() - 1;
  LevelValues a(tree_.levels());
  a[last] = leaf_information;
  for (double& leaf : a[last]) leaf /= precisions_[last];
  for (std::size_t l = last; l-- > 0;) {
    a[l].assign(index_of(tree_.nodes(l)), 0);
    for (std::size_t i = 0; i < tree_.parents[l].size(); ++i) {
      a[l][index_of(tree_.parents[l][i])] += a[l + 1][i];
    }
    for (std::size_t i = 0; i < a[l].size(); ++i) a[l][i] /= 1 + precisions_[l] * sums_[l][i];
    for (const auto& [node, value] : fixed_) {
      if (node.first == l) a[l][index_of(node.second)] = value;
    }
  }
  return a;
}

LevelValues TreeFit::spread(const LevelValues& totals, double top) const {
  LevelValues out = totals;
  out[0][0] = top;
  for (std::size_t l = 0; l + 1 < tree_.levels(); ++l) {
    std::vector<double> rest = out[l];
    for (std::size_t i = 0; i < tree_.parents[l].size(); ++i) {
      rest[index_of(tree_.parents[l][i])] -= totals[l + 1][i];
    }
    for (std::size_t i = 0; i < tree_.parents[l].size(); ++i) {
      const std::size_t p = index_of(tree_.parents[l][i]);
      if (sums_[l][p] > 0) out[l + 1][i] += u_[l + 1][i] / sums_[l][p] * rest[p];
    }
  }
  return out;
}

LevelValues level_sums(const Hierarchy& tree, std::vector<double> leaves) {
  LevelValues out(tree.levels());
  out.back() = std::move(leaves);
  for (std::size_t l = tree.levels() - 1; l-- > 0;) {
    out[l].assign(index_of(tree.nodes(l)), 0);
    for (std::size_t i = 0; i < tree.parents[l].size(); ++i) {
      out[l][index_of(tree.parents[l][i])] += out[l + 1][i];
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
                            const FixedAreas& fixed, double top) {
  LevelValues out = estimate;
  const auto fixed_at = [&fixed](std::size_t l, std::int64_t i) {
    return fixed.empty() ? fixed.end() : fixed.find({l, i});
  };
  out[0][0] = top;
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
          out[l + 1][index_of(child)] = std::min(total, std::max(0.0, std::round(known->second)));
          total -= out[l + 1][index_of(child)];
        } else {
          open.push_back(child);
          values.push_back(estimate[l + 1][index_of(child)]);
        }
      }
      const std::vector<double> parts = whole_parts(std::move(values), total);
      for (std::size_t k = 0; k < open.size(); ++k) out[l + 1][index_of(open[k])] = parts[k];
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
  return descend(std::vector<double>(n, 1.0 / static_cast<double>(n)), 1.01, objective);
}

}  // namespace discreet::publish
