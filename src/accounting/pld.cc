// SPDX-License-Identifier: Apache-2.0
#include "accounting/pld.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "accounting/coarsen.h"
#include "accounting/convolve.h"
#include "accounting/pld_plan.h"

namespace discreet::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kTheorem = "privacy-loss distributions [ZDW22, DGKKM22]";

// Deltas in one cell [16^-(i+1), 16^-i) share all that is chosen by delta: the tails that are cut
// and the tilt.
constexpr int kCellBits = 4;
constexpr int kCellMax = 240;
constexpr double kLeast = -1;
// No further tilt is tried after so much work.
constexpr std::size_t kEntriesMax = 1 << 18;
// A lower bound so near the upper one is good enough, and is looked for at so many tilts.
constexpr double kNear = 0.9;
constexpr std::size_t kLowerTilts = 3;
// Deltas that pld_delta answers with have so many bits.
constexpr int kDeltaBits = 20;

int cell_of(double delta) {
  int exponent = 0;  // delta = m 2^exponent, 1/2 <= m < 1
  std::frexp(delta, &exponent);
  return std::clamp(-exponent / kCellBits, 0, kCellMax);
}
double cell_low(int cell) { return std::ldexp(1.0, -kCellBits * (cell + 1)); }

/// The tilts to try: the one that minimises Chernoff's bound, unless losses are bounded and it is
/// far beyond what would do for a Gaussian with this deviation; then some around the latter.
using Tilts = std::array<double, 7>;
Tilts tilts_around(double best, double delta, double deviation) {
  const double natural = std::sqrt(2 * std::max(0.7, -std::log(delta))) / deviation;
  return {std::min(best, 3 * natural),
          natural,
          natural / 4,
          best,
          natural / 16,
          16 * natural,
          natural / 64};
}

/// The upper bound on epsilon for the deltas of one cell.
class Upper {
 public:
  Upper(const PldPlan& plan, int cell) : extra_(plan.allowance(cell)), allowed_(plan.error()) {
    const double low = cell_low(cell);
    const double tail = std::max(low * 0x1p-45, 1e-300);
    for (const bool reverse : {false, true}) {
      if (reverse && !plan.has_two_directions()) continue;
      auto grids = plan.grids(Side::kUpper, reverse, tail);
      if (!grids) {
        infinite_ = true;
        return;
      }
      // What is good for the cell's largest delta serves the smaller ones too, mostly.
      Direction one;
      const double largest = std::min(16 * low, 0.5);
      const Tilts tilts = tilts_around(tilt_for_delta(*grids, largest), largest, plan.deviation());
      for (const double tilt : tilts) {
        one.sums.push_back(Composed::enclosing(*grids, tilt));
        one.entries += one.sums.back().first.entries();
        if (one.width(low) <= allowed_ && one.width(16 * low * (1 - 0x1p-40)) <= allowed_) break;
        if (one.entries > kEntriesMax) break;
      }
      directions_.push_back(std::move(one));
    }
  }

  struct Answer {
    double epsilon;
    bool steady;
  };
  Answer epsilon(double delta) const {
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

/// A lower bound, read by `read` from the sum of the grids below: the greatest over a few tilts,
/// until it is near `upper`.
template <class Tilt, class Read>
double lower(const PldPlan& plan, double delta, double upper, const Tilt& tilt, const Read& read) {
  const auto grids = plan.grids(Side::kLower, false, std::max(delta * 1e-6 / plan.count(), 1e-300));
  if (!grids) return 0;
  double out = 0;
  const Tilts tilts = tilts_around(tilt(*grids), delta, plan.deviation());
  for (std::size_t i = 0; i < kLowerTilts && out < kNear * upper; ++i)
    out = std::max(out, read(Composed::of(*grids, Side::kLower, tilts[i])));
  return std::min(out, upper);
}

struct Least {
  double delta;
  bool steady;
};

/// The least delta of the ladder with epsilon(delta) <= epsilon; 1 if there is none. It is unique,
/// as epsilon(delta) never rises, so the way it is searched does not matter.
Least least_delta(const PldPlan& plan, double epsilon) {
  const auto grids = plan.grids(Side::kUpper, false, 1e-40);
  if (!grids) return {1, true};
  // A first guess by the tilt that is best for epsilon.
  const double log_delta =
      Composed::of(*grids, Side::kUpper, tilt_for_epsilon(*grids, epsilon)).log_delta(epsilon);
  const int guess = cell_of(std::exp(std::clamp(log_delta, -660.0, -1e-9)));
  // The last cell at whose upper end epsilon is met: from the guess by ever longer strides.
  const auto met = [&](const Upper& upper, int cell) {
    return upper.epsilon(std::nextafter(16 * cell_low(cell), 0)).epsilon <= epsilon;
  };
  int low = -1;             // met, or before the first
  int high = kCellMax + 1;  // not met, or after the last
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
    return cell_low(low) * (1 + std::ldexp(static_cast<double>(rung), -kDeltaBits));
  };
  long missed = -1;
  long reached = 15L << kDeltaBits;
  while (reached - missed > 1) {
    const long middle = (missed + reached) / 2;
    (upper->epsilon(at(middle)).epsilon <= epsilon ? reached : missed) = middle;
  }
  return {at(reached), upper->epsilon(std::nextafter(at(reached), 0)).steady};
}

}  // namespace

PldBounds pld_epsilon(const std::vector<Use>& uses, double delta) {
  PldBounds out{{0, kInfinity, kTheorem}};
  const PldPlan plan(uses);
  if (plan.costs_nothing()) return {{0, 0, kTheorem}};
  const int cell = cell_of(delta);
  const Upper::Answer upper = Upper(plan, cell).epsilon(delta);
  out.upper = upper.epsilon;
  out.steady = upper.steady;
  out.lower = lower(
      plan, delta, out.upper, [&](const auto& grids) { return tilt_for_delta(grids, delta); },
      [&](const Composed& sum) { return sum.epsilon(delta); });
  return out;
}

PldBounds pld_delta(const std::vector<Use>& uses, double epsilon) {
  PldBounds out{{0, 1, kTheorem}};
  const PldPlan plan(uses);
  if (plan.costs_nothing()) return {{0, 0, kTheorem}};
  const Least least = least_delta(plan, epsilon);
  out.upper = least.delta;
  out.steady = least.steady;
  out.lower = lower(
      plan, least.delta, out.upper,
      [&](const auto& grids) { return tilt_for_epsilon(grids, epsilon); },
      [&](const Composed& sum) { return std::exp(sum.log_delta(epsilon)); });
  return out;
}

}  // namespace discreet::accounting
