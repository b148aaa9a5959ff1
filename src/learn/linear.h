// SPDX-License-Identifier: Apache-2.0
// Linear and ridge regression from one release of second moments, with a ridge that grows with the
// noise (after AdaSSP, Wang 2018); coefficients with intervals.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "learn/features.h"
#include "learn/sums.h"

namespace discreet::learn {

struct RegressionTask {
  std::vector<Column> columns;
  std::vector<std::size_t> features;
  std::size_t target = 0;  ///< a number
  double ridge = 0;        ///< at least so much, per unit, in encoded features
};

/// y = intercept + sum of coefficients * (encoded features), in the target's units.
struct Regression {
  Features features;
  std::string target;
  double intercept = 0;
  std::vector<double> coefficients;
  std::vector<double> half_widths;  ///< at 95 %: sampling and noise, to first order
  double residual_deviation = 0;
  double low = 0, high = 0;  ///< predictions are held in the target's range

  double predict(std::span<const double> encoded) const;
};

Result<void> check_task(const RegressionTask& task);
std::vector<Rational> regression_shares();
Result<Regression> fit_regression(Sums& sums, const RegressionTask& task);

}  // namespace discreet::learn
