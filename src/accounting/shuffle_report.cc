// SPDX-License-Identifier: Apache-2.0
#include "accounting/shuffle_report.h"

#include <algorithm>
#include <cmath>

#include "accounting/outward.h"

namespace discreet::accounting {

Report::Report(const Rational& epsilon0, const Rational& epsilon) {
  const Interval e0 = exp(at(epsilon0));
  const Interval gap = e0 - exp(at(epsilon));
  const Interval a = gap / (e0 + at(1));
  const Interval excess = expm1(at(epsilon));
  a_ = {down(a), up(a)};
  excess_ = {down(excess), up(excess)};
  kappa_ = up(expm1(at(epsilon0 + epsilon)) / gap);
}

MassBracket Report::at_threshold(const MassBracket& mass, const MassBracket& tail) const {
  return {std::max(0.0, (a_.low * mass.low - excess_.high * tail.high) * (1 - 0x1p-50)),
          std::clamp((a_.high * mass.high - excess_.low * tail.low) * (1 + 0x1p-50), 0.0, a_.high)};
}

MassBracket Report::delta(const Binomial& others, std::uint64_t trials, double odds) const {
  // Pr[x-1]/Pr[x] = x / ((trials + 1 - x) odds) > kappa. The threshold is right to within one, so
  // three are tried.
  const double scaled = kappa_ * odds;
  const double share = std::isinf(scaled) ? 1 : scaled / (1 + scaled);
  const double guess = std::min(std::floor(share * (static_cast<double>(trials) + 1)) + 1,
                                static_cast<double>(trials) + 1);
  MassBracket best;
  for (std::int64_t t = static_cast<std::int64_t>(guess) - 1;
       t <= static_cast<std::int64_t>(guess) + 1; ++t) {
    const MassBracket one = at_threshold(others.at(t - 1), others.from(t));
    best.low = std::max(best.low, one.low);
    best.high = std::max(best.high, one.high);
  }
  return best;
}

}  // namespace discreet::accounting
