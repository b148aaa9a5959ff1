// SPDX-License-Identifier: Apache-2.0
#include "publish/design.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "accounting/zcdp.h"
#include "plan/members.h"
#include "publish/groups.h"
#include "publish/nonnegative.h"

namespace discreet::publish {
namespace {

using plan::PartKind;
using plan::TablePart;

/// What one row can add to a table.
std::int64_t largest_of(const WorkloadMeasure& measure) {
  return measure.weight ? measure.weight->largest : 1;
}

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

/// Blocks of numbers, one a cell of the sorted `by`, in the order of `by` as asked.
std::vector<double> in_groups_as_asked(const std::vector<Attribute>& attributes,
                                       const std::vector<std::size_t>& by,
                                       const std::vector<double>& blocks) {
  std::size_t groups = 1;
  for (const std::size_t axis : by) groups *= static_cast<std::size_t>(attributes[axis].values);
  Cells order(groups);
  std::iota(order.begin(), order.end(), 0.0);
  order = reordered(attributes, by, order);
  const std::size_t size = blocks.size() / groups;
  std::vector<double> out;
  out.reserve(blocks.size());
  for (const double group : order) {
    const auto from =
        blocks.begin() + static_cast<std::ptrdiff_t>(group) * static_cast<std::ptrdiff_t>(size);
    out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(size));
  }
  return out;
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
      double cells = 1;
      for (const std::size_t axis : table.axes) {
        cells *= static_cast<double>(workload.axes[axis].places());
      }
      roots += std::sqrt(cells);
      if (group.measure == 0) continue;
      out.tables[i].deviations.assign(static_cast<std::size_t>(cells),
                                      deviation(cell_variance(attributes, group.plan, table.set()),
                                                group.share, group.measure));
    }
    if (group.measure > 0) return;
    const double one = deviation(1, group.share, 0);
    out.bound = workload.objective == Objective::kTotal ? group.plan.bound * one * one : 0;
    out.independent = roots * roots * one * one;
  }

  void add_ranges(const AskedRanges& asked, const RangesGroup& group) {
    RangesDesign design{
        .mixed = group.mixed, .deviations = {}, .part = out.tabulation.parts.size()};
    TablePart part{.table = {.axes = asked.by},
                   .kind = design.mixed ? PartKind::kPrefix : PartKind::kCells,
                   .rho = part_of(rho, group.share)};
    part.table.axes.push_back(asked.axis);
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
      out.tabulation.parts.push_back(std::move(part));
    }
    out.hierarchies.push_back(std::move(design));
  }

  /// Puts together all that counts rows, and foresees its errors.
  Result<void> agree(const Groups& groups) {
    const double one = deviation(1, 1, 0);
    Measurements counts = groups.counts(workload, one * one);
    if (counts.residuals.empty() && counts.lines.empty() && counts.trees.empty()) return {};
    const std::vector<Attribute> attributes = workload.attributes();
    DISCREET_ASSIGN(Agreement made, Agreement::make(attributes, std::move(counts)));
    const auto roots = [](std::vector<double> variances) {
      for (double& variance : variances) variance = std::sqrt(variance);
      return variances;
    };
    for (std::size_t i = 0; i < workload.tables.size(); ++i) {
      const AskedTable& asked = workload.tables[i];
      if (asked.measure > 0) continue;
      const Cells variances = reordered(attributes, asked.axes, made.table_variances(asked.set()));
      out.total += std::accumulate(variances.begin(), variances.end(), 0.0);
      out.tables[i].deviations = roots(variances);
    }
    for (std::size_t i = 0; i < workload.ranges.size(); ++i) {
      const AskedRanges& asked = workload.ranges[i];
      out.ranges[i].deviations = roots(in_groups_as_asked(
          attributes, asked.by, made.line_variances(i, asked.kind == RangeKind::kRanges)));
    }
    for (std::size_t i = 0; i < workload.hierarchies.size(); ++i) {
      for (auto& level : made.tree_variances(i)) {
        out.hierarchies[i].deviations.push_back(roots(std::move(level)));
      }
    }
    out.counts = std::make_shared<const Agreement>(std::move(made));
    return {};
  }
};

double largest(const std::vector<double>& of) { return *std::max_element(of.begin(), of.end()); }

void find_worst(const Workload& workload, Design& out) {
  double worst = 0;
  for (std::size_t i = 0; i < workload.tables.size(); ++i) {
    if (workload.tables[i].measure == 0) worst = std::max(worst, largest(out.tables[i].deviations));
  }
  for (const RangesDesign& ranges : out.ranges) {
    worst = std::max(worst, largest(ranges.deviations));
  }
  for (const HierarchyDesign& hierarchy : out.hierarchies) {
    for (const auto& level : hierarchy.deviations) {
      worst = std::max(worst, largest(level));
    }
  }
  if (worst == 0) {
    for (const TableDesign& table : out.tables) worst = std::max(worst, largest(table.deviations));
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
  if (workload.nonnegative) DISCREET_TRY(check_whole(workload));
  DISCREET_ASSIGN(const Groups groups, plan_groups(workload));
  // The rho of so many units that move together grows with their square.
  const Rational share = rho / Rational(terms.moves * terms.moves);
  Designer designer{.workload = workload, .terms = terms, .rho = share};
  Design& out = designer.out;
  out.rho = rho;
  designer.price = share.to_double(Round::kDown);
  for (const WorkloadAxis& axis : workload.axes) out.tabulation.axes.push_back(axis.axis);
  for (std::size_t m = 1; m < workload.measures.size(); ++m) {
    out.tabulation.weights.push_back(*workload.measures[m].weight);
  }
  out.tables.resize(workload.tables.size());
  for (const MarginalGroup& group : groups.marginals) designer.add_tables(group);
  for (std::size_t i = 0; i < groups.ranges.size(); ++i) {
    designer.add_ranges(workload.ranges[i], groups.ranges[i]);
  }
  for (std::size_t i = 0; i < groups.hierarchies.size(); ++i) {
    designer.add_hierarchy(workload.hierarchies[i], groups.hierarchies[i]);
  }
  DISCREET_TRY(designer.agree(groups));
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
  if (one.worst_width == 0) {
    return invalid_input("every number that the workload asks for is an invariant; ask for others");
  }
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
  if (units.within) terms.moves = std::max(plan::kMovesOfAMember, units.within->members);
  return terms;
}

}  // namespace discreet::publish
