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

/// The first n terms of a b.
std::vector<double> product(std::span<const double> a, std::span<const double> b, std::size_t n) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(8, a.size() + b.size()));
  const auto fourier = Fourier::shared(size);
  Spectrum x(size);
  Spectrum y(size);
  std::copy(a.begin(), a.end(), x.re.begin());
  std::copy(b.begin(), b.end(), y.re.begin());
  fourier->forward(x);
  fourier->forward(y);
  accounting::multiply(x, y, size);
  fourier->inverse(x);
  x.re.resize(n);
  return std::move(x.re);
}

/// The first n terms of 1/c, by Newton's steps g <- g (2 - c g). Requires: c_0 = 1.
std::vector<double> inverse(std::span<const double> c, std::size_t n) {
  std::vector<double> g{1};
  while (g.size() < n) {
    const std::size_t longer = std::min(n, 2 * g.size());
    std::vector<double> error = product(c.first(std::min(c.size(), longer)), g, longer);
    for (double& term : error) term = -term;
    error[0] += 2;
    g = product(g, error, longer);
  }
  return g;
}

}  // namespace

std::vector<double> running_sum_series(const mechanism::Toeplitz& mixing) {
  const auto days = static_cast<std::size_t>(mixing.days());
  std::vector<double> c;
  for (const std::int64_t each : mixing.coefficients()) {
    c.push_back(static_cast<double>(each) / static_cast<double>(mixing.unit()));
  }
  std::vector<double> r = inverse(c, days);
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

std::vector<double> running_sums(const mechanism::Toeplitz& mixing,
                                 std::span<const std::int64_t> released) {
  const auto& c = mixing.coefficients();
  const double unit = static_cast<double>(mixing.unit());
  std::vector<double> x(released.size());
  for (std::size_t t = 0; t < x.size(); ++t) {
    double rest = static_cast<double>(released[t]);
    for (std::size_t k = 1; k <= t && k < c.size(); ++k) {
      rest -= static_cast<double>(c[k]) * x[t - k];
    }
    x[t] = rest / unit;
  }
  for (std::size_t t = 1; t < x.size(); ++t) x[t] += x[t - 1];
  return x;
}

std::vector<double> whole_running_sums(std::span<const double> sums) {
  // Pools of neighbours that fall are put at their mean.
  struct Pool {
    double sum;
    double count;
  };
  std::vector<Pool> pools;
  for (const double sum : sums) {
    pools.push_back({sum, 1});
    while (pools.size() > 1) {
      const Pool last = pools.back();
      Pool& before = pools[pools.size() - 2];
      if (before.sum / before.count <= last.sum / last.count) break;
      before.sum += last.sum;
      before.count += last.count;
      pools.pop_back();
    }
  }
  std::vector<double> out;
  for (const Pool& pool : pools) {
    out.insert(out.end(), static_cast<std::size_t>(pool.count),
               std::max(0.0, std::round(pool.sum / pool.count)));
  }
  return out;
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

TreeError binary_tree_error(std::int64_t days) {
  // A day is in one node of each level; day t's running sum takes popcount(t) nodes.
  const double levels = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(days)));
  double mean = 0;
  double worst = 0;
  for (std::int64_t t = 1; t <= days; ++t) {
    const double nodes = std::popcount(static_cast<std::uint64_t>(t));
    mean += nodes;
    worst = std::max(worst, nodes);
  }
  return {std::sqrt(worst * levels), std::sqrt(mean / static_cast<double>(days) * levels)};
}

}  // namespace discreet::publish
