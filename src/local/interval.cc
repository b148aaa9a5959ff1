// SPDX-License-Identifier: Apache-2.0
#include "local/interval.h"

#include <algorithm>
#include <cmath>

namespace discreet::local {
namespace {

// Shevtsova 2010, for summands that need not be identically distributed.
constexpr double kBerryEsseen = 0.56;

}  // namespace

double normal_quantile(double tail) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > tail ? low : high) = middle;
  }
  return high;
}

double half_width(double n, const Spread& spread, double beta) {
  const double log_odds = std::log(2 / beta);
  const double linear = log_odds * spread.range / (3 * n);
  const double bernstein = linear + std::sqrt(linear * linear + 2 * spread.most * log_odds / n);
  if (spread.least <= 0) return bernstein;
  // Third absolute moments are at most range times the variance.
  const double skew = kBerryEsseen * spread.range / std::sqrt(spread.least * n);
  const double tail = beta / 2 - skew;
  if (tail <= 0) return bernstein;
  return std::min(bernstein, normal_quantile(tail) * std::sqrt(spread.most / n));
}

Bounds share_bounds(const Support& s, double supported, double n, double beta) {
  const double gap = s.p - s.q;
  const double seen = supported / n;
  const double estimate = (seen - s.q) / gap;
  const double range = std::max({s.p, 1 - s.p, s.q, 1 - s.q});
  // How far above (or below) its expectation the support would be if the share were `share`, less
  // what is not surprising: positive where the share is ruled out.
  const auto excess = [&](double share) {
    const double inside = std::clamp(share, 0.0, 1.0);
    const double variance = inside * s.p * (1 - s.p) + (1 - inside) * s.q * (1 - s.q);
    return std::abs(s.q + share * gap - seen) - half_width(n, {variance, variance, range}, beta);
  };
  const double top = std::max(s.p * (1 - s.p), s.q * (1 - s.q));
  const double reach = half_width(n, {0, top, range}, beta) / gap * 1.001;
  const auto edge = [&](double direction) {
    // From outside inwards to the first share that is not ruled out; then between the last two.
    constexpr int kSteps = 64;
    int step = kSteps;
    while (step > 0 && excess(estimate + direction * reach * step / kSteps) > 0) --step;
    if (step == kSteps) return estimate + direction * reach;
    double inner = estimate + direction * reach * step / kSteps;
    double outer = estimate + direction * reach * (step + 1) / kSteps;
    for (int i = 0; i < 50; ++i) {
      const double middle = (inner + outer) / 2;
      (excess(middle) > 0 ? outer : inner) = middle;
    }
    return outer;
  };
  return {edge(-1), edge(1)};
}

}  // namespace discreet::local
