// SPDX-License-Identifier: Apache-2.0
#include "accounting/pld.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "accounting/convolve.h"
#include "accounting/loss.h"

namespace discreet::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr double kCellsMax = 1 << 16;
constexpr double kLaplaceMax = 128;
constexpr double kSpanMin = 1e-11;   // narrower losses are lost in rounding
constexpr double kWindow = 1 << 19;  // what a sum may span, in steps

/// The loss of one mechanism, with its parameters rounded towards more loss (kUpper) or less
/// (kLower).
///
/// On the lower side an epsilon at which the loss has an atom is lowered to a multiple of the
/// grid's step: a smaller epsilon is a weaker mechanism, and the atoms then lie on the grid.
struct LossOf {
  Side side;
  double step;

  double more(const Rational& x) const {
    return x.to_double(side == Side::kUpper ? Round::kUp : Round::kDown);
  }
  double mu(const Rational& multiplier) const { return more(Rational(1) / multiplier); }
  double on_grid(const Rational& epsilon, double parts = 1) const {
    const double value = more(epsilon);
    const double lowered = step * parts * std::floor(value / (step * parts) * (1 + 1e-13));
    return side == Side::kUpper || lowered <= 0 ? value : std::min(value, lowered);
  }

  std::optional<Loss> operator()(const Gaussian& m) const {
    return gaussian_loss(mu(m.noise_multiplier));
  }
  std::optional<Loss> operator()(const DiscreteGaussian&) const { return std::nullopt; }
  std::optional<Loss> operator()(const Laplace& m) const {
    // Beyond this the masses underflow: above it is charged as any epsilon-DP mechanism, below as a
    // weaker Laplace.
    const double epsilon = on_grid(m.epsilon);
    if (epsilon <= kLaplaceMax) return laplace_loss(epsilon);
    return side == Side::kUpper ? response_loss(epsilon, 0) : laplace_loss(kLaplaceMax);
  }
  std::optional<Loss> operator()(const DiscreteLaplace& m) const {
    return discrete_laplace_loss(on_grid(m.epsilon, m.steps), m.steps);
  }
  std::optional<Loss> operator()(const Generic& m) const {
    return response_loss(on_grid(m.epsilon), more(m.delta));
  }
  // Of these, no more is assumed than epsilon-DP above, and below no less than two candidates whose
  // scores swap: e^{epsilon/2}.
  std::optional<Loss> operator()(const Exponential& m) const { return selection(m.epsilon); }
  std::optional<Loss> operator()(const PermuteAndFlip& m) const { return selection(m.epsilon); }
  std::optional<Loss> operator()(const SubsampledGaussian& m) const {
    return sampled(gaussian_loss(mu(m.noise_multiplier)), m.q);
  }
  std::optional<Loss> operator()(const SubsampledLaplace& m) const {
    const double epsilon = more(m.epsilon);
    if (epsilon > kLaplaceMax) return std::nullopt;
    return sampled(laplace_loss(epsilon), m.q);
  }

  std::optional<Loss> selection(const Rational& epsilon) const {
    return response_loss(on_grid(side == Side::kUpper ? epsilon : epsilon / 2), 0);
  }
  std::optional<Loss> sampled(const Loss& base, const Rational& q) const {
    return q == 1 ? base : subsampled(base, more(q));
  }
};

bool has_two_directions(const Use& use) {
  return std::holds_alternative<SubsampledGaussian>(use.mechanism) ||
         std::holds_alternative<SubsampledLaplace>(use.mechanism);
}

bool costs_nothing(const Use& use) {
  const auto* g = std::get_if<SubsampledGaussian>(&use.mechanism);
  const auto* l = std::get_if<SubsampledLaplace>(&use.mechanism);
  return (g != nullptr && g->q.sign() == 0) || (l != nullptr && l->q.sign() == 0);
}

/// All uses on one grid, or nothing where some mechanism has no loss distribution or would need too
/// many cells.
std::optional<std::vector<Uses>> on_grid(const std::vector<Use>& uses, Side side, bool reverse,
                                         double step, double tail) {
  std::vector<Uses> out;
  for (const Use& use : uses) {
    std::optional<Loss> loss = std::visit(LossOf{side, step}, use.mechanism);
    if (!loss) return std::nullopt;
    if (reverse) loss = reversed(*loss);
    const Span whole = span(*loss, tail);
    if (whole.high - whole.low > 4 * kCellsMax * step) return std::nullopt;
    GridLoss grid = side == Side::kUpper ? round_up(*loss, {step, 0}, tail)
                                         : round_down(*loss, {step, 0}, tail);
    out.push_back({std::move(grid), static_cast<double>(use.count)});
  }
  return out;
}

