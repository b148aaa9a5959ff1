// SPDX-License-Identifier: Apache-2.0
#include "accounting/pld_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "accounting/coarsen.h"
#include "accounting/loss_of.h"

namespace discreet::accounting {
namespace {

constexpr int kCountBits = 13;
constexpr double kPlanCellsMax = 1 << 16;
constexpr double kUsesMax = 1 << 24;  // beyond, what is added makes the bound useless
constexpr double kPlanTail = 1e-40;   // for measuring; not for answers
constexpr std::size_t kPlanDistinctMax = 128;
constexpr int kPlanFoldMax = 6;  // parameters move by a third at most
// A step of this part of the deviation of the sum, or of what 10^4 uses add to it, moves epsilon by
// a few parts in 10^4: each use adds a sixth of the step's square to the variance.
constexpr double kFine = 1.0 / 2500;
constexpr double kStrongest = 10'000;
// What a window of 2^19 steps has room for.
constexpr double kFinest = 1.0 / 15'000;

bool is_gaussian(const Use& use) { return std::holds_alternative<Gaussian>(use.mechanism); }

/// The greatest power of two that is not above x: steps are nested in each other.
double power_of_two_below(double x) { return std::ldexp(1.0, std::ilogb(x)); }

}  // namespace

Rung rung_of(std::uint64_t count) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(count)) - kCountBits);
  const std::uint64_t mantissa = (count + (std::uint64_t{1} << shift) - 1) >> shift;
  return {mantissa << shift,
          static_cast<double>(mantissa) + shift * std::ldexp(1.0, kCountBits - 1)};
}

PldPlan::PldPlan(const std::vector<Use>& all) {
  std::vector<Use> uses = merge_equal(all);
  if (uses.empty()) return;
  for (const Use& use : uses) rungs_ += rung_of(use.count).index;
  if (uses.size() > kPlanDistinctMax)
    uses = coarsened(uses, Round::kUp, kPlanDistinctMax, kPlanFoldMax);
  known_ = uses.size() <= kPlanDistinctMax;
  const bool only_gaussians = std::all_of(uses.begin(), uses.end(), is_gaussian);
  double count = 0;
  double extent = 0;
  std::vector<std::pair<double, double>> variances;  // of one use, and how many
  for (Use& use : uses) {
    use.count = rung_of(use.count).count;
    const auto k = static_cast<double>(use.count);
    count += k;
    two_directions_ = two_directions_ || is_sampled(use.mechanism);
    variances.emplace_back(variance_of(use.mechanism), k);
    if (only_gaussians || !is_gaussian(use))
      extent = std::max(extent, reach_of(use.mechanism, kPlanTail));
  }
  known_ = known_ && count <= kUsesMax;
  // The strongest first: what they add up to, all of them and the first 10^4, never falls.
  std::sort(variances.rbegin(), variances.rend());
  double variance = 0;
  double strongest = 0;
  double left = kStrongest;
  for (const auto& [one, k] : variances) {
    variance += one * k;
    strongest += one * std::min(k, left);
    left -= std::min(k, left);
  }
  deviation_ = std::sqrt(variance);
  least_step_ = std::max(kFine * std::sqrt(strongest), kFinest * deviation_);
  error_ = 4e-9 * (deviation_ + extent) + 1e-13 * count * deviation_;
  uses_ = one_gaussian(uses, Round::kUp);
}

/// Room for the largest loss, too: more with each stronger mechanism and with each smaller tail.
double PldPlan::step(double tail) const {
  double reach = 0;
  for (const Use& use : uses_) reach = std::max(reach, reach_of(use.mechanism, tail));
  return power_of_two_below(std::max(least_step_, reach / kPlanCellsMax));
}

std::optional<std::vector<Uses>> PldPlan::grids(bool reverse, double tail) const {
  if (!known_) return std::nullopt;
  const double step = this->step(tail);
  std::vector<Uses> out;
  for (const Use& use : uses_) {
    std::optional<Loss> loss = loss_of(use.mechanism, Side::kUpper);
    if (!loss) return std::nullopt;
    if (reverse) loss = reversed(*loss);
    const Span whole = span(*loss, tail);
    if (whole.high - whole.low > 4 * kPlanCellsMax * step) return std::nullopt;
    // The greatest atom of a sampled Laplace loss lies on no natural grid: shift it there.
    Grid grid{step, 0};
    if (std::holds_alternative<SubsampledLaplace>(use.mechanism)) {
      const double top = std::max(loss->atoms.front().loss, loss->atoms.back().loss);
      grid.offset = top - step * std::floor(top / step);
    }
    GridLoss placed = round_up(*loss, grid, tail);
    if (placed.p.empty() || placed.infinity >= 1) return std::nullopt;
    out.push_back({std::move(placed), static_cast<double>(use.count)});
  }
  return out;
}

}  // namespace discreet::accounting
