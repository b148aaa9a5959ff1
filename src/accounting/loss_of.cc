// SPDX-License-Identifier: Apache-2.0
#include "accounting/loss_of.h"

#include <algorithm>
#include <cmath>

namespace discreet::accounting {
namespace {

constexpr double kLaplaceMax = 128;
constexpr double kReachMin = 1e-11;      // narrower losses are lost in rounding
constexpr double kPointReachMax = 1300;  // e^loss must be a double
constexpr double kPointTail = 1e-40;     // for measuring; not for answers
constexpr double kPointLossMax = 600;

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

double nearest(const Rational& x) { return x.to_double(Round::kUp); }
double mu_of(const Rational& multiplier) { return nearest(Rational(1) / multiplier); }

struct VarianceOf {
  double operator()(const Gaussian& m) const { return square(mu_of(m.noise_multiplier)); }
  double operator()(const DiscreteGaussian& m) const { return square(mu_of(m.noise_multiplier)); }
  // E[L^2] <= q E[L_0^2] where the loss is large, q^2 (e^{mu^2} - 1) where it is small.
  double operator()(const SubsampledGaussian& m) const {
    const double mu = mu_of(m.noise_multiplier);
    const double q = nearest(m.q);
    return std::min(square(q) * std::expm1(std::min(square(mu), kPointLossMax)),
                    q * (square(mu) + square(square(mu)) / 4));
  }
  double operator()(const SubsampledLaplace& m) const {
    const double epsilon = nearest(m.epsilon);
    const double q = nearest(m.q);
    return std::min(square(q * std::expm1(std::min(epsilon, kPointLossMax / 2))),
                    q * square(epsilon));
  }
  // The others: no loss is beyond epsilon.
  template <class Pure>
  double operator()(const Pure& m) const {
    return square(nearest(m.epsilon));
  }
  static double square(double x) { return x * x; }
};

struct ReachOf {
  double z;  // how many deviations hold all but the tail

  double operator()(const Gaussian& m) const { return 2 * z * mu_of(m.noise_multiplier); }
  double operator()(const DiscreteGaussian& m) const { return 2 * z * mu_of(m.noise_multiplier); }
  double operator()(const SubsampledGaussian& m) const {
    const double mu = mu_of(m.noise_multiplier);
    return std::min(2 * z * mu, sampled(mu * mu / 2 + z * mu, nearest(m.q)));
  }
  double operator()(const SubsampledLaplace& m) const {
    return sampled(nearest(m.epsilon), nearest(m.q));
  }
  template <class Pure>
  double operator()(const Pure& m) const {
    return 2 * nearest(m.epsilon);
  }
  /// From ln(1 - q + q e^{-loss}) to ln(1 - q + q e^loss).
  static double sampled(double loss, double q) {
    const double most = std::min(loss, kPointLossMax);
    return std::log1p(q * std::expm1(most)) - std::log1p(q * std::expm1(-most)) + (loss - most);
  }
};

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

}  // namespace

std::optional<Loss> loss_of(const Mechanism& mechanism, Side side, double step) {
  std::optional<Loss> loss = std::visit(LossOf{side, step}, mechanism);
  if (!loss || !loss->atoms.empty()) return loss;
  const double reach = reach_of(mechanism, kPointTail);
  return reach < kReachMin || reach > kPointReachMax ? std::nullopt : loss;
}

double variance_of(const Mechanism& mechanism) { return std::visit(VarianceOf{}, mechanism); }

double reach_of(const Mechanism& mechanism, double tail) {
  return std::visit(ReachOf{std::sqrt(-2 * std::log(tail))}, mechanism);
}

std::optional<Rational> atom_unit(const Mechanism& mechanism) {
  return std::visit(UnitOf{}, mechanism);
}

bool is_sampled(const Mechanism& mechanism) {
  return std::holds_alternative<SubsampledGaussian>(mechanism) ||
         std::holds_alternative<SubsampledLaplace>(mechanism);
}

}  // namespace discreet::accounting
