// SPDX-License-Identifier: Apache-2.0
#include "accounting/pld.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "accounting/constants.h"
#include "accounting/convolve.h"
#include "accounting/pld_lower.h"
#include "accounting/pld_plan.h"
#include "accounting/tilts.h"

namespace discreet::accounting {
namespace {

constexpr double kLeast = -1;
// No further tilt is tried after so much work.
constexpr std::size_t kEntriesMax = 1 << 18;
// Deltas that pld_delta answers with have so many bits.
constexpr int kDeltaBits = 20;

/// The upper bound on epsilon for the deltas of one cell.
class Upper {
 public:
  Upper(const PldPlan& plan, int cell) : extra_(plan.allowance(cell)), allowed_(plan.error()) {
    const double low = delta_cell_low(cell);
    for (const bool reverse : {false, true}) {
      if (reverse && !plan.has_two_directions()) continue;
      auto grids = plan.grids(reverse, tail_of_cell(cell));
      if (!grids) {
        infinite_ = true;
        return;
      }
      // What is good for the cell's largest delta serves the smaller ones too, mostly.
      Direction one;
      const double largest = std::min(16 * low, 0.5);
      const Tilts tilts = tilts_around(tilt_for_delta(*grids, largest), largest, plan.deviation());
      for (const double tilt : tilts) {
        one.sums.push_back(Composed::enclosing(*grids, Side::kUpper, tilt));
        one.entries += one.sums.back().first.entries();
        if (one.width(low) <= allowed_ && one.width(16 * low * (1 - 0x1p-40)) <= allowed_) break;
        if (one.entries > kEntriesMax) break;
      }
      directions_.push_back(std::move(one));
    }
  }

  PldUpper epsilon(double delta) const {
    if (infinite_) return {kInfinity, true};
    double high = kLeast;
    double low = kLeast;
    for (const Direction& one : directions_) {
      high = std::max(high, one.above(delta));
      low = std::max(low, one.below(delta));
    }
    return {std::max(0.0, high + extra_),
            high == kInfinity || high + extra_ <= 0 || high - low <= allowed_};
  }

 private:
  /// One direction's sum, enclosed at some tilts. Epsilons below 0 count too, so that what is added
  /// does not hide an epsilon of 0.
  struct Direction {
    std::vector<std::pair<Composed, Composed>> sums;
    std::size_t entries = 0;

    double above(double delta) const {
      double out = kInfinity;
      for (const auto& sum : sums) out = std::min(out, sum.first.epsilon(delta, kLeast));
      return out;
    }
    double below(double delta) const {
      double out = kLeast;
      for (const auto& sum : sums) out = std::max(out, sum.second.epsilon(delta, kLeast));
      return out;
    }
    double width(double delta) const {
      const double high = above(delta);
      return high == kInfinity ? kInfinity : high - below(delta);
    }
  };

  double extra_;
  double allowed_;
  bool infinite_ = false;
  std::vector<Direction> directions_;
};

/// The least delta of the ladder with epsilon(delta) <= epsilon; 1 if there is none. It is unique,
/// as epsilon(delta) never rises, so the way it is searched does not matter.
PldUpper least_delta(const PldPlan& plan, double epsilon) {
  const auto grids = plan.grids(false, 1e-40);
  if (!grids) return {1, true};
  // A first guess by the tilt that is best for epsilon.
  const double log_delta =
      Composed::of(*grids, Side::kUpper, tilt_for_epsilon(*grids, epsilon)).log_delta(epsilon);
  const int guess = delta_cell(std::exp(std::clamp(log_delta, -660.0, -1e-9)));
  // The last cell at whose upper end epsilon is met: from the guess by ever longer strides.
  const auto met = [&](const Upper& upper, int cell) {
    return upper.epsilon(std::nextafter(16 * delta_cell_low(cell), 0)).upper <= epsilon;
  };
  int low = -1;                  // met, or before the first
  int high = kDeltaCellMax + 1;  // not met, or after the last
  std::optional<Upper> upper;
  for (int cell = guess, stride = 1; low + 1 < high;) {
    Upper tried(plan, cell);
    const bool is_met = met(tried, cell);
    if (is_met) upper = std::move(tried);
    (is_met ? low : high) = cell;
    cell += is_met ? stride : -stride;
    stride *= 2;
    if (cell <= low || cell >= high) cell = (low + high) / 2;
  }
  if (!upper) return {1, true};
  // The ladder's deltas in that cell; the cell's end is the next one's first.
  const auto at = [&](long rung) {
    return delta_cell_low(low) * (1 + std::ldexp(static_cast<double>(rung), -kDeltaBits));
  };
  long missed = -1;
  long reached = 15L << kDeltaBits;
  while (reached - missed > 1) {
    const long middle = (missed + reached) / 2;
    (upper->epsilon(at(middle)).upper <= epsilon ? reached : missed) = middle;
  }
  return {at(reached), upper->epsilon(std::nextafter(at(reached), 0)).steady};
}

}  // namespace

PldUpper pld_epsilon_upper(const std::vector<Use>& uses, double delta) {
  const PldPlan plan(uses);
  if (plan.costs_nothing()) return {0};
  return Upper(plan, delta_cell(delta)).epsilon(delta);
}

PldUpper pld_delta_upper(const std::vector<Use>& uses, double epsilon) {
  const PldPlan plan(uses);
  if (plan.costs_nothing()) return {0};
  return least_delta(plan, epsilon);
}

Bounds pld_epsilon(const std::vector<Use>& uses, double delta) {
  const double upper = pld_epsilon_upper(uses, delta).upper;
  return {pld_epsilon_lower(uses, delta, upper), upper, kPldTheorem};
}

Bounds pld_delta(const std::vector<Use>& uses, double epsilon) {
  const double upper = pld_delta_upper(uses, epsilon).upper;
  return {pld_delta_lower(uses, epsilon, upper), upper, kPldTheorem};
}

}  // namespace discreet::accounting