/// A first step: so fine that the grid's second-order error, about count * step^2 / 8 of variance,
/// moves epsilon by a third of the gap.
double first_step(const std::vector<Use>& uses, double log_delta, double tail, double gap) {
  double variance = 0;
  double mean = 0;
  double count = 0;
  double range = 0;
  double atom = 0;
  double atom_weight = 0;
  for (const Use& use : uses) {
    const std::optional<Loss> loss = std::visit(LossOf{Side::kUpper, 0}, use.mechanism);
    if (!loss) return 0;
    // Moments from a few hundred cells.
    const Span whole = span(*loss, tail);
    if (whole.high - whole.low < kSpanMin && loss->atoms.empty()) return 0;
    const double coarse_step =
        std::max((whole.high - whole.low) / 256, 1e-10 * std::fabs(whole.high));
    const GridLoss coarse = round_up(*loss, {coarse_step, 0}, tail);
    if (coarse.infinity >= std::exp(log_delta))
      return 0;  // too much is given away: no epsilon will do
    double m1 = 0;
    double m2 = 0;
    for (std::size_t i = 0; i < coarse.p.size(); ++i) {
      const double l = static_cast<double>(coarse.first + static_cast<long>(i)) * coarse_step;
      m1 += coarse.p[i] * l;
      m2 += coarse.p[i] * l * l;
    }
    range = std::max({range, whole.high - whole.low, 1e-4 * std::fabs(whole.high)});
    const double k = static_cast<double>(use.count);
    mean += k * m1;
    variance += k * (m2 - m1 * m1);
    count += k;
    if (!loss->atoms.empty() && !has_two_directions(use)) {
      const double spacing =
          2 * loss->atoms.front().loss / std::max(1.0, static_cast<double>(loss->atoms.size()) - 1);
      if (k * spacing * spacing > atom_weight) {
        atom_weight = k * spacing * spacing;
        atom = spacing / 2;
      }
    }
  }
  const double deviation = std::sqrt(std::max(variance, 1e-30));
  const double z = std::sqrt(2 * std::max(1.0, -log_delta));
  const double epsilon = std::max(mean + z * deviation, 1e-3 * deviation);
  double step = std::sqrt(gap * epsilon * deviation * 8 / (3 * count * z));
  step = std::min(step, deviation / 64);
  if (atom > 0) step = atom / std::ceil(atom / step);
  return std::max({step, range / kCellsMax, 20 * deviation / kWindow});
}

/// Evaluates one side at one step; `read` takes the bound out of a Composed, `tilt` centres it.
template <class Tilt, class Read>
Bounds bracket(const std::vector<Use>& all, double log_delta, const PldOptions& options,
               const Tilt& tilt, const Read& read) {
  std::vector<Use> uses;
  for (const Use& use : all) {
    if (!costs_nothing(use)) uses.push_back(use);
  }
  Bounds best{0, kInfinity, "privacy-loss distributions [ZDW22, DGKKM22]"};
  if (uses.empty()) return {0, 0, best.theorem};
  bool two_directions = false;
  double count = 0;
  for (const Use& use : uses) {
    two_directions = two_directions || has_two_directions(use);
    count += static_cast<double>(use.count);
  }
  const double tail = std::exp(std::max(log_delta - 14, -690.0)) / count;
  double step = first_step(uses, log_delta, tail, options.gap);
  for (int round = 0; step > 0 && round < options.rounds; ++round, step *= 0.5) {
    const auto side = [&](Side which, bool reverse) {
      const double nothing = which == Side::kUpper ? kInfinity : 0;
      const auto grid = on_grid(uses, which, reverse, step, tail);
      if (!grid) return nothing;
      for (const Uses& use : *grid) {
        if (use.loss.p.empty() || use.loss.infinity >= 1) return nothing;
      }
      return read(Composed::of(*grid, which, tilt(*grid)));
    };
    double upper = side(Side::kUpper, false);
    if (two_directions) upper = std::max(upper, side(Side::kUpper, true));
    const double before = best.upper - best.lower;
    best.upper = std::min(best.upper, upper);
    best.lower = std::max(best.lower, side(Side::kLower, false));
    const double gap = best.upper - best.lower;
    if (!(best.upper < kInfinity) || gap <= options.gap * best.upper || gap > 0.8 * before) break;
  }
  best.lower = std::min(best.lower, best.upper);
  return best;
}

}  // namespace

Bounds pld_epsilon(const std::vector<Use>& uses, double delta, const PldOptions& options) {
  return bracket(
      uses, std::log(delta), options, [&](const auto& grid) { return tilt_for_delta(grid, delta); },
      [&](const Composed& composed) { return composed.epsilon(delta); });
}

Bounds pld_delta(const std::vector<Use>& uses, double epsilon, const PldOptions& options) {
  return bracket(
      uses, -30, options, [&](const auto& grid) { return tilt_for_epsilon(grid, epsilon); },
      [&](const Composed& composed) {
        return std::min(1.0, std::exp(composed.log_delta(epsilon)));
      });
}

}  // namespace discreet::accounting
