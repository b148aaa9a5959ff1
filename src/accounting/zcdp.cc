// SPDX-License-Identifier: Apache-2.0
#include "accounting/zcdp.h"

#include <algorithm>
#include <cmath>

#include "accounting/constants.h"
#include "accounting/conversion.h"
#include "accounting/outward.h"

namespace discreet::accounting {
namespace {

constexpr double kRungs = 16384;  // orders to a doubling of order - 1

struct CostOf {
  static Zcdp gaussian(const Rational& s) { return {Rational(1) / (Rational(2) * s * s), 0}; }
  static Zcdp pure(const Rational& epsilon, int divisor = 2) {
    return {epsilon * epsilon / Rational(divisor), 0};
  }

  std::optional<Zcdp> operator()(const Gaussian& m) const { return gaussian(m.noise_multiplier); }
  std::optional<Zcdp> operator()(const DiscreteGaussian& m) const {
    return gaussian(m.noise_multiplier);
  }
  std::optional<Zcdp> operator()(const Laplace& m) const { return pure(m.epsilon); }
  std::optional<Zcdp> operator()(const DiscreteLaplace& m) const { return pure(m.epsilon); }
  std::optional<Zcdp> operator()(const Generic& m) const {
    return Zcdp{pure(m.epsilon).rho, m.delta};
  }
  std::optional<Zcdp> operator()(const Exponential& m) const { return pure(m.epsilon, 8); }
  std::optional<Zcdp> operator()(const PermuteAndFlip& m) const { return pure(m.epsilon); }
  // With q = 0 nothing is seen; with q = 1 nothing is sampled.
  std::optional<Zcdp> operator()(const SubsampledGaussian& m) const {
    return sampled(m.q, gaussian(m.noise_multiplier));
  }
  std::optional<Zcdp> operator()(const SubsampledLaplace& m) const {
    return sampled(m.q, pure(m.epsilon));
  }

  static std::optional<Zcdp> sampled(const Rational& q, const Zcdp& whole) {
    if (q.sign() == 0) return Zcdp{0, 0};
    if (q == 1) return whole;
    return std::nullopt;
  }
};

/// The rung 1 + 2^{i/16384} that `guess` likes best, searched on a logarithmic scale of order - 1.
/// The orders that are then tried are fixed, so that the least over them is monotone.
template <class Guess>
double best_rung(const Guess& guess) {
  double low = std::log(1e-12);
  double high = std::log(1e15);
  const auto order = [](double x) { return 1 + std::exp(x); };
  constexpr double kGolden = 0.6180339887498949;
  double a = high - kGolden * (high - low);
  double b = low + kGolden * (high - low);
  double at_a = guess(order(a));
  double at_b = guess(order(b));
  for (int i = 0; i < 90; ++i) {
    if (at_a <= at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - kGolden * (high - low);
      at_a = guess(order(a));
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + kGolden * (high - low);
      at_b = guess(order(b));
    }
  }
  return std::round((at_a <= at_b ? a : b) / std::log(2.0) * kRungs);
}

/// The least of f over the rungs around the one that `guess` likes best: f falls and then rises in
/// the order, so it is the least over all.
template <class Guess, class Function>
double least_at_rungs(const Guess& guess, const Function& f) {
  const double middle = best_rung(guess);
  double least = kInfinity;
  for (double i = middle - 2; i <= middle + 2; ++i)
    least = std::min(least, f(1 + std::exp2(i / kRungs)));
  return least;
}

/// rho * order, rounded up.
double line(const Rational& rho, double order) {
  return (rho * exactly(order)).to_double(Round::kUp);
}

}  // namespace

std::optional<Zcdp> zcdp_of(const Mechanism& mechanism) { return std::visit(CostOf{}, mechanism); }

std::optional<Zcdp> zcdp_of(const std::vector<Use>& uses) {
  Zcdp sum{0, 0};
  for (const Use& use : uses) {
    const std::optional<Zcdp> one = zcdp_of(use.mechanism);
    if (!one) return std::nullopt;
    const Rational count(static_cast<std::int64_t>(use.count));
    sum.rho = add(sum.rho, one->rho * count, Round::kUp);
    sum.delta = add(sum.delta, one->delta * count, Round::kUp);
  }
  return sum;
}

double zcdp_epsilon(const Zcdp& cost, const Rational& delta) {
  DISCREET_CHECK(delta.sign() > 0 && delta < 1);
  const Rational left = delta_left(delta, cost.delta);
  if (left.sign() == 0) return kInfinity;
  if (cost.rho.sign() == 0) return 0;
  const double rho = cost.rho.to_double(Round::kUp);
  const double log_delta = std::log(left.to_double(Round::kUp));
  return least_at_rungs(
      [&](double order) { return epsilon_guess(order, rho * order, log_delta); },
      [&](double order) { return epsilon_at_order(order, line(cost.rho, order), left); });
}

double zcdp_delta(const Zcdp& cost, const Rational& epsilon) {
  if (cost.delta >= 1) return 1;
  const double spent = cost.delta.to_double(Round::kUp);
  if (cost.rho.sign() == 0) return spent;
  const double rho = cost.rho.to_double(Round::kUp);
  const double target = epsilon.to_double(Round::kDown);
  const double least = least_at_rungs(
      [&](double order) { return log_delta_guess(order, rho * order, target); },
      [&](double order) { return log_delta_at_order(order, line(cost.rho, order), epsilon); });
  return std::min(1.0, add_up(spent, exp_up(least)));
}

double zcdp_epsilon_classical(const Rational& rho, const Rational& delta) {
  return up(at(rho) + at(2) * sqrt(at(rho) * log(at(1) / at(delta))));
}

Rational zcdp_rho_for(const Rational& epsilon, const Rational& delta) {
  const double target = epsilon.to_double(Round::kDown);
  const auto fits = [&](double rho) { return zcdp_epsilon({exactly(rho), 0}, delta) <= target; };
  double high = target;
  while (high < 1e300 && fits(high)) high *= 2;
  double low = 0x1p-400;
  if (!fits(low)) return 0;
  while (high > low * (1 + 1e-9)) {
    const double middle =
        high > 4 * low ? std::sqrt(low) * std::sqrt(high) : low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return exactly(low);
}

}  // namespace discreet::accounting
