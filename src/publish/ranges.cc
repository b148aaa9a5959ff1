// SPDX-License-Identifier: Apache-2.0
#include "publish/ranges.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "accounting/fft.h"

namespace discreet::publish {
namespace {

using accounting::Fourier;
using accounting::Spectrum;

/// The first n terms of 1/c, by Newton's steps g <- g (2 - c g). Requires: c_0 = 1.
std::vector<double> inverse(std::span<const double> c, std::size_t n) {
  std::vector<double> g{1};
  while (g.size() < n) {
    const std::size_t longer = std::min(n, 2 * g.size());
    std::vector<double> error = series_product(c.first(std::min(c.size(), longer)), g, longer);
    for (double& term : error) term = -term;
    error[0] += 2;
    g = series_product(g, error, longer);
  }
  return g;
}

}  // namespace

std::vector<double> series_product(std::span<const double> a, std::span<const double> b,
                                   std::size_t n) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(8, a.size() + b.size()));
  const auto fourier = Fourier::shared(size);
  Spectrum x(size);
  Spectrum y(size);
  for (std::size_t i = 0; i < a.size(); ++i) x.at(i) = a[i];
  for (std::size_t i = 0; i < b.size(); ++i) y.at(i) = b[i];
  fourier->forward(x);
  fourier->forward(y);
  accounting::multiply(x, y);
  fourier->inverse(x);
  std::vector<double> product(n);
  for (std::size_t i = 0; i < std::min(n, size); ++i) product[i] = x.at(i);
  return product;
}

std::vector<double> inverse_series(const mechanism::Toeplitz& mixing) {
  std::vector<double> c;
  for (const std::int64_t each : mixing.coefficients()) {
    c.push_back(static_cast<double>(each) / static_cast<double>(mixing.unit()));
  }
  return inverse(c, static_cast<std::size_t>(mixing.days()));
}

std::vector<double> running_sum_series(const mechanism::Toeplitz& mixing) {
  std::vector<double> r = inverse_series(mixing);
  for (std::size_t k = 1; k < r.size(); ++k) r[k] += r[k - 1];
  return r;
}

std::vector<double> running_sum_variances(std::span<const double> series) {
  std::vector<double> out;
  double sum = 0;
  for (const double r : series) out.push_back(sum += r * r);
  return out;
}

double range_variance(std::span<const double> series, std::int64_t from, std::int64_t to) {
  double sum = 0;
  for (std::int64_t j = 0; j <= to; ++j) {
    double term = series[static_cast<std::size_t>(to - j)];
    if (j < from) term -= series[static_cast<std::size_t>(from - 1 - j)];
    sum += term * term;
  }
  return sum;
}

double mean_error_bound(std::int64_t days) {
  const double n = static_cast<double>(days);
  double sum = 0;
  for (std::int64_t j = 1; j <= days; ++j) {
    sum += 1 / (2 * std::sin((2 * static_cast<double>(j) - 1) * std::numbers::pi / (4 * n + 2)));
  }
  return sum / n;
}

double best_known_error(std::int64_t days) {
  const double n = static_cast<double>(days);
  double sum = 0;
  for (std::int64_t j = 1; j <= days; ++j) {
    sum += 1 / std::sin((2 * static_cast<double>(j) - 1) * std::numbers::pi / (2 * n));
  }
  return (1 + sum / n) / 2;
}

TreeError binary_tree_error(std::int64_t days, std::int64_t days_per_unit) {
  // The first w days lie in w/2^h nodes of level h, 2^h in each (the last one has the rest); day
  // t's running sum takes popcount(t) nodes.
  const auto levels = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(days)));
  double squared = 0;
  for (int h = 0; h < levels; ++h) {
    const std::int64_t width = std::int64_t{1} << h;
    const double rest = static_cast<double>(days_per_unit % width);
    squared += static_cast<double>(days_per_unit / width) * static_cast<double>(width) *
                   static_cast<double>(width) +
               rest * rest;
  }
  double mean = 0;
  double worst = 0;
  for (std::int64_t t = 1; t <= days; ++t) {
    const double nodes = std::popcount(static_cast<std::uint64_t>(t));
    mean += nodes;
    worst = std::max(worst, nodes);
  }
  return {std::sqrt(worst * squared), std::sqrt(mean / static_cast<double>(days) * squared)};
}

}  // namespace discreet::publish
