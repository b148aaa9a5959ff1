// SPDX-License-Identifier: Apache-2.0
#include "publish/design.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "accounting/zcdp.h"
#include "publish/nonnegative.h"
#include "publish/ranges.h"

namespace discreet::publish {
namespace {

using mechanism::Toeplitz;
using plan::PartKind;
using plan::TablePart;

/// What one row can add to a table.
std::int64_t largest_of(const WorkloadMeasure& measure) {
  return measure.weight ? measure.weight->largest : 1;
}

/// A group of the workload at price 1, in units of reach^2/2 (the variance of a count at rho 1).
struct Group {
  double objective = 0;
  double share = 0;
};

struct MarginalGroup : Group {
  std::size_t measure = 0;
  std::vector<std::size_t> tables;
  MarginalPlan plan;
};

/// A share of the price as a rational that is no larger.
Rational part_of(const Rational& rho, double share) {
  const auto billionths = static_cast<long>(std::floor(share * 1e15));
  return rho * Rational(Integer(std::max(1L, billionths))) /
         Rational(Integer(1'000'000'000'000'000));
}

Rational rational_up(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9e", value * (1 + 1e-9));
  return Rational::parse(text).value();
}

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

struct RangesGroup : Group {
  RangesDesign design;
  std::vector<double> variances;  ///< at price 1
};

RangesGroup plan_ranges(const Workload& workload, const AskedRanges& asked) {
  RangesGroup best;
  best.objective = HUGE_VAL;
  const std::int64_t places = workload.axes[asked.axis].places();
  for (const bool mixed : {false, true}) {
    const Toeplitz mixing = mixed ? Toeplitz::square_root(places) : Toeplitz::identity(places);
    RangesGroup group;
    group.design.mixed = mixed;
    group.design.rows = rows_of(workload, asked);
    group.design.series = running_sum_series(mixing);
    group.variances = range_variances(group.design.series, asked.kind);
    const double unit = static_cast<double>(mixing.unit());
    const double length = Rational(mixing.length_squared(1)).to_double(Round::kUp) / unit / unit;
    for (double& variance : group.variances) variance *= length;
    group.objective = objective_of(group.variances, static_cast<double>(group.design.rows),
                                   asked.weight, workload.objective);
    if (group.objective < best.objective) best = std::move(group);
  }
  return best;
}

struct HierarchyGroup : Group {
  std::vector<double> shares;
  LevelValues variances;  ///< at price 1
};

HierarchyGroup plan_hierarchy(const AskedHierarchy& asked, Objective objective) {
  HierarchyGroup group;
  group.shares = level_shares(asked.tree);
  std::vector<double> measured;
  for (const double share : group.shares) measured.push_back(1 / share);
  group.variances = hierarchy_variances(asked.tree, measured);
  // Levels count alike: each by its mean, as if it had as many areas as the last one.
  const double leaves = static_cast<double>(group.variances.back().size());
  for (const auto& level : group.variances) {
    const double mean =
        std::accumulate(level.begin(), level.end(), 0.0) / static_cast<double>(level.size());
    const double worst = *std::max_element(level.begin(), level.end());
    group.objective = objective == Objective::kTotal
                          ? group.objective + asked.weight * leaves * mean
                          : std::max(group.objective, worst / asked.weight);
  }
  return group;
}

/// Everything that is put together.
struct Designer {
  const Workload& workload;
  const Terms& terms;
  const Rational& rho;
  Design out = {};
  double price = 0;  // rho as a double

  /// The deviation of a number whose variance at price 1 is `variance`, of a group with a share.
  double deviation(double variance, double share, std::size_t measure) const {
    const WorkloadMeasure& m = workload.measures[measure];
    const double reach = static_cast<double>(terms.rows_per_unit * largest_of(m)) *
                         (terms.neighbours == Neighbours::kReplaceOne ? 2 : 1);
    return m.step * reach * std::sqrt(variance / (2 * price * share));
  }

  void add_tables(const MarginalGroup& group) {
    const std::vector<Attribute> attributes = workload.attributes();
    for (const auto& [set, variance] : group.plan.variances) {
      const double cost = precision_cost(attributes, set).to_double(Round::kUp);
      TablePart part{.table = {}, .kind = PartKind::kResidual, .rho = 0};
      part.rho = part_of(rho, group.share * cost / variance);
      for (const int axis : set) part.table.axes.push_back(static_cast<std::size_t>(axis));
      if (group.measure > 0) part.table.weight = group.measure - 1;
      out.tabulation.parts.push_back(std::move(part));
      out.residuals.emplace_back(group.measure, set);
    }
    double roots = 0;
    for (const std::size_t i : group.tables) {
      const AskedTable& table = workload.tables[i];
      TableDesign& design = out.tables[i];
      design.cells = 1;
      for (const std::size_t axis : table.axes) {
        design.cells *= static_cast<std::size_t>(workload.axes[axis].places());
      }
      design.deviation =
          deviation(cell_variance(attributes, group.plan, table.set()), group.share, group.measure);
      if (group.measure > 0) continue;
      out.total += static_cast<double>(design.cells) * design.deviation * design.deviation;
      roots += std::sqrt(static_cast<double>(design.cells));
    }
    if (group.measure > 0) return;
    const double one = deviation(1, group.share, 0);
    out.bound = workload.objective == Objective::kTotal ? group.plan.bound * one * one : 0;
    out.independent = roots * roots * one * one;
  }

  void add_ranges(const AskedRanges& asked, RangesGroup group) {
    RangesDesign design = std::move(group.design);
    design.part = out.tabulation.parts.size();
    TablePart part{.table = {.axes = asked.by},
                   .kind = design.mixed ? PartKind::kPrefix : PartKind::kCells,
                   .rho = part_of(rho, group.share)};
    part.table.axes.push_back(asked.axis);
    for (const double variance : group.variances) {
      design.deviations.push_back(deviation(variance, group.share, 0));
    }
    out.tabulation.parts.push_back(std::move(part));
    out.ranges.push_back(std::move(design));
  }

  void add_hierarchy(const AskedHierarchy& asked, const HierarchyGroup& group) {
    HierarchyDesign design;
    design.first_part = out.tabulation.parts.size();
    const std::size_t levels = asked.tree.levels();
    // The node of each level that holds a leaf, from the last level upwards.
    std::vector<std::vector<std::uint32_t>> holds(levels);
    for (std::int64_t i = 0; i < asked.tree.nodes(levels - 1); ++i) {
      holds[levels - 1].push_back(static_cast<std::uint32_t>(i));
    }
    for (std::size_t l = levels - 1; l-- > 0;) {
      for (const std::uint32_t below : holds[l + 1]) {
        holds[l].push_back(static_cast<std::uint32_t>(asked.tree.parents[l][below]));
      }
    }
    for (std::size_t l = 0; l < levels; ++l) {
      TablePart part{.table = {},
                     .kind = PartKind::kCells,
                     .rho = part_of(rho, group.share * group.shares[l])};
      if (l + 1 == levels) {
        part.table.axes = {asked.axis};
      } else if (l > 0) {
        mechanism::Axis axis = workload.axes[asked.axis].axis;
        axis.places = asked.tree.nodes(l);
        axis.groups = std::move(holds[l]);
        part.table.axes = {out.tabulation.axes.size()};
        out.tabulation.axes.push_back(std::move(axis));
      }
      const double one = deviation(1 / group.shares[l], group.share, 0);
      design.variances.push_back(one * one);
      out.tabulation.parts.push_back(std::move(part));
    }
    for (const auto& level : group.variances) {
      auto& deviations = design.deviations.emplace_back();
      for (const double variance : level) {
        deviations.push_back(deviation(variance, group.share, 0));
      }
    }
    out.hierarchies.push_back(std::move(design));
  }
};

void find_worst(const Workload& workload, Design& out) {
  double worst = 0;
  for (std::size_t i = 0; i < workload.tables.size(); ++i) {
    if (workload.tables[i].measure == 0) worst = std::max(worst, out.tables[i].deviation);
  }
  for (const RangesDesign& ranges : out.ranges) {
    worst = std::max(worst, *std::max_element(ranges.deviations.begin(), ranges.deviations.end()));
  }
  for (const HierarchyDesign& hierarchy : out.hierarchies) {
    for (const auto& level : hierarchy.deviations) {
      worst = std::max(worst, *std::max_element(level.begin(), level.end()));
    }
  }
  if (worst == 0) {
    for (const TableDesign& table : out.tables) worst = std::max(worst, table.deviation);
  }
  out.worst_width = worst * normal_width(workload.confidence);
}

}  // namespace

double normal_width(double confidence) {
  // Halving: erfc falls, and is exact to a few units in the last place.
  double low = 0;
  double high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > 1 - confidence ? low : high) = middle;
  }
  return high;
}

Result<Design> design_at(const Workload& workload, const Terms& terms, const Rational& rho) {
  if (workload.nonnegative) DISCREET_TRY(check_joint(workload));
  DISCREET_ASSIGN(std::vector<MarginalGroup> marginals, plan_tables(workload));
  std::vector<RangesGroup> ranges;
  for (const AskedRanges& asked : workload.ranges) ranges.push_back(plan_ranges(workload, asked));
  std::vector<HierarchyGroup> hierarchies;
  for (const AskedHierarchy& asked : workload.hierarchies) {
    hierarchies.push_back(plan_hierarchy(asked, workload.objective));
  }
  std::vector<Group*> groups;
  for (auto& group : marginals) groups.push_back(&group);
  for (auto& group : ranges) groups.push_back(&group);
  for (auto& group : hierarchies) groups.push_back(&group);
  if (groups.empty()) return invalid_input("the workload asks for nothing; name a table");
  double sum = 0;
  for (Group* group : groups) {
    group->share =
        workload.objective == Objective::kTotal ? std::sqrt(group->objective) : group->objective;
    sum += group->share;
  }
  for (Group* group : groups) group->share /= sum;

  Designer designer{.workload = workload, .terms = terms, .rho = rho};
  Design& out = designer.out;
  out.rho = rho;
  designer.price = rho.to_double(Round::kDown);
  for (const WorkloadAxis& axis : workload.axes) out.tabulation.axes.push_back(axis.axis);
  for (std::size_t m = 1; m < workload.measures.size(); ++m) {
    out.tabulation.weights.push_back(*workload.measures[m].weight);
  }
  out.tables.resize(workload.tables.size());
  for (const MarginalGroup& group : marginals) designer.add_tables(group);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    designer.add_ranges(workload.ranges[i], std::move(ranges[i]));
  }
  for (std::size_t i = 0; i < hierarchies.size(); ++i) {
    designer.add_hierarchy(workload.hierarchies[i], hierarchies[i]);
  }
  find_worst(workload, out);
  return std::move(out);
}

