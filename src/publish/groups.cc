// SPDX-License-Identifier: Apache-2.0
#include "publish/groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "publish/ranges.h"
#include "publish/shares.h"

namespace discreet::publish {
namespace {

using mechanism::Toeplitz;

constexpr std::size_t kSearchedCells = 100'000;  // above, the shares stay where they begin
constexpr std::size_t kSearchedGroups = 32;
constexpr std::int64_t kSearchedPlaces = 128;  // of an axis that has ranges
constexpr double kSteps = 1'024;               // shares end on a grid: a plan is the same anywhere

Result<std::vector<MarginalGroup>> plan_tables(const Workload& workload) {
  std::vector<MarginalGroup> groups;
  const std::vector<Attribute> attributes = workload.attributes();
  for (std::size_t m = 0; m < workload.measures.size(); ++m) {
    MarginalGroup group;
    group.measure = m;
    std::vector<Marginal> marginals;
    for (std::size_t i = 0; i < workload.tables.size(); ++i) {
      if (workload.tables[i].measure != m) continue;
      group.tables.push_back(i);
      marginals.push_back({workload.tables[i].set(), workload.tables[i].weight});
    }
    if (marginals.empty()) continue;
    DISCREET_ASSIGN(group.plan, plan_marginals(attributes, marginals, workload.objective));
    group.objective = group.plan.objective;
    groups.push_back(std::move(group));
  }
  return groups;
}

std::size_t rows_of(const Workload& workload, const AskedRanges& ranges) {
  std::size_t rows = 1;
  for (const std::size_t axis : ranges.by) {
    rows *= static_cast<std::size_t>(workload.axes[axis].places());
  }
  return rows;
}

/// Variances of what is published, in units of the entries' variance over Q^2.
std::vector<double> range_variances(const std::vector<double>& series, RangeKind kind) {
  if (kind == RangeKind::kPrefix) return running_sum_variances(series);
  std::vector<double> out;
  const auto n = static_cast<std::int64_t>(series.size());
  for (std::int64_t from = 0; from < n; ++from) {
    for (std::int64_t to = from; to < n; ++to) {
      out.push_back(range_variance(series, from, to));
    }
  }
  return out;
}

double objective_of(const std::vector<double>& variances, double rows, double weight,
                    Objective objective) {
  if (objective == Objective::kWorst) {
    return *std::max_element(variances.begin(), variances.end()) / weight;
  }
  return weight * rows * std::accumulate(variances.begin(), variances.end(), 0.0);
}

RangesGroup plan_ranges(const Workload& workload, const AskedRanges& asked) {
  RangesGroup best;
  best.objective = HUGE_VAL;
  const std::int64_t places = workload.axes[asked.axis].places();
  for (const bool mixed : {false, true}) {
    const Toeplitz mixing = mixed ? Toeplitz::square_root(places) : Toeplitz::identity(places);
    RangesGroup group;
    group.mixed = mixed;
    const double unit = static_cast<double>(mixing.unit());
    group.entry = Rational(mixing.length_squared(1)).to_double(Round::kUp) / unit / unit;
    std::vector<double> variances = range_variances(running_sum_series(mixing), asked.kind);
    for (double& variance : variances) variance *= group.entry;
    group.objective = objective_of(variances, static_cast<double>(rows_of(workload, asked)),
                                   asked.weight, workload.objective);
    if (group.objective < best.objective) best = std::move(group);
  }
  return best;
}

HierarchyGroup plan_hierarchy(const AskedHierarchy& asked, Objective objective) {
  HierarchyGroup group;
  group.shares = level_shares(asked.tree);
  const TreeFit fit(asked.tree, group.shares, {});
  // Levels count alike: each by its mean, as if it had as many areas as the last one.
  const double leaves = static_cast<double>(fit.within().back().size());
  for (std::size_t l = 0; l < asked.tree.levels(); ++l) {
    double sum = 0;
    double worst = 0;
    for (std::size_t i = 0; i < fit.within()[l].size(); ++i) {
      const double moved = fit.response()[l][i];
      const double variance = fit.within()[l][i] + moved * moved * fit.total_variance();
      sum += variance;
      worst = std::max(worst, variance);
    }
    const double mean = sum / static_cast<double>(fit.within()[l].size());
    group.objective = objective == Objective::kTotal
                          ? group.objective + asked.weight * leaves * mean
                          : std::max(group.objective, worst / asked.weight);
  }
  return group;
}

AttributeSet set_of(const std::vector<std::size_t>& axes) {
  AttributeSet set(axes.begin(), axes.end());
  std::sort(set.begin(), set.end());
  return set;
}

/// The error of everything at these shares: of counts together, of each sum apart.
Result<double> error_of(const Workload& workload, const Groups& groups) {
  const bool total = workload.objective == Objective::kTotal;
  double out = 0;
  const auto add = [&](double sum, double largest, double weight) {
    out = total ? out + weight * sum : std::max(out, largest / weight);
  };
  const auto add_all = [&](const std::vector<double>& variances, double weight) {
    add(std::accumulate(variances.begin(), variances.end(), 0.0),
        *std::max_element(variances.begin(), variances.end()), weight);
  };
  for (const MarginalGroup& group : groups.marginals) {
    if (group.measure > 0) add(group.objective / group.share, group.objective / group.share, 1);
  }
  // Invariants come after the measurement: what is measured does not depend on them.
  Measurements measured = groups.counts(workload, 1);
  measured.total.reset();
  for (MeasuredTree& tree : measured.trees) tree.fixed.clear();
  DISCREET_ASSIGN(const Agreement counts,
                  Agreement::make(workload.attributes(), std::move(measured)));
  for (const AskedTable& table : workload.tables) {
    if (table.measure == 0) add_all(counts.table_variances(table.set()), table.weight);
  }
  for (std::size_t i = 0; i < workload.ranges.size(); ++i) {
    add_all(counts.line_variances(i, workload.ranges[i].kind == RangeKind::kRanges),
            workload.ranges[i].weight);
  }
  for (std::size_t i = 0; i < workload.hierarchies.size(); ++i) {
    const LevelValues levels = counts.tree_variances(i);
    const double leaves = static_cast<double>(levels.back().size());
    for (const std::vector<double>& level : levels) {
      const double sum = std::accumulate(level.begin(), level.end(), 0.0);
      add(sum * leaves / static_cast<double>(level.size()),
          *std::max_element(level.begin(), level.end()), workload.hierarchies[i].weight);
    }
  }
  return out;
}

bool is_small(const Workload& workload) {
  std::size_t cells = 0;
  for (const AskedTable& table : workload.tables) {
    std::size_t own = 1;
    for (const std::size_t axis : table.axes) {
      own *= static_cast<std::size_t>(workload.axes[axis].places());
    }
    cells += own;
  }
  for (const AskedRanges& ranges : workload.ranges) {
    const std::int64_t places = workload.axes[ranges.axis].places();
    if (places > kSearchedPlaces) return false;
    cells += rows_of(workload, ranges) * static_cast<std::size_t>(places * places);
  }
  for (const AskedHierarchy& hierarchy : workload.hierarchies) {
    cells += static_cast<std::size_t>(workload.axes[hierarchy.axis].places());
  }
  return cells <= kSearchedCells;
}

/// From the shares that would be best if nothing were shared.
Result<void> improve(const Workload& workload, Groups& groups) {
  const std::vector<Group*> all = groups.all();
  std::vector<double> start;
  for (const Group* group : all) start.push_back(group->share);
  std::optional<Error> failed;
  const std::vector<double> best = descend(start, 1.1, [&](const std::vector<double>& shares) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i]->share = shares[i];
    const Result<double> error = error_of(workload, groups);
    if (!error) failed = error.error();
    return error ? *error : HUGE_VAL;
  });
  if (failed) return *failed;
  // On the grid; the largest takes what is left over.
  const auto largest = std::max_element(best.begin(), best.end()) - best.begin();
  double left = kSteps;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double steps = std::max(1.0, std::floor(best[i] * kSteps));
    all[i]->share = steps / kSteps;
    if (static_cast<std::ptrdiff_t>(i) != largest) left -= steps;
  }
  all[static_cast<std::size_t>(largest)]->share = left / kSteps;  // at least 1/32 of all
  return {};
}

}  // namespace

