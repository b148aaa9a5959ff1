// SPDX-License-Identifier: Apache-2.0
#include "learn/distribution.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace discreet::learn {

std::size_t bin_count(const Column& column, std::size_t bins) {
  if (column.categorical()) return column.categories.size();
  return std::min(bins, static_cast<std::size_t>(std::max<std::int64_t>(column.cells(), 1)));
}

std::int64_t bin_of(const Column& column, std::int64_t cell, std::size_t bins) {
  if (cell == kMissing || cell < 0 || cell >= column.cells()) return -1;
  if (column.categorical()) return cell;
  const auto count = static_cast<double>(bin_count(column, bins));
  const double part = static_cast<double>(cell) / static_cast<double>(column.cells());
  return static_cast<std::int64_t>(part * count);
}

std::vector<double> nearest_shares(std::vector<double> v) {
  // Subtract the one number that makes what stays positive add up to 1.
  std::vector<double> sorted = v;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double less = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    const double next = (sum - 1) / static_cast<double>(i + 1);
    if (sorted[i] <= next) break;
    less = next;
  }
  for (double& x : v) x = std::max(0.0, x - less);
  return v;
}

std::vector<double> Histogram::shares() const {
  double total = 0;
  for (const double c : counts) total += c;
  total = std::max(total, 1.0);
  std::vector<double> v;
  for (const double c : counts) v.push_back(c / total);
  return nearest_shares(std::move(v));
}

double Histogram::quantile(double p) const {
  const std::vector<double> s = shares();
  const double width = (high - low) / static_cast<double>(s.size());
  double below = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] > 0 && below + s[i] >= p) {
      return low + width * (static_cast<double>(i) + (p - below) / s[i]);
    }
    below += s[i];
  }
  return high;
}

Result<void> check_task(const DistributionTask& task) {
  if (task.columns.empty()) return invalid_input("name at least one column with --features");
  for (const Column& column : task.columns) DISCREET_TRY(check_column(column));
  if (task.bins < 2 || task.bins > 4096) return invalid_input("--bins must lie between 2 and 4096");
  double cells = 0;
  for (const Column& column : task.columns) {
    cells += static_cast<double>(bin_count(column, task.bins));
  }
  return check_entries(cells, "take fewer --bins, or fewer columns with --features");
}

std::vector<Rational> distribution_shares() { return {1}; }

Result<std::vector<Histogram>> fit_distribution(Sums& sums, const DistributionTask& task) {
  DISCREET_TRY(check_task(task));
  std::vector<std::size_t> first;
  std::size_t width = 0;
  for (const Column& column : task.columns) {
    first.push_back(width);
    width += bin_count(column, task.bins);
  }
  const auto columns = static_cast<double>(task.columns.size());
  DISCREET_ASSIGN(const std::vector<double> counts,
                  sums.sparse(width, sums.pure() ? columns : std::sqrt(columns),
                              [&](std::span<const std::int64_t> row, Sums::Pairs& out) {
                                for (std::size_t c = 0; c < task.columns.size(); ++c) {
                                  const std::int64_t bin =
                                      bin_of(task.columns[c], row[c], task.bins);
                                  if (bin < 0) continue;
                                  out.emplace_back(first[c] + static_cast<std::size_t>(bin), 1.0);
                                }
                              }));
  std::vector<Histogram> out;
  for (std::size_t c = 0; c < task.columns.size(); ++c) {
    const Column& column = task.columns[c];
    Histogram h{.column = column.name, .labels = column.categories, .counts = {}};
    h.low = column.low;
    h.high = column.high;
    h.deviation = sums.deviation();
    const auto from = counts.begin() + static_cast<std::ptrdiff_t>(first[c]);
    h.counts.assign(from, from + static_cast<std::ptrdiff_t>(bin_count(column, task.bins)));
    out.push_back(std::move(h));
  }
  return out;
}

ParametricFit parametric_fit(const Histogram& histogram) {
  const std::vector<double> s = histogram.shares();
  const double width = (histogram.high - histogram.low) / static_cast<double>(s.size());
  const auto middle = [&](std::size_t i) {
    return histogram.low + width * (static_cast<double>(i) + 0.5);
  };
  ParametricFit out;
  for (std::size_t i = 0; i < s.size(); ++i) out.mean += s[i] * middle(i);
  double variance = 0;
  for (std::size_t i = 0; i < s.size(); ++i) variance += s[i] * std::pow(middle(i) - out.mean, 2);
  out.deviation = std::sqrt(std::max(variance, width * width / 12));
  const auto normal = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const auto add = [&](std::string name, std::vector<double> parameters,
                       const std::function<double(double)>& below) {
    double sum = 0;
    double distance = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      sum += s[i];
      const double end = histogram.low + width * (static_cast<double>(i) + 1);
      distance = std::max(distance, std::abs(sum - below(end)));
    }
    out.laws.push_back({std::move(name), std::move(parameters), distance});
  };
  add("normal", {out.mean, out.deviation},
      [&](double x) { return normal((x - out.mean) / out.deviation); });
  if (histogram.low >= 0 && out.mean > 0) {
    const double s2 = std::log1p(out.deviation * out.deviation / (out.mean * out.mean));
    const double m = std::log(out.mean) - s2 / 2;
    add("log-normal", {m, std::sqrt(s2)},
        [=](double x) { return x <= 0 ? 0 : normal((std::log(x) - m) / std::sqrt(s2)); });
    add("exponential", {1 / out.mean},
        [&](double x) { return x <= 0 ? 0 : -std::expm1(-x / out.mean); });
  }
  std::sort(out.laws.begin(), out.laws.end(),
            [](const auto& a, const auto& b) { return a.distance < b.distance; });
  return out;
}

}  // namespace discreet::learn
