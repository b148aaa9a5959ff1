// SPDX-License-Identifier: Apache-2.0
#include "accounting/pld_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "accounting/coarsen.h"
#include "accounting/loss.h"

namespace discreet::accounting {
namespace {

constexpr int kCountBits = 13;
constexpr double kCellsMax = 1 << 16;
constexpr double kWindow = 1 << 19;  // what a sum may span, in steps
constexpr double kLaplaceMax = 128;
constexpr double kSpanMin = 1e-11;    // narrower losses are lost in rounding
constexpr double kSpanMax = 1300;     // e^loss must be a double
constexpr double kUsesMax = 1 << 24;  // beyond, what is added makes the bound useless
constexpr double kTail = 1e-40;       // for measuring; not for answers
// A step of this part of a loss's deviation moves epsilon by a few parts in 10^4.
constexpr double kFine = 1.0 / 20;
// Where atoms do not fit one grid the error is of first order in the step.
constexpr double kFiner = kFine / 16;

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
    if (side == Side::kUpper || step == 0) return value;
    const double lowered = step * parts * std::floor(value / (step * parts) * (1 + 1e-13));
    return lowered <= 0 ? value : std::min(value, lowered);
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

/// What all atoms of a mechanism's loss are multiples of, if there is such a number.
struct UnitOf {
  std::optional<Rational> operator()(const Laplace& m) const { return m.epsilon; }
  std::optional<Rational> operator()(const DiscreteLaplace& m) const {
    return m.epsilon / Rational(static_cast<std::int64_t>(m.steps));
  }
  std::optional<Rational> operator()(const Generic& m) const { return m.epsilon; }
  std::optional<Rational> operator()(const Exponential& m) const { return m.epsilon / 2; }
  std::optional<Rational> operator()(const PermuteAndFlip& m) const { return m.epsilon / 2; }
  template <class Other>
  std::optional<Rational> operator()(const Other&) const {
    return std::nullopt;
  }
};

bool is_sampled(const Use& use) {
  return std::holds_alternative<SubsampledGaussian>(use.mechanism) ||
         std::holds_alternative<SubsampledLaplace>(use.mechanism);
}
bool is_sampled_laplace(const Use& use) {
  return std::holds_alternative<SubsampledLaplace>(use.mechanism);
}
bool is_gaussian(const Use& use) { return std::holds_alternative<Gaussian>(use.mechanism); }

Rational common_unit(const Rational& a, const Rational& b) {
  const Integer left = a.numerator() * b.denominator();
  const Integer right = b.numerator() * a.denominator();
  Integer divisor;
  mpz_gcd(divisor.get_mpz_t(), left.get_mpz_t(), right.get_mpz_t());
  return Rational::ratio(divisor, a.denominator() * b.denominator());
}

/// Deviation and extent of one use's loss.
struct Size {
  double deviation = 0;
  double extent = 0;
};

std::optional<Size> size_of(const Use& use) {
  const std::optional<Loss> loss = std::visit(LossOf{Side::kUpper, 0}, use.mechanism);
  if (!loss) return std::nullopt;
  const Span whole = span(*loss, kTail);
  if (whole.high - whole.low < kSpanMin && loss->atoms.empty()) return std::nullopt;
  if (whole.high - whole.low > kSpanMax) return std::nullopt;
  // Moments from the middle: a few hundred cells.
  const Span middle = span(*loss, 1e-6);
  const double step = std::max((middle.high - middle.low) / 256, 1e-10 * std::fabs(middle.high));
  const GridLoss coarse = round_up(*loss, {step, 0}, 1e-6);
  double m0 = 0;
  double m1 = 0;
  double m2 = 0;
  for (std::size_t i = 0; i < coarse.p.size(); ++i) {
    const double l = static_cast<double>(coarse.first + static_cast<long>(i)) * step;
    m0 += coarse.p[i];
    m1 += coarse.p[i] * l;
    m2 += coarse.p[i] * l * l;
  }
  m1 /= m0;
  const double variance = m2 / m0 - m1 * m1;
  return Size{std::sqrt(std::max(variance, step * step)),
              std::max(whole.high - whole.low, 1e-4 * std::fabs(whole.high))};
}

/// A step near `wanted` on which the atoms of all mechanisms lie, if there is one.
double step_for_atoms(const std::vector<Use>& uses, double deviation) {
  const double wanted = kFine * deviation;
  std::optional<Rational> unit;
  std::vector<const Use*> sampled;
  for (const Use& use : uses) {
    if (is_sampled_laplace(use)) sampled.push_back(&use);
    const std::optional<Rational> one = std::visit(UnitOf{}, use.mechanism);
    if (one) unit = unit ? common_unit(*unit, *one) : *one;
  }
  double spacing = 0;
  if (unit && sampled.empty()) {
    spacing = unit->to_double(Round::kDown);
  } else if (!unit && sampled.size() == 1) {
    const auto loss = std::visit(LossOf{Side::kUpper, 0}, sampled[0]->mechanism);
    if (loss) spacing = loss->atoms.front().loss - loss->atoms.back().loss;
  } else if (!unit) {
    return wanted;
  }
  if (spacing < wanted / 16) return kFiner * deviation;
  return spacing / std::ceil(spacing / wanted);
}

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
  // A lower bound may leave uses out.
  for (const Use& use : uses) {
    if (size_of(use)) lower_.push_back(use);
  }
  lower_ = one_gaussian(lower_, Round::kDown);
  double variance = 0;
  double extent = 0;
  double least = 0;  // the least deviation of one use; of Gaussians only if there are no others
  const bool only_gaussians = std::all_of(uses.begin(), uses.end(), is_gaussian);
  bool known = true;
  for (Use& use : uses) {
    const Rung rung = rung_of(use.count);
    use.count = rung.count;
    rungs_ += rung.index;
    const auto k = static_cast<double>(rung.count);
    count_ += k;
    two_directions_ = two_directions_ || is_sampled(use);
    const std::optional<Size> size = size_of(use);
    if (!size) {
      known = false;
      continue;
    }
    variance += k * size->deviation * size->deviation;
    if (only_gaussians || !is_gaussian(use)) {
      extent = std::max(extent, size->extent);
      least = least == 0 ? size->deviation : std::min(least, size->deviation);
    }
  }
  upper_ = one_gaussian(uses, Round::kUp);
  known_ = known && count_ <= kUsesMax;
  if (lower_.empty()) return;
  deviation_ = std::sqrt(variance);
  step_ = step_for_atoms(upper_, least);
  while (20 * deviation_ > kWindow * step_) step_ *= 2;
  error_ = 4e-9 * (deviation_ + extent) + 1e-13 * count_ * deviation_;
}

/// Doubled until every loss fits its cells: more with each larger Gaussian and with each smaller
/// tail.
double PldPlan::step(double tail) const {
  double extent = 0;
  for (const Use& use : upper_) {
    if (const auto loss = std::visit(LossOf{Side::kUpper, 0}, use.mechanism)) {
      const Span whole = span(*loss, tail);
      extent = std::max({extent, whole.high - whole.low, 1e-4 * std::fabs(whole.high)});
    }
  }
  double out = step_;
  while (extent > kCellsMax * out) out *= 2;
  return out;
}

std::optional<std::vector<Uses>> PldPlan::grids(Side side, bool reverse, double tail) const {
  if (step_ == 0 || (side == Side::kUpper && !known_)) return std::nullopt;
  const double step = this->step(tail);
  std::vector<Uses> out;
  for (const Use& use : side == Side::kUpper ? upper_ : lower_) {
    std::optional<Loss> loss = std::visit(LossOf{side, step}, use.mechanism);
    if (!loss) return std::nullopt;
    if (reverse) loss = reversed(*loss);
    const Span whole = span(*loss, tail);
    if (whole.high - whole.low > 4 * kCellsMax * step) return std::nullopt;
    // The greatest atom of a sampled Laplace loss lies on no natural grid: shift it there.
    Grid grid{step, 0};
    if (is_sampled_laplace(use)) {
      const double top = std::max(loss->atoms.front().loss, loss->atoms.back().loss);
      grid.offset = top - step * std::floor(top / step);
    }
    GridLoss placed =
        side == Side::kUpper ? round_up(*loss, grid, tail) : round_down(*loss, grid, tail);
    if (placed.p.empty() || placed.infinity >= 1) return std::nullopt;
    out.push_back({std::move(placed), static_cast<double>(use.count)});
  }
  return out;
}

}  // namespace discreet::accounting
