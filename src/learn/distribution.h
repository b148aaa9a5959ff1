// SPDX-License-Identifier: Apache-2.0
// Distributions of single columns from one round: histograms, and from these, free, densities,
// quantile functions and parametric fits.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "learn/features.h"
#include "learn/sums.h"

namespace discreet::learn {

struct DistributionTask {
  std::vector<Column> columns;
  std::size_t bins = 64;  ///< of a number's range; categories have one each
};

struct Histogram {
  std::string column;
  std::vector<std::string> labels;  ///< of categories; empty for numbers
  double low = 0, high = 0;         ///< of numbers
  std::vector<double> counts;       ///< as released
  double deviation = 0;             ///< of each count's noise

  /// Shares that are not negative and add up to 1: the nearest to the released counts, in squares.
  std::vector<double> shares() const;
  /// The value below which `p` of the units are; numbers only.
  double quantile(double p) const;
};

/// mean and deviation of a number, with the normal, log-normal and exponential laws of the same
/// moments, each with its distance (the largest difference of distribution functions).
struct ParametricFit {
  double mean = 0;
  double deviation = 0;
  struct Law {
    std::string name;
    std::vector<double> parameters;
    double distance = 0;
  };
  std::vector<Law> laws;  ///< the nearest first
};

Result<void> check_task(const DistributionTask& task);
std::vector<Rational> distribution_shares();
Result<std::vector<Histogram>> fit_distribution(Sums& sums, const DistributionTask& task);
ParametricFit parametric_fit(const Histogram& histogram);

/// The point of the simplex (sum 1, none negative) that is nearest to v.
std::vector<double> nearest_shares(std::vector<double> v);

/// Which of `bins` equal parts of a column's range a cell is in; a category is its own. -1: none.
std::int64_t bin_of(const Column& column, std::int64_t cell, std::size_t bins);
std::size_t bin_count(const Column& column, std::size_t bins);

}  // namespace discreet::learn
