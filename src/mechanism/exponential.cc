// SPDX-License-Identifier: Apache-2.0
#include "mechanism/exponential.h"

#include <utility>

#include "mechanism/draws.h"
#include "numeric/real.h"
#include "random/select.h"

namespace discreet::mechanism {

Integer worst_shortfall(std::size_t candidates, const Rational& weight_per_unit,
                        const Confidence& confidence) {
  // exponential.md §4: all but the best candidate lie s + 1 below it; they win with probability at
  // most 1 - confidence iff e^{w (s+1)} >= odds.
  const Rational& c = confidence.value();
  const Rational odds = Rational(Integer(candidates - 1)) * c / (1 - c);
  if (odds <= 1) return 0;
  // ln(odds) is irrational for a rational odds > 1, so the quotient is no integer, and its ceiling
  // less one is its floor.
  return floor_scaled(
      [&](int precision) {
        return log(Interval::around(odds, precision)) /
               Interval::around(weight_per_unit, precision);
      },
      0);
}

std::vector<Int128> score_coordinates(const std::vector<std::int64_t>& scores) {
  return {scores.begin(), scores.end()};
}

Exponential::Exponential(Options options)
    : options_(std::move(options)),
      weight_per_unit_(options_.epsilon.value() / (2 * options_.sensitivity.value())) {}

Result<Exponential> Exponential::make(Options options) {
  if (options.candidates == 0) {
    return invalid_input("there is nothing to choose from: give at least one candidate");
  }
  return Exponential(std::move(options));
}

NoiseSpec Exponential::noise() const {
  return {"exponential(epsilon=" + options_.epsilon.to_string() +
          ",sensitivity=" + options_.sensitivity.to_string() +
          ",candidates=" + std::to_string(options_.candidates) + ")"};
}

Cost Exponential::cost() const {
  const Rational& epsilon = options_.epsilon.value();
  return {.epsilon = options_.epsilon,
          .rho = Rho::trusted(epsilon * epsilon / 8),
          .delta = Delta::trusted(0)};
}

Integer Exponential::shortfall(const Confidence& confidence) const {
  return worst_shortfall(options_.candidates, weight_per_unit_, confidence);
}

template <random::BitSource B>
Exponential::Output Exponential::draw(const Input& scores, B& bits) const {
  DISCREET_CHECK(scores.size() == options_.candidates);
  return random::exponential_select(scores, weight_per_unit_, bits);
}

DISCREET_DRAWS(Exponential)

}  // namespace discreet::mechanism
