// SPDX-License-Identifier: Apache-2.0
#include "learn/linear.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/moments.h"

namespace discreet::learn {

double Regression::predict(std::span<const double> encoded) const {
  const double y =
      std::inner_product(encoded.begin(), encoded.end(), coefficients.begin(), intercept);
  return std::clamp(y, low, high);
}

Result<void> check_task(const RegressionTask& task) {
  if (task.features.empty()) return invalid_input("name at least one feature with --features");
  for (const Column& column : task.columns) DISCREET_TRY(check_column(column));
  if (task.columns[task.target].categorical()) {
    return invalid_input("the target " + in_quotes(task.columns[task.target].name) +
                         " of a regression must be a number; classify it instead");
  }
  return {};
}

std::vector<Rational> regression_shares() { return {40, 6, 54}; }

Result<Regression> fit_regression(Sums& sums, const RegressionTask& task) {
  DISCREET_TRY(check_task(task));
  Regression out;
  out.features = Features(task.columns, task.features);
  const Column& target = task.columns[task.target];
  out.target = target.name;
  out.low = target.low;
  out.high = target.high;
  const std::size_t d = out.features.width();
  const double centre = (target.low + target.high) / 2;
  const double half = (target.high - target.low) / 2;
  // The vector (features, y) with y in [-1, 1].
  const Encode encode = [&](std::span<const std::int64_t> row, std::span<double> v) {
    const std::int64_t cell = row[task.target];
    if (cell == kMissing || !out.features.encode(row, v.first(d))) return false;
    v[d] = std::clamp((target.value(cell) - centre) / half, -1.0, 1.0);
    return true;
  };
  // Means first: about them the vectors are short, and so is the noise of their products.
  DISCREET_ASSIGN(const Means first, means(sums, d + 1, d, encode));
  const double n = first.count;
  DISCREET_ASSIGN(const Moments m, moments(
                                       sums, d + 1,
                                       [&](std::span<const std::int64_t> row, std::span<double> v) {
                                         if (!encode(row, v)) return false;
                                         for (std::size_t i = 0; i <= d; ++i)
                                           v[i] -= first.means[i];
                                         return true;
                                       },
                                       false));
  Symmetric covariance(d);
  std::vector<double> with_y(d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) covariance.set(i, j, m.sums(i + 1, j + 1) / n);
    with_y[i] = m.sums(i + 1, d + 1) / n;
  }
  const std::vector<double>& means = first.means;
  const double mean_y = means[d];
  // Symmetric noise of deviation s has norm about 2 s sqrt(d). The ridge is what the least
  // eigenvalue lacks of that: none where the data is strong, all where it is lost in noise
  // [AdaSSP].
  const double noise = m.deviation / n;
  const double norm = 2 * noise * std::sqrt(static_cast<double>(d));
  const double ridge = std::max({task.ridge, norm - least_eigenvalue(covariance), 0.0}) + 1e-9;
  const Cholesky inverse = Cholesky::with_ridge(covariance, ridge);
  // Correlations that are no longer than their noise would be are drawn towards 0.
  double squares_y = 0;
  for (const double x : with_y) squares_y += x * x;
  const double kept = std::clamp(
      1 - static_cast<double>(d) * noise * noise / std::max(squares_y, 1e-300), 0.0, 1.0);
  for (double& x : with_y) x *= kept;
  const std::vector<double> w = inverse.solve(with_y);
  double explained = 0;
  double length = 0;
  for (std::size_t i = 0; i < d; ++i) {
    explained += w[i] * with_y[i];
    length += w[i] * w[i];
  }
  const double variance_y = std::max(m.sums(d + 1, d + 1) / n, 0.0);
  const double residual = std::max(variance_y - explained, 1e-9);
  out.residual_deviation = half * std::sqrt(residual);
  out.intercept = centre + half * mean_y;
  for (std::size_t i = 0; i < d; ++i) {
    std::vector<double> unit(d, 0.0);
    unit[i] = 1;
    const std::vector<double> column = inverse.solve(unit);
    double squares = 0;
    for (const double x : column) squares += x * x;
    // Sampling, and noise in X^T y and in X^T X times the coefficients.
    const double variance =
        std::max(column[i], 0.0) * residual / n + squares * noise * noise * (1 + length);
    out.coefficients.push_back(half * w[i]);
    out.half_widths.push_back(half * 1.96 * std::sqrt(variance));
    out.intercept -= half * w[i] * means[i];
  }
  return out;
}

}  // namespace discreet::learn
