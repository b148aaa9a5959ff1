// SPDX-License-Identifier: Apache-2.0
// How often an interval must be seen to hold, when it says how often it does.
#pragma once

#include <cmath>

namespace discreet::session {

inline constexpr double kShareMargin = 0.0263;

/// So many draws, each of which holds with chance `p` or more, hold in a share below p -
/// kShareMargin once in 10^6 times at most: Chernoff says exp(-draws KL(p - kShareMargin || p)).
/// 10^4 at 0.5, as by Hoeffding's bound, but 2,200 at 0.95.
inline int share_draws(double p) {
  const double q = p - kShareMargin;
  const double divergence = q * std::log(q / p) + (1 - q) * std::log((1 - q) / (1 - p));
  return static_cast<int>(std::ceil(std::log(1e6) / divergence));
}

}  // namespace discreet::session
