// SPDX-License-Identifier: Apache-2.0
// Binomial masses as brackets, by walking away from the mode: no logarithm of a factorial, hence no
// cancellation.
//
// Weights relative to the mode's are products of ratios (c-x)/(x+1) * odds, each with a relative
// error of at most 4u. Walks stop where the weight falls below kCut; the ratios fall, so what is
// left is at most a geometric series. Dividing by the sum of all weights gives masses.
#pragma once

#include <cstdint>
#include <vector>

namespace discreet::accounting {

struct MassBracket {
  double low = 0;
  double high = 0;
};

/// Bin(trials, s) with odds = s / (1 - s), known to within 8u relatively.
class Binomial {
 public:
  /// Requires: trials <= 10^9; odds >= 0, may be infinite.
  Binomial(std::uint64_t trials, double odds);

  /// Pr[X = x] and Pr[X >= x].
  MassBracket at(std::int64_t x) const;
  MassBracket from(std::int64_t x) const;

  /// The values at which the walks stopped, and a bound on the mass outside [first, last].
  std::int64_t first() const { return first_; }
  std::int64_t last() const { return first_ + static_cast<std::int64_t>(weight_.size()) - 1; }
  double outside() const { return outside_; }

 private:
  std::int64_t first_ = 0;
  std::vector<double> weight_;
  std::vector<double> suffix_;  // sums of weights from i on
  double total_low_ = 0;
  double total_high_ = 0;
  double outside_ = 0;
  double error_ = 0;  // relative, of each weight and each sum
};

}  // namespace discreet::accounting