Result<Design> design(const Workload& workload, const Terms& terms) {
  const WorkloadPrice& price = workload.price;
  if (price.rho) return design_at(workload, terms, *price.rho);
  if (price.epsilon) {
    const Rational rho = accounting::zcdp_rho_for(*price.epsilon, price.delta);
    if (rho.sign() <= 0) return invalid_input("no rho gives this epsilon at this delta");
    return design_at(workload, terms, rho);
  }
  // Deviations go with 1/sqrt(rho).
  DISCREET_ASSIGN(const Design one, design_at(workload, terms, 1));
  const double root = one.worst_width / *price.error;
  return design_at(workload, terms, rational_up(root * root));
}

Result<Terms> terms_of(const Workload& workload, const policy::Policy& policy) {
  const policy::Table& table = *policy.find(workload.table);
  const policy::Units& units = policy.units.at(table.unit->space);
  if (units.notion != policy::Notion::kZcdp) {
    return Error{Code::kRefused,
                 "publications are priced in zcdp, and " + in_quotes(units.name) + " counts in " +
                     policy::to_string(units.notion) +
                     "; declare notion: zcdp for the namespace when its ledger is made"};
  }
  Terms terms;
  terms.neighbours = units.neighbours;
  terms.rows_per_unit = workload.rows_per_unit.value_or(table.bounds.rows_per_unit_and_group);
  if (table.rows_max) terms.rows_per_unit = std::min(terms.rows_per_unit, *table.rows_max);
  if (table.unit->row_is_unit) terms.rows_per_unit = 1;
  return terms;
}

}  // namespace discreet::publish
