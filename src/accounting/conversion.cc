// SPDX-License-Identifier: Apache-2.0
#include "accounting/conversion.h"

#include <algorithm>
#include <cmath>

#include "accounting/constants.h"
#include "accounting/outward.h"

namespace discreet::accounting {

double epsilon_at_order(double order, double tau, const Rational& delta) {
  DISCREET_CHECK(order > 1 && delta.sign() > 0 && delta < 1);
  if (!(tau < kInfinity)) return kInfinity;
  const Interval alpha = at(order);
  const Interval left = log(at(delta)) + log(alpha);
  const Interval epsilon = at(tau) + log(at(1) - at(1) / alpha) - left / (alpha - at(1));
  return std::max(0.0, up(epsilon));
}

double log_delta_at_order(double order, double tau, const Rational& epsilon) {
  DISCREET_CHECK(order > 1 && epsilon.sign() >= 0);
  if (!(tau < kInfinity)) return 0;
  const Interval alpha = at(order);
  const Interval slope = at(tau) - at(epsilon) + log(at(1) - at(1) / alpha);
  return std::min(0.0, up((alpha - at(1)) * slope - log(alpha)));
}

double epsilon_guess(double order, double tau, double log_delta) {
  return tau + std::log1p(-1 / order) - (log_delta + std::log(order)) / (order - 1);
}

double log_delta_guess(double order, double tau, double epsilon) {
  return (order - 1) * (tau - epsilon + std::log1p(-1 / order)) - std::log(order);
}

double exp_up(double x) {
  if (x < -1e6) return 0x1p-1060;
  return std::min(1.0, up(exp(at(std::min(x, 0.0)))));
}

Rational delta_left(const Rational& delta, const Rational& spent) {
  if (spent >= delta) return 0;
  return (delta - spent) / (Rational(1) - spent);
}

}  // namespace discreet::accounting
