// SPDX-License-Identifier: Apache-2.0
// True probabilities as intervals, and Pearson's test, for the samplers' tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <span>

#include "numeric/interval.h"
#include "numeric/real.h"

namespace discreet::random {

inline constexpr int kTestPrecision = 300;

inline Rational parse(const char* text) { return Rational::parse(text).value(); }

/// (1-q)/(1+q) q^|z|
inline Interval laplace_probability(const Rational& scale, std::int64_t z,
                                    int precision = kTestPrecision) {
  const Rational epsilon = Rational(1) / scale;
  const Interval one = Interval::around(1, precision);
  const Interval q = exp(Interval::around(-epsilon, precision));
  const Rational size = Rational(z).abs();
  return (one - q) / (one + q) * exp(Interval::around(-(size * epsilon), precision));
}

/// e^(-z^2 / 2 sigma^2) over the sum of all, cut where the rest is below 2^-400.
inline Interval gaussian_probability(const Rational& variance, std::int64_t z,
                                     int precision = kTestPrecision) {
  const auto weight = [&](std::int64_t y) {
    return exp(
        Interval::around(-(Rational(y) * Rational(y) / (Rational(2) * variance)), precision));
  };
  static std::map<std::pair<Rational, int>, Interval> totals;
  const auto key = std::make_pair(variance, precision);
  if (!totals.contains(key)) {
    Interval total = weight(0);
    const Rational limit = Rational(600) * variance + Rational(1000);
    for (std::int64_t y = 1; Rational(y) * Rational(y) <= limit; ++y) {
      total = total + weight(y) + weight(y);
    }
    const Rational rest = power_of_two(-400);
    total = total + (Interval::around(rest, precision) - Interval::around(0, precision));
    totals.emplace(key, total);
  }
  return weight(z) / totals.at(key);
}

/// Phi((z + 1/2)/sigma) - Phi((z - 1/2)/sigma)
inline Interval rounded_gaussian_probability(const Rational& variance, std::int64_t z,
                                             int precision = kTestPrecision) {
  const Interval root = sqrt(Interval::around(Rational(8) * variance, precision));
  const auto outside = [&](std::int64_t halves) {
    return erfc(Interval::around(Rational(halves), precision) / root);
  };
  const std::int64_t size = z < 0 ? -z : z;
  return (outside(2 * size - 1) - outside(2 * size + 1)) / Interval::around(2, precision);
}

inline double to_double(const Interval& x) { return x.low().to_double(Round::kDown); }

/// Pearson's statistic of `draws` against p(z), values of |z| >= cut lumped by sign, as a standard
/// normal deviate (Wilson and Hilferty). Above kDeviateMax has probability 1e-9 for a right
/// sampler.
inline constexpr double kDeviateMax = 6.0;

inline double chi_square_deviate(std::span<const std::int64_t> draws, std::int64_t cut,
                                 const std::function<double(std::int64_t)>& p) {
  std::map<std::int64_t, double> counts;
  for (const std::int64_t z : draws) counts[z <= -cut ? -cut : (z >= cut ? cut : z)] += 1;
  const auto n = static_cast<double>(draws.size());
  double inside = 0;
  double statistic = 0;
  const auto add = [&](std::int64_t z, double probability) {
    const double expected = n * probability;
    statistic += (counts[z] - expected) * (counts[z] - expected) / expected;
  };
  for (std::int64_t z = -cut + 1; z < cut; ++z) {
    add(z, p(z));
    inside += p(z);
  }
  add(-cut, (1 - inside) / 2);
  add(cut, (1 - inside) / 2);
  const auto freedom = static_cast<double>(2 * cut);
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread);
}

}  // namespace discreet::random
