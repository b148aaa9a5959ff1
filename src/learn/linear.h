// SPDX-License-Identifier: Apache-2.0
// Linear and ridge regression in four looks, each at what the last left open:
//  1. how many rows there are, and where and how wide they lie (five numbers);
//  2. which way the target leans (a number for each feature): only where the rows are too few for
//     moments of all features;
//  3. second moments, of all features or of as many directions as the count can carry: the noise of
//     moments grows with their number squared, a direction that is not looked at costs nothing;
//  4. what is left unexplained. A residual is shorter than the target, so the noise of this look is
//     smaller, and one Newton step with the moments in hand takes back most of their error. Where
//     look 2 was not needed this one is taken twice.
// Every mean of a look is over that look's own weights. A unit's rows are clipped together, so a
// unit with many rows is left with another part of them in each look; dividing by the rows of
// another look would make a covariance that no rows have, and a step of any length. So where the
// policy allows several rows the look carries a mark for each row, and is divided by their sum.
// With one row each no mark is needed: weights w <= 1 alone make E[w t^2] >= E[w t]^2. The looks of
// 4 give a row no more weight than its features had in look 3, so that a step by its moments goes
// too short rather than too far.
// AdaSSP (Wang 2018) is look 3 alone, with a ridge against its noise; here the noise of the normal
// equations is part of the estimate: the least squares of equations, noise as their error.
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
  /// The most rows that a unit may have, by the policy.
  std::int64_t rows_each = 1;
};

/// y = intercept + sum of coefficients * (encoded features), in the target's units.
struct Regression {
  Features features;
  std::string target;
  double intercept = 0;
  std::vector<double> coefficients;
  /// At 95 %: sampling and noise, to first order; in directions that no look went to, as wide as
  /// one deviation of the target for one of the feature allows.
  std::vector<double> half_widths;
  double residual_deviation = 0;
  double low = 0, high = 0;  ///< predictions are held in the target's range

  double predict(std::span<const double> encoded) const;
};

Result<void> check_task(const RegressionTask& task);
std::vector<Rational> regression_shares();
Result<Regression> fit_regression(Sums& sums, const RegressionTask& task);

}  // namespace discreet::learn
