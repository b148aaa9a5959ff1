// SPDX-License-Identifier: Apache-2.0
// The interval of a released quantile: from noisy numbers of rows between cuts that lie around it,
// 1, 2, 4, ... steps away. The counts were paid for; everything here is post-processing.
//
//        low --|----|--|-|v|-|--|----|--------|-- high        cuts around a quantile v
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "numeric/rational.h"
#include "plan/noise.h"

namespace discreet::session {

/// Rising points of (low, high], around each of the values; a cut u parts x < u from x >= u.
std::vector<std::int64_t> cuts_around(const std::vector<std::int64_t>& values, std::int64_t low,
                                      std::int64_t high);

/// None: the end is that of the range.
struct RankInterval {
  std::optional<std::int64_t> low;
  std::optional<std::int64_t> high;
};

/// Theorem     for any data the interval holds all quantiles of the counted rows at the fraction,
///             with probability 1 - beta over the counts' noise.
/// Proof       rank_interval.md
/// Checked by  rank_interval_test, coverage_test.
class RankIntervals {
 public:
  RankIntervals(const plan::Noise& noise, const Rational& fraction, double beta);

  /// Requires: one more count than cuts.
  RankInterval of(const std::vector<std::int64_t>& cuts, const std::vector<std::int64_t>& counts);

 private:
  /// What the noise of (1 - f) (first j counts) - f (the other m) stays below, but for beta/2.
  double margin(std::size_t j, std::size_t m);

  double fraction_;
  double log_;    ///< ln(2/beta)
  double scale_;  ///< of Laplace noise; of a Gaussian sigma
  bool gaussian_;
  std::map<std::pair<std::size_t, std::size_t>, double> known_;
};

}  // namespace discreet::session
