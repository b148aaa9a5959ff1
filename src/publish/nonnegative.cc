// SPDX-License-Identifier: Apache-2.0
#include "publish/nonnegative.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace discreet::publish {
namespace {

constexpr int kSweepsMax = 200;

/// Targets that are bound to each other by their columns.
struct Component {
  std::set<int> axes = {};
  std::vector<std::size_t> targets = {};
};

std::vector<Component> components_of(const std::vector<WholeTarget>& targets) {
  std::vector<Component> out;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    Component own{.axes = {targets[i].set.begin(), targets[i].set.end()}, .targets = {i}};
    for (std::size_t k = 0; k < out.size();) {
      const bool meets = std::any_of(own.axes.begin(), own.axes.end(),
                                     [&](int axis) { return out[k].axes.contains(axis); });
      if (!meets) {
        ++k;
        continue;
      }
      own.axes.insert(out[k].axes.begin(), out[k].axes.end());
      own.targets.insert(own.targets.end(), out[k].targets.begin(), out[k].targets.end());
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(k));
    }
    out.push_back(std::move(own));
  }
  return out;
}

bool is_tree_alone(const Component& component, const std::vector<WholeTarget>& targets) {
  return component.targets.size() == 1 && targets[component.targets[0]].tree != nullptr;
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

/// A coarser table of a target: intervals of a line, or the areas of a level.
struct Coarse {
  std::vector<std::uint32_t> place;  // of the target's cells
  std::size_t places = 0;
};

std::vector<Coarse> coarse_of(const std::vector<Attribute>& attributes, const WholeTarget& target) {
  std::vector<Coarse> out;
  const std::size_t cells = target.cells.size();
  if (target.tree != nullptr) {
    std::vector<std::uint32_t> holder(cells);
    std::iota(holder.begin(), holder.end(), 0U);
    for (std::size_t l = target.tree->levels() - 1; l-- > 1;) {
      for (std::uint32_t& node : holder) {
        node = static_cast<std::uint32_t>(target.tree->parents[l][node]);
      }
      out.push_back({holder, static_cast<std::size_t>(target.tree->nodes(l))});
    }
  }
  if (target.line >= 0) {
    // Intervals of 2, 4, 8, .. places: every running sum is a sum of few of them.
    std::size_t inner = 1;
    for (const int axis : target.set) {
      if (axis > target.line) {
        inner *= static_cast<std::size_t>(attributes[static_cast<std::size_t>(axis)].values);
      }
    }
    const auto n =
        static_cast<std::size_t>(attributes[static_cast<std::size_t>(target.line)].values);
    for (std::size_t width = 2; width < n; width *= 2) {
      const std::size_t fewer = (n + width - 1) / width;
      Coarse coarse{std::vector<std::uint32_t>(cells), cells / n * fewer};
      for (std::size_t c = 0; c < cells; ++c) {
        coarse.place[c] = static_cast<std::uint32_t>(
            (c / (n * inner) * fewer + c / inner % n / width) * inner + c % inner);
      }
      out.push_back(std::move(coarse));
    }
  }
  return out;
}

/// Rounds in the order of the cells so that every running sum is off by less than 1: sums over
/// the last axes stay near.
void round_along(std::vector<double>& cells, double total) {
  const double sum = std::accumulate(cells.begin(), cells.end(), 0.0);
  if (sum <= 0) {
    std::fill(cells.begin(), cells.end(), 0.0);
    cells.at(0) = total;
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

/// Least squares over a joint table without negative cells, by projected gradients with momentum:
/// what every target is off by is spread evenly over the cells that make it up.
class Joint {
 public:
  Joint(const std::vector<Attribute>& attributes, const std::vector<WholeTarget>& targets,
        const Component& component) {
    const AttributeSet joint(component.axes.begin(), component.axes.end());
    for (const int axis : joint) {
      cells_ *= static_cast<std::size_t>(attributes[static_cast<std::size_t>(axis)].values);
    }
    for (const std::size_t i : component.targets) {
      fits_.push_back({&targets[i], places_in(attributes, joint, targets[i].set, cells_),
                       coarse_of(attributes, targets[i])});
      parts_ += 1 + fits_.back().coarse.size();
    }
  }

  /// Each target's whole cells.
  std::vector<Cells> solve(double total) const {
    std::vector<double> x(cells_, total / static_cast<double>(cells_));
    std::vector<double> before = x;
    std::vector<double> at = x;
    double momentum = 1;
    for (int i = 0; i < kSweepsMax; ++i) {
      std::vector<double> next = at;
      for (const Fit& fit : fits_) {
        const std::vector<double> step = correction(fit, at);
        for (std::size_t c = 0; c < cells_; ++c) next[c] += step[fit.places[c]];
      }
      for (double& cell : next) cell = std::max(0.0, cell);
      const double grown = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
      before = std::exchange(x, std::move(next));
      for (std::size_t c = 0; c < cells_; ++c) {
        at[c] = x[c] + (momentum - 1) / grown * (x[c] - before[c]);
      }
      momentum = grown;
    }
    round_along(x, total);
    std::vector<Cells> out;
    for (const Fit& fit : fits_) out.push_back(margin(fit, x));
    return out;
  }

 private:
  struct Fit {
    const WholeTarget* target;
    std::vector<std::uint32_t> places;
    std::vector<Coarse> coarse;
  };

  Cells margin(const Fit& fit, const std::vector<double>& x) const {
    Cells out(fit.target->cells.size(), 0);
    for (std::size_t c = 0; c < cells_; ++c) out[fit.places[c]] += x[c];
    return out;
  }
  std::vector<double> correction(const Fit& fit, const std::vector<double>& x) const {
    Cells off = fit.target->cells;
    const Cells now = margin(fit, x);
    for (std::size_t c = 0; c < off.size(); ++c) off[c] -= now[c];
    const double step = 1 / static_cast<double>(parts_ * cells_);
    std::vector<double> out(off.size());
    for (std::size_t c = 0; c < off.size(); ++c) {
      out[c] = step * static_cast<double>(off.size()) * off[c];
    }
    for (const Coarse& coarse : fit.coarse) {
      std::vector<double> sums(coarse.places, 0);
      for (std::size_t c = 0; c < off.size(); ++c) sums[coarse.place[c]] += off[c];
      for (std::size_t c = 0; c < off.size(); ++c) {
        out[c] += step * static_cast<double>(coarse.places) * sums[coarse.place[c]];
      }
    }
    return out;
  }

  std::size_t cells_ = 1;
  std::size_t parts_ = 0;
  std::vector<Fit> fits_;
};

}  // namespace

std::vector<WholeTarget> whole_targets(const Workload& workload) {
  std::vector<WholeTarget> out;
  for (const AskedTable& table : workload.tables) {
    if (table.measure == 0) out.push_back({.set = table.set()});
  }
  for (const AskedRanges& ranges : workload.ranges) {
    AttributeSet set(ranges.by.begin(), ranges.by.end());
    set.push_back(static_cast<int>(ranges.axis));
    std::sort(set.begin(), set.end());
    out.push_back({.set = std::move(set), .line = static_cast<int>(ranges.axis)});
  }
  for (const AskedHierarchy& hierarchy : workload.hierarchies) {
    out.push_back({.set = {static_cast<int>(hierarchy.axis)},
                   .tree = &hierarchy.tree,
                   .fixed = workload.fixed_areas(hierarchy)});
  }
  return out;
}

Result<void> check_whole(const Workload& workload) {
  const std::vector<WholeTarget> targets = whole_targets(workload);
  for (const Component& component : components_of(targets)) {
    if (is_tree_alone(component, targets)) continue;
    Integer cells = 1;
    for (const int axis : component.axes) {
      cells *= Integer(workload.axes[static_cast<std::size_t>(axis)].places());
    }
    if (cells > kJointMax) {
      return invalid_input(
          "nonnegative numbers that agree are sums of one joint table, and the columns that hang "
          "together have " +
          cells.get_str() +
          " cells, more than 4194304; ask for fewer columns or wider bins, or leave nonnegative "
          "out");
    }
    for (const std::size_t i : component.targets) {
      if (targets[i].fixed.empty()) continue;
      return invalid_input(
          "areas below the top are invariants, and their column stands in tables or ranges too; "
          "nonnegative numbers cannot keep both: leave one of the three out");
    }
  }
  return {};
}

std::vector<Cells> whole_counts(const std::vector<Attribute>& attributes,
                                const std::vector<WholeTarget>& targets, double total) {
  std::vector<Cells> out(targets.size());
  for (const Component& component : components_of(targets)) {
    const WholeTarget& first = targets[component.targets[0]];
    if (is_tree_alone(component, targets)) {
      out[component.targets[0]] =
          whole_hierarchy(*first.tree, level_sums(*first.tree, first.cells), first.fixed, total)
              .back();
      continue;
    }
    std::vector<Cells> solved = Joint(attributes, targets, component).solve(total);
    for (std::size_t k = 0; k < solved.size(); ++k) {
      out[component.targets[k]] = std::move(solved[k]);
    }
  }
  return out;
}

}  // namespace discreet::publish
