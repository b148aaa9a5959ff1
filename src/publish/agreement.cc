// SPDX-License-Identifier: Apache-2.0
#include "publish/agreement.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "publish/ranges.h"

namespace discreet::publish {
namespace {

using mechanism::Toeplitz;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

AttributeSet with(AttributeSet set, int axis) {
  set.insert(std::upper_bound(set.begin(), set.end(), axis), axis);
  return set;
}

AttributeSet without(AttributeSet set, int axis) {
  set.erase(std::find(set.begin(), set.end(), axis));
  return set;
}

/// The members of `set` that a mask names.
AttributeSet chosen(const AttributeSet& set, std::size_t mask) {
  AttributeSet out;
  for (std::size_t bit = 0; bit < set.size(); ++bit) {
    if (mask >> bit & 1) out.push_back(set[bit]);
  }
  return out;
}

template <class F>
void for_each_mask(const AttributeSet& set, F f) {
  for (std::size_t mask = 0; mask < std::size_t{1} << set.size(); ++mask) f(chosen(set, mask));
}

/// Cells along one axis of a table: those after it vary faster.
struct Strides {
  std::size_t outer = 1, n = 1, inner = 1;

  Strides(const std::vector<Attribute>& attributes, const AttributeSet& set, int axis) {
    for (const int each : set) {
      const auto values = at(attributes[at(each)].values);
      if (each < axis) outer *= values;
      if (each == axis) n = values;
      if (each > axis) inner *= values;
    }
  }
  std::size_t place(std::size_t o, std::size_t j, std::size_t i) const {
    return (o * n + j) * inner + i;
  }
};

template <class F>
void each_fibre(const Strides& strides, F f) {
  for (std::size_t o = 0; o < strides.outer; ++o) {
    for (std::size_t i = 0; i < strides.inner; ++i) f(o, i);
  }
}

/// Sums over the axes of `from` that are not in `to`.
Cells margin(const std::vector<Attribute>& attributes, const AttributeSet& from,
             const AttributeSet& to, Cells cells) {
  AttributeSet now = from;
  for (const int axis : from) {
    if (std::binary_search(to.begin(), to.end(), axis)) continue;
    const Strides strides(attributes, now, axis);
    Cells less(strides.outer * strides.inner, 0);
    each_fibre(strides, [&](std::size_t o, std::size_t i) {
      for (std::size_t j = 0; j < strides.n; ++j) {
        less[o * strides.inner + i] += cells[strides.place(o, j, i)];
      }
    });
    cells = std::move(less);
    now = without(now, axis);
  }
  return cells;
}

/// Takes the mean out along one axis.
void centre(const std::vector<Attribute>& attributes, const AttributeSet& set, int axis,
            Cells& cells) {
  const Strides strides(attributes, set, axis);
  each_fibre(strides, [&](std::size_t o, std::size_t i) {
    double mean = 0;
    for (std::size_t j = 0; j < strides.n; ++j) mean += cells[strides.place(o, j, i)];
    mean /= static_cast<double>(strides.n);
    for (std::size_t j = 0; j < strides.n; ++j) cells[strides.place(o, j, i)] -= mean;
  });
}

/// C'y/Q^2 for y in rows, that is C'(y Q)/Q^2.
std::vector<double> transposed(const std::vector<double>& mixing, std::vector<double> y) {
  std::reverse(y.begin(), y.end());
  std::vector<double> out = series_product(mixing, y, y.size());
  std::reverse(out.begin(), out.end());
  return out;
}

std::vector<double> mixing_series(std::size_t places) {
  const Toeplitz mixing = Toeplitz::square_root(static_cast<std::int64_t>(places));
  std::vector<double> out;
  for (const std::int64_t c : mixing.coefficients()) {
    out.push_back(static_cast<double>(c) / static_cast<double>(mixing.unit()));
  }
  return out;
}

}  // namespace

double Agreement::spread_over(const AttributeSet& all, const AttributeSet& set) const {
  double cells = 1;
  for (const int axis : all) {
    if (!std::binary_search(set.begin(), set.end(), axis)) {
      cells *= static_cast<double>(attributes_[at(axis)].values);
    }
  }
  return cells;
}

Result<Agreement> Agreement::make(std::vector<Attribute> attributes, Measurements measurements) {
  Agreement out;
  out.attributes_ = std::move(attributes);
  out.measurements_ = std::move(measurements);
  for (const auto& [set, variance] : out.measurements_.residuals) {
    out.nodes_[set].precision = 1 / variance;
  }
  DISCREET_TRY(out.add_lines());
  for (auto& [set, node] : out.nodes_) {
    node.cost = precision_cost(out.attributes_, set).to_double(Round::kUp);
    out.order_.push_back(set);
  }
  std::stable_sort(out.order_.begin(), out.order_.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  DISCREET_TRY(out.eliminate());
  return out;
}

Result<void> Agreement::add_lines() {
  std::optional<Error> crossed;
  for (std::size_t i = 0; i < measurements_.lines.size(); ++i) {
    const MeasuredLine& line = measurements_.lines[i];
    for_each_mask(line.by, [&](const AttributeSet& set) {
      nodes_[set];
      Node& node = nodes_[with(set, line.axis)];
      if (node.axis >= 0 && node.axis != line.axis) {
        const std::string& one = attributes_[at(line.axis)].name;
        const std::string& other = attributes_[at(node.axis)].name;
        crossed = invalid_input("the workload asks for ranges of " + in_quotes(one) + " by " +
                                in_quotes(other) + " and of " + in_quotes(other) + " by " +
                                in_quotes(one) +
                                "; leave one of the two out, or ask for it in another workload");
      }
      node.axis = line.axis;
      node.lines.push_back(i);
    });
  }
  if (crossed) return *crossed;
  for (const MeasuredTree& tree : measurements_.trees) {
    nodes_[{}];
    nodes_[{tree.axis}].axis = tree.axis;
  }
  return {};
}

Result<void> Agreement::fit(const AttributeSet& set, Node& node) {
  const Attribute& attribute = attributes_[at(node.axis)];
  LineMeasurements known{.places = at(attribute.values), .residual = node.precision};
  for (const std::size_t i : node.lines) {
    const MeasuredLine& line = measurements_.lines[i];
    const double cells = spread_over(line.by, without(set, node.axis));
    (line.mixed ? known.mixed : known.direct) += 1 / (line.variance * cells);
  }
  std::size_t trees = 0;
  bool fixed = false;
  for (std::size_t i = 0; set.size() == 1 && i < measurements_.trees.size(); ++i) {
    const MeasuredTree& tree = measurements_.trees[i];
    if (tree.axis != node.axis) continue;
    std::vector<double> precisions;
    for (const double variance : tree.variances) precisions.push_back(1 / variance);
    known.trees.emplace_back(tree.tree, std::move(precisions));
    node.which_tree = i;
    fixed = fixed || !tree.fixed.empty();
    ++trees;
  }
  if (trees == 1 && node.lines.empty()) {
    // P = I - J/n: the residual is as much more on the leaves, and less at the top.
    std::vector<double> precisions = known.trees[0].second;
    precisions.back() += node.precision;
    precisions.front() -= node.precision / static_cast<double>(attribute.values);
    node.tree = std::make_shared<TreeFit>(*known.trees[0].first, std::move(precisions),
                                          measurements_.trees[node.which_tree].fixed);
    return {};
  }
  if (fixed) {
    return invalid_input("areas of column " + in_quotes(attribute.name) +
                         " are invariants, and the workload asks for ranges or a second hierarchy "
                         "of it; ask for them in another workload");
  }
  const bool mixed_alone = known.direct == 0 && known.residual == 0 && trees == 0;
  if (known.places > kDenseMax && !(mixed_alone && known.mixed > 0)) {
    return invalid_input(
        "column " + in_quotes(attribute.name) + " has " + std::to_string(known.places) +
        " places, and the workload asks for ranges of it beside tables or areas; "
        "to agree they may have at most " +
        std::to_string(kDenseMax) + ": give it wider bins under columns, or ask in two workloads");
  }
  node.line = fit_line(known);
  return {};
}

Result<void> Agreement::eliminate() {
  for (const AttributeSet& set : order_) {
    Node& node = nodes_.at(set);
    if (node.axis < 0) continue;
    DISCREET_TRY(fit(set, node));
    const double total = node.line ? node.line->total_variance() : node.tree->total_variance();
    nodes_.at(without(set, node.axis)).precision += 1 / total;
  }
  if (measurements_.total && nodes_.contains({})) nodes_.at({}).precision = HUGE_VAL;
  return {};
}

Agreement::Subsets Agreement::subsets_of(const AttributeSet& set) const {
  Subsets out;
  out.matters.assign(set.size(), false);
  for (std::size_t mask = 0; mask < std::size_t{1} << set.size(); ++mask) {
    const Node& node = nodes_.at(chosen(set, mask));
    const auto bit =
        static_cast<std::size_t>(std::find(set.begin(), set.end(), node.axis) - set.begin());
    if (node.axis >= 0) out.matters[bit] = true;
    out.nodes.push_back(&node);
    out.bit.push_back(bit);
  }
  return out;
}

// Of the sum over subsets E of g_E c_E, at one cell.
double Agreement::variance_of(const Subsets& subsets, std::vector<double> g,
                              const std::vector<std::int64_t>& places) const {
  double variance = 0;
  // A set hands on to a smaller mask.
  for (std::size_t mask = g.size(); mask-- > 0;) {
    const Node& node = *subsets.nodes[mask];
    if (node.axis < 0) {
      variance += g[mask] * g[mask] * node.cost / node.precision;
      continue;
    }
    const std::size_t bit = subsets.bit[mask];
    const std::size_t place = at(places[bit]);
    const double n = static_cast<double>(attributes_[at(node.axis)].values);
    const double within =
        node.line ? node.line->variance_within(place, place) : node.tree->within().back()[place];
    const double moved =
        node.line ? node.line->response(place, place) : node.tree->response().back()[place];
    variance += g[mask] * g[mask] * within * node.cost * n / (n - 1);  // the cost of E
    g[mask & ~(std::size_t{1} << bit)] += g[mask] * (moved - 1 / n);
  }
  return variance;
}

Cells Agreement::table_variances(const AttributeSet& set) const {
  const Subsets subsets = subsets_of(set);
  std::vector<double> g;
  for (std::size_t mask = 0; mask < subsets.nodes.size(); ++mask) {
    g.push_back(1 / spread_over(set, chosen(set, mask)));
  }
  std::size_t cells = 1;
  std::size_t kinds = 1;
  for (std::size_t k = 0; k < set.size(); ++k) {
    cells *= at(attributes_[at(set[k])].values);
    if (subsets.matters[k]) kinds *= at(attributes_[at(set[k])].values);
  }
  // Cells that differ only along axes without lines have one variance.
  std::vector<double> known(kinds, -1);
  Cells out(cells);
  std::vector<std::int64_t> places(set.size());
  for (std::size_t c = 0; c < cells; ++c) {
    std::size_t rest = c;
    std::size_t kind = 0;
    std::size_t stride = 1;
    for (std::size_t k = set.size(); k-- > 0;) {
      const auto n = at(attributes_[at(set[k])].values);
      places[k] = static_cast<std::int64_t>(rest % n);
      if (subsets.matters[k]) {
        kind += rest % n * stride;
        stride *= n;
      }
      rest /= n;
    }
    if (known[kind] < 0) known[kind] = variance_of(subsets, g, places);
    out[c] = known[kind];
  }
  return out;
}

std::vector<double> Agreement::line_variances(std::size_t line, bool ranges) const {
  const MeasuredLine& asked = measurements_.lines[line];
  const AttributeSet& by = asked.by;
  const std::size_t n = at(attributes_[at(asked.axis)].values);
  std::vector<std::pair<std::size_t, std::size_t>> queries;
  for (std::size_t from = 0; from < (ranges ? n : 1); ++from) {
    for (std::size_t to = from; to < n; ++to) queries.emplace_back(from, to);
  }
  std::size_t groups = 1;
  for (const int axis : by) groups *= at(attributes_[at(axis)].values);
  const std::size_t masks = std::size_t{1} << by.size();
  // What the lines of this axis add by themselves, and how they move with the sets of `by`.
  std::vector<double> own(queries.size(), 0);
  std::vector<std::vector<double>> g(queries.size(), std::vector<double>(masks));
  const Subsets subsets = subsets_of(by);
  const bool alike =
      std::find(subsets.matters.begin(), subsets.matters.end(), true) == subsets.matters.end();
  for (std::size_t mask = 0; mask < masks; ++mask) {
    const AttributeSet sub = chosen(by, mask);
    const double cells = spread_over(by, sub);
    const LineFit& fit = *nodes_.at(with(sub, asked.axis)).line;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto [from, to] = queries[q];
      own[q] += nodes_.at(sub).cost * fit.variance_within(from, to) / cells / cells;
      g[q][mask] = fit.response(from, to) / cells;
    }
  }
  std::vector<double> out;
  out.reserve(groups * queries.size());
  for (std::size_t group = 0; group < groups; ++group) {
    if (group > 0 && alike) {
      out.insert(out.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(queries.size()));
      continue;
    }
    std::vector<std::int64_t> places(by.size());
    std::size_t rest = group;
    for (std::size_t k = by.size(); k-- > 0;) {
      const auto values = at(attributes_[at(by[k])].values);
      places[k] = static_cast<std::int64_t>(rest % values);
      rest /= values;
    }
    for (std::size_t q = 0; q < queries.size(); ++q) {
      out.push_back(own[q] + variance_of(subsets, g[q], places));
    }
  }
  return out;
}

LevelValues Agreement::tree_variances(std::size_t tree) const {
  const MeasuredTree& asked = measurements_.trees[tree];
  const Node& node = nodes_.at({asked.axis});
  const double top = 1 / nodes_.at({}).precision;
  if (node.tree) {
    LevelValues out = node.tree->within();
    for (std::size_t l = 0; l < out.size(); ++l) {
      for (std::size_t i = 0; i < out[l].size(); ++i) {
        const double moved = node.tree->response()[l][i];
        out[l][i] += moved * moved * top;
      }
    }
    return out;
  }
  // Ranges of the same axis: the sum over each area's leaves, pair by pair.
  const LineFit& fit = *node.line;
  const std::size_t n = at(attributes_[at(asked.axis)].values);
  const double spread = top - fit.total_variance();
  LevelValues out(asked.tree->levels());
  std::vector<std::vector<double>> covariance;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> unit(n, 0);
    unit[i] = 1;
    covariance.push_back(fit.solve(std::move(unit)));
  }
  std::vector<std::int64_t> holder(n);
  for (std::size_t i = 0; i < n; ++i) holder[i] = static_cast<std::int64_t>(i);
  for (std::size_t l = asked.tree->levels(); l-- > 0;) {
    out[l].assign(at(asked.tree->nodes(l)), 0);
    std::vector<double> moved(out[l].size(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      moved[at(holder[i])] += fit.response(i, i);
      for (std::size_t j = 0; j < n; ++j) {
        if (holder[i] == holder[j]) out[l][at(holder[i])] += covariance[i][j];
      }
    }
    for (std::size_t v = 0; v < out[l].size(); ++v) out[l][v] += moved[v] * moved[v] * spread;
    if (l == 0) break;
    for (std::int64_t& area : holder) area = asked.tree->parents[l - 1][at(area)];
  }
  return out;
}

// b: the information on m, fibre by fibre along the lines' axis.
Cells Agreement::line_information(const AttributeSet& set, const Node& node, Cells information,
                                  const Measured& measured) const {
  const Strides strides(attributes_, set, node.axis);
  const AttributeSet above = without(set, node.axis);
  const std::vector<double> mixing = mixing_series(node.lines.empty() ? 1 : strides.n);
  for (const std::size_t i : node.lines) {
    const MeasuredLine& line = measurements_.lines[i];
    Cells seen = margin(attributes_, with(line.by, line.axis), set, measured.lines[i]);
    for (const int axis : above) centre(attributes_, set, axis, seen);
    const double precision = 1 / (line.variance * spread_over(line.by, above));
    each_fibre(strides, [&](std::size_t o, std::size_t inner) {
      std::vector<double> fibre(strides.n);
      for (std::size_t j = 0; j < strides.n; ++j) fibre[j] = seen[strides.place(o, j, inner)];
      if (line.mixed) fibre = transposed(mixing, std::move(fibre));
      for (std::size_t j = 0; j < strides.n; ++j) {
        information[strides.place(o, j, inner)] += precision * fibre[j];
      }
    });
  }
  for (std::size_t i = 0; set.size() == 1 && i < measurements_.trees.size(); ++i) {
    const MeasuredTree& tree = measurements_.trees[i];
    if (tree.axis != node.axis) continue;
    std::vector<std::int64_t> holder(strides.n);
    for (std::size_t j = 0; j < strides.n; ++j) holder[j] = static_cast<std::int64_t>(j);
    for (std::size_t l = tree.tree->levels(); l-- > 0;) {
      for (std::size_t j = 0; j < strides.n; ++j) {
        information[j] += measured.trees[i][l][at(holder[j])] / tree.variances[l];
      }
      if (l == 0) break;
      for (std::int64_t& area : holder) area = tree.tree->parents[l - 1][at(area)];
    }
  }
  return information;
}

std::map<AttributeSet, Cells> Agreement::estimate(const Measured& measured) const {
  std::map<AttributeSet, Cells> information;
  for (const auto& [set, node] : nodes_) {
    std::size_t cells = 1;
    for (const int axis : set) cells *= at(attributes_[at(axis)].values);
    information[set].assign(cells, 0);
  }
  for (const auto& [set, cells] : measured.residuals) {
    const double variance = measurements_.residuals.at(set);
    Cells& sums = information.at(set);
    for (std::size_t c = 0; c < cells.size(); ++c) sums[c] += cells[c] / variance;
  }
  std::map<AttributeSet, LevelValues> trees;
  for (const AttributeSet& set : order_) {
    const Node& node = nodes_.at(set);
    if (node.axis < 0) continue;
    Cells& own = information.at(set);
    own = line_information(set, node, std::move(own), measured);
    Cells& above = information.at(without(set, node.axis));
    if (node.tree) {
      LevelValues totals = node.tree->totals(own);
      above[0] += totals[0][0] / node.tree->total_variance();
      trees.emplace(set, std::move(totals));
      continue;
    }
    const Strides strides(attributes_, set, node.axis);
    each_fibre(strides, [&](std::size_t o, std::size_t i) {
      std::vector<double> fibre(strides.n);
      for (std::size_t j = 0; j < strides.n; ++j) fibre[j] = own[strides.place(o, j, i)];
      fibre = node.line->solve(std::move(fibre));
      double sum = 0;
      for (const double x : fibre) sum += x;
      above[o * strides.inner + i] += sum / node.line->total_variance();
      for (std::size_t j = 0; j < strides.n; ++j) {
        own[strides.place(o, j, i)] = fibre[j] - node.line->response(j, j) * sum;  // w
      }
    });
  }
  // From the smallest sets: what is above is final.
  std::map<AttributeSet, Cells>& out = information;
  for (auto set = order_.rbegin(); set != order_.rend(); ++set) {
    const Node& node = nodes_.at(*set);
    Cells& own = out.at(*set);
    if (node.axis < 0) {
      for (double& cell : own) cell /= node.precision;
      if (set->empty() && measurements_.total) own[0] = *measurements_.total;
      continue;
    }
    const Cells& above = out.at(without(*set, node.axis));
    const Strides strides(attributes_, *set, node.axis);
    const double n = static_cast<double>(strides.n);
    if (node.tree) {
      own = node.tree->spread(trees.at(*set), above[0]).back();
      for (double& leaf : own) leaf -= above[0] / n;
      continue;
    }
    each_fibre(strides, [&](std::size_t o, std::size_t i) {
      const double sum = above[o * strides.inner + i];
      for (std::size_t j = 0; j < strides.n; ++j) {
        own[strides.place(o, j, i)] += (node.line->response(j, j) - 1 / n) * sum;
      }
    });
  }
  return information;
}

}  // namespace discreet::publish
