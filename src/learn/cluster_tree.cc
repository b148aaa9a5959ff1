// SPDX-License-Identifier: Apache-2.0
#include "learn/cluster_tree.h"

#include <algorithm>
#include <cmath>

namespace discreet::learn {
namespace {

constexpr std::size_t kBins = 32;

double middle(std::size_t bin) { return (static_cast<double>(bin) + 0.5) / kBins; }

std::size_t bin_of(double x) {
  return std::min(static_cast<std::size_t>(std::max(x, 0.0) * kBins), kBins - 1);
}

/// Inner nodes know their cut, leaves their place among the boxes.
struct Node {
  bool leaf = true;
  std::size_t box = 0;
  std::size_t axis = 0;
  std::size_t cut = 0;  ///< the first bin of the right child
  std::size_t left = 0, right = 0;
};

struct Cut {
  double gain = 0;
  std::size_t axis = 0;
  std::size_t at = 0;
};

/// What a box's histograms say: its mean, its size, the best cut.
struct BoxView {
  std::vector<double> mean;
  double count = 0;
  double spread = 0;  ///< mean variance per axis
  Cut cut;
};

BoxView look(std::span<const double> histograms, std::size_t dimensions, double noise) {
  BoxView view;
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    double raw = 0;
    double total = 0;
    double moment = 0;
    double square = 0;
    std::vector<double> bins(kBins);
    for (std::size_t b = 0; b < kBins; ++b) {
      const double h = histograms[axis * kBins + b];
      raw += h;
      bins[b] = h > 2 * noise ? h : 0;
      total += bins[b];
      moment += bins[b] * middle(b);
      square += bins[b] * middle(b) * middle(b);
    }
    view.count += raw / static_cast<double>(dimensions);
    if (!(total > 0)) {
      view.mean.push_back(0.5);
      continue;
    }
    view.mean.push_back(moment / total);
    view.spread +=
        (square / total - moment * moment / (total * total)) / static_cast<double>(dimensions);
    double mass = 0;
    double below = 0;
    for (std::size_t b = 1; b < kBins; ++b) {
      mass += bins[b - 1];
      below += bins[b - 1] * middle(b - 1);
      const double rest = total - mass;
      if (mass <= 4 * noise || rest <= 4 * noise) continue;
      const double gap = below / mass - (moment - below) / rest;
      const double gain = mass * rest / total * gap * gap;
      if (gain > view.cut.gain) view.cut = {gain, axis, b};
    }
  }
  return view;
}

}  // namespace

double ClusterTree::entries(std::size_t dimensions, std::size_t k) {
  return 4.0 * static_cast<double>(k) * static_cast<double>(dimensions) * kBins;
}

std::size_t ClusterTree::levels(std::size_t k) {
  std::size_t bits = 1;
  while ((std::size_t{1} << bits) < k) ++bits;
  return 2 * bits;
}

Result<WeightedPoints> ClusterTree::grow(Sums& sums, std::size_t dimensions, std::size_t k,
                                         const UnitPoint& read) {
  const std::size_t leaves_max = 4 * k;
  const std::size_t wide = dimensions * kBins;
  std::vector<Node> nodes(1);
  std::vector<std::size_t> boxes{0};  // the leaves' nodes
  std::vector<double> x(dimensions);
  const double clip =
      sums.pure() ? static_cast<double>(dimensions) : std::sqrt(static_cast<double>(dimensions));
  for (std::size_t level = 0;; ++level) {
    DISCREET_ASSIGN(const std::vector<double> flat,
                    sums.sparse(boxes.size() * wide, clip,
                                [&](std::span<const std::int64_t> row, Sums::Pairs& out) {
                                  if (!read(row, x)) return;
                                  std::size_t at = 0;
                                  while (!nodes[at].leaf) {
                                    const Node& node = nodes[at];
                                    at = bin_of(x[node.axis]) < node.cut ? node.left : node.right;
                                  }
                                  const std::size_t first = nodes[at].box * wide;
                                  for (std::size_t i = 0; i < dimensions; ++i) {
                                    out.emplace_back(first + i * kBins + bin_of(x[i]), 1.0);
                                  }
                                }));
    std::vector<BoxView> views;
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      views.push_back(look(std::span(flat).subspan(b * wide, wide), dimensions, sums.deviation()));
    }
    if (level == levels(k)) {
      WeightedPoints out;
      double mass = 0;
      for (BoxView& view : views) {
        if (!(view.count > 0)) continue;
        out.spread += view.count * view.spread;
        mass += view.count;
        out.points.push_back(std::move(view.mean));
        out.weights.push_back(view.count);
      }
      out.spread /= std::max(mass, 1.0);
      return out;
    }
    std::vector<std::size_t> order(boxes.size());
    for (std::size_t b = 0; b < order.size(); ++b) order[b] = b;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return views[a].cut.gain > views[b].cut.gain; });
    for (const std::size_t b : order) {
      const Cut& cut = views[b].cut;
      if (!(cut.gain > 0) || boxes.size() >= leaves_max) break;
      const std::size_t parent = boxes[b];
      const std::size_t left = nodes.size();
      nodes[parent] = {false, 0, cut.axis, cut.at, left, left + 1};
      nodes.push_back({.box = b});
      nodes.push_back({.box = boxes.size()});
      boxes[b] = left;
      boxes.push_back(left + 1);
    }
  }
}

}  // namespace discreet::learn
