// SPDX-License-Identifier: Apache-2.0
// How far a mean of independent reports can be from its expectation: bounds that hold for every n,
// not only in the limit.
//
// Theorem     X_1..X_n independent, |X_i - E X_i| <= range, average variance between least and
//             most. Pr[|mean - E mean| > half_width(n, spread, beta)] <= beta.
// Proof       estimates.md, "Intervals": the smaller of Bernstein's bound and of the normal
//             quantile at what the Berry-Esseen theorem leaves of beta; which one is smaller does
//             not depend on the reports.
#pragma once

#include <cstdint>

#include "local/support.h"

namespace discreet::local {

struct Spread {
  double least = 0;  ///< variance of one report
  double most = 0;
  double range = 0;
};

/// Requires: n >= 1, 0 < beta < 1.
double half_width(double n, const Spread& spread, double beta);

struct Bounds {
  double low = 0;
  double high = 0;
};

/// All shares s for which `supported` of n reports is not too surprising:
/// Pr[true share in bounds] >= 1 - beta.
Bounds share_bounds(const Support& support, double supported, double n, double beta);

/// Phi^-1(1 - tail), 0 < tail < 1/2.
double normal_quantile(double tail);

}  // namespace discreet::local
