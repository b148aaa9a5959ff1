// SPDX-License-Identifier: Apache-2.0
// How often an interval must be seen to hold, when it says how often it does.
#pragma once

#include <cmath>

namespace discreet::session {

/// Few draws suffice near 0 and 1: 2,000 come within 0.028 of 0.95, for which Hoeffding's bound
/// would need 9,000.
inline constexpr int kShareDraws = 2000;

/// What the share of `draws` is below once in 10^6 times at most, if each holds with chance `p` or
/// more. Chernoff: it is below q < p with probability at most exp(-draws KL(q || p)).
inline double least_share(double p, int draws = kShareDraws) {
  const double enough = std::log(1e6) / draws;
  double low = 0;
  double high = p;
  while (high - low > 1e-6) {
    const double q = (low + high) / 2;
    const double divergence = q * std::log(q / p) + (1 - q) * std::log((1 - q) / (1 - p));
    (divergence >= enough ? low : high) = q;
  }
  return low;
}

}  // namespace discreet::session
