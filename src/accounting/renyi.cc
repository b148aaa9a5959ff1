// SPDX-License-Identifier: Apache-2.0
#include "accounting/renyi.h"

#include <algorithm>
#include <cmath>

#include "accounting/constants.h"
#include "accounting/conversion.h"
#include "accounting/outward.h"
#include "accounting/renyi_curves.h"

namespace discreet::accounting {
namespace {

constexpr double kGuessError = 1e-6;  // relative; guesses are better by far

std::vector<double> make_orders() {
  std::vector<double> out;
  for (int k = 16; k >= 1; --k) out.push_back(1 + std::ldexp(1.0, -k));
  out.push_back(1.75);
  for (int k = 2; k <= 64; ++k) out.push_back(k);
  for (double k = 64; k < 1024; k *= 2) {
    out.push_back(1.5 * k);
    out.push_back(2 * k);
  }
  for (int k = 11; k <= 20; ++k) out.push_back(std::ldexp(1.0, k));
  return out;
}

}  // namespace

std::span<const double> renyi_orders() {
  static const std::vector<double> orders = make_orders();
  return orders;
}

RenyiCurve::RenyiCurve() : tau_(renyi_orders().size(), 0.0) {}

RenyiCurve RenyiCurve::of(const Mechanism& mechanism) {
  RenyiCurve out;
  out.tau_ = renyi_curve(mechanism, renyi_orders());
  if (const auto* generic = std::get_if<Generic>(&mechanism)) out.delta_ = generic->delta;
  return out;
}

RenyiCurve RenyiCurve::of(const std::vector<Use>& uses) {
  RenyiCurve out;
  for (const Use& use : uses) out = out.composed(of(use.mechanism).times(use.count));
  return out;
}

RenyiCurve RenyiCurve::composed(const RenyiCurve& other) const {
  RenyiCurve out;
  for (std::size_t i = 0; i < tau_.size(); ++i) out.tau_[i] = add_up(tau_[i], other.tau_[i]);
  out.delta_ = add(delta_, other.delta_, Round::kUp);
  return out;
}

RenyiCurve RenyiCurve::times(std::uint64_t count) const {
  RenyiCurve out;
  // Counts are at most 10^9, which a double holds.
  const double factor = static_cast<double>(count);
  for (std::size_t i = 0; i < tau_.size(); ++i) out.tau_[i] = multiply_up(factor, tau_[i]);
  out.delta_ = delta_ * Rational(static_cast<std::int64_t>(count));
  return out;
}

RenyiCurve RenyiCurve::group(std::uint64_t k) const {
  DISCREET_CHECK(k >= 1 && delta_.sign() == 0);
  if (k == 1) return *this;
  double people = 1;
  double factor = 1;
  while (people < static_cast<double>(k)) {
    people *= 2;
    factor = multiply_up(factor, 3);
  }
  const std::span<const double> orders = renyi_orders();
  RenyiCurve out;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    // Curves grow with the order, so the next order of the grid above people * order will do.
    const double needed = people * std::max(2.0, orders[i]);
    const auto found = std::lower_bound(orders.begin(), orders.end(), needed);
    out.tau_[i] = found == orders.end()
                      ? kInfinity
                      : multiply_up(factor, tau_[static_cast<std::size_t>(found - orders.begin())]);
  }
  return out;
}

template <class Guess, class Exact>
double RenyiCurve::least_of(const Guess& guess, const Exact& exact) const {
  const std::span<const double> orders = renyi_orders();
  std::vector<double> guesses;
  double best = kInfinity;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    guesses.push_back(guess(orders[i], tau_[i]));
    best = std::min(best, guesses.back());
  }
  double least = kInfinity;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (guesses[i] <= best + kGuessError * (1 + std::fabs(best)))
      least = std::min(least, exact(orders[i], tau_[i]));
  }
  return least;
}

double RenyiCurve::epsilon(const Rational& delta) const {
  DISCREET_CHECK(delta.sign() > 0 && delta < 1);
  const Rational left = delta_left(delta, delta_);
  if (left.sign() == 0) return kInfinity;
  const double log_delta = std::log(left.to_double(Round::kUp));
  // All orders whose guess is near the best are tried, so that the result is the least over all.
  return least_of([&](double order, double tau) { return epsilon_guess(order, tau, log_delta); },
                  [&](double order, double tau) { return epsilon_at_order(order, tau, left); });
}

double RenyiCurve::delta(const Rational& epsilon) const {
  if (delta_ >= 1) return 1;
  const double target = epsilon.to_double(Round::kDown);
  const double least =
      least_of([&](double order, double tau) { return log_delta_guess(order, tau, target); },
               [&](double order, double tau) { return log_delta_at_order(order, tau, epsilon); });
  return std::min(1.0, add_up(delta_.to_double(Round::kUp), exp_up(std::min(0.0, least))));
}

}  // namespace discreet::accounting