std::vector<Group*> Groups::all() {
  std::vector<Group*> out;
  for (auto& group : marginals) out.push_back(&group);
  for (auto& group : ranges) out.push_back(&group);
  for (auto& group : hierarchies) out.push_back(&group);
  return out;
}

Measurements Groups::counts(const Workload& workload, double unit) const {
  Measurements out;
  out.total = workload.fixed_total();
  for (const MarginalGroup& group : marginals) {
    if (group.measure > 0) continue;
    for (const auto& [set, variance] : group.plan.variances) {
      out.residuals[set] = unit * variance / group.share;
    }
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const AskedRanges& asked = workload.ranges[i];
    out.lines.push_back({.by = set_of(asked.by),
                         .axis = static_cast<int>(asked.axis),
                         .mixed = ranges[i].mixed,
                         .variance = unit * ranges[i].entry / ranges[i].share});
  }
  for (std::size_t i = 0; i < hierarchies.size(); ++i) {
    const AskedHierarchy& asked = workload.hierarchies[i];
    MeasuredTree tree{.axis = static_cast<int>(asked.axis),
                      .tree = &asked.tree,
                      .variances = {},
                      .fixed = workload.fixed_areas(asked)};
    for (const double level : hierarchies[i].shares) {
      tree.variances.push_back(unit / (level * hierarchies[i].share));
    }
    out.trees.push_back(std::move(tree));
  }
  return out;
}

Result<Groups> plan_groups(const Workload& workload) {
  Groups out;
  DISCREET_ASSIGN(out.marginals, plan_tables(workload));
  for (const AskedRanges& asked : workload.ranges) {
    out.ranges.push_back(plan_ranges(workload, asked));
  }
  for (const AskedHierarchy& asked : workload.hierarchies) {
    out.hierarchies.push_back(plan_hierarchy(asked, workload.objective));
  }
  const std::vector<Group*> all = out.all();
  if (all.empty()) return invalid_input("the workload asks for nothing; name a table");
  double sum = 0;
  for (Group* group : all) {
    group->share =
        workload.objective == Objective::kTotal ? std::sqrt(group->objective) : group->objective;
    sum += group->share;
  }
  for (Group* group : all) group->share /= sum;
  const bool counts_alone =
      workload.ranges.empty() && workload.hierarchies.empty();  // sums share nothing
  if (all.size() > 1 && all.size() <= kSearchedGroups && !counts_alone && is_small(workload)) {
    DISCREET_TRY(improve(workload, out));
  }
  return out;
}

}  // namespace discreet::publish
