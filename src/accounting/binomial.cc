// SPDX-License-Identifier: Apache-2.0
#include "accounting/binomial.h"

#include <algorithm>
#include <cmath>

#include "accounting/constants.h"
#include "base/check.h"

namespace discreet::accounting {
namespace {

constexpr double kCut = 1e-45;

std::int64_t mode_of(std::uint64_t trials, double odds) {
  if (std::isinf(odds)) return static_cast<std::int64_t>(trials);
  const double guess = std::floor((static_cast<double>(trials) + 1) * (odds / (1 + odds)));
  // Any point near the mode will do to start from.
  return std::clamp(static_cast<std::int64_t>(guess), std::int64_t{0},
                    static_cast<std::int64_t>(trials));
}

}  // namespace

Binomial::Binomial(std::uint64_t trials, double odds) {
  DISCREET_CHECK(trials <= 1'000'000'000 && odds >= 0);
  const auto n = static_cast<std::int64_t>(trials);
  const std::int64_t mode = mode_of(trials, odds);
  const double inverse = 1 / odds;
  double left_rest = 0;
  double right_rest = 0;
  std::vector<double> left;
  for (std::int64_t x = mode; x > 0; --x) {
    // Pr[x-1] / Pr[x], falling as x falls once below 1.
    const double ratio = static_cast<double>(x) / static_cast<double>(n - x + 1) * inverse;
    const double next = (left.empty() ? 1.0 : left.back()) * ratio;
    if (next < kCut) {
      left_rest = ratio < 1 ? 2 * next / (1 - ratio) : 1;
      break;
    }
    left.push_back(next);
  }
  weight_.assign(left.rbegin(), left.rend());
  weight_.push_back(1);
  first_ = mode - static_cast<std::int64_t>(left.size());
  for (std::int64_t x = mode; x < n; ++x) {
    const double ratio = static_cast<double>(n - x) / static_cast<double>(x + 1) * odds;
    const double next = weight_.back() * ratio;
    if (next < kCut) {
      right_rest = ratio < 1 ? 2 * next / (1 - ratio) : 1;
      break;
    }
    weight_.push_back(next);
  }
  suffix_.resize(weight_.size() + 1);
  for (std::size_t i = weight_.size(); i-- > 0;) suffix_[i] = suffix_[i + 1] + weight_[i];
  // At most 16u for each step of a walk (three operations and the odds' own error) and u for each
  // sum.
  error_ = kUnit * (20 * static_cast<double>(weight_.size()) + 64);
  total_low_ = suffix_[0] * (1 - error_);
  total_high_ = suffix_[0] * (1 + error_) + left_rest + right_rest;
  outside_ = (left_rest + right_rest + 2 * kCut * 1e-200) / total_low_;
}

MassBracket Binomial::at(std::int64_t x) const {
  if (x < first_ || x > last()) return {0, outside_};
  const double weight = weight_[static_cast<std::size_t>(x - first_)];
  return {weight * (1 - error_) / total_high_ * (1 - 4 * kUnit),
          weight * (1 + error_) / total_low_ * (1 + 4 * kUnit)};
}

MassBracket Binomial::from(std::int64_t x) const {
  if (x > last()) return {0, outside_};
  const double weight = suffix_[static_cast<std::size_t>(std::max(x, first_) - first_)];
  return {weight * (1 - error_) / total_high_ * (1 - 4 * kUnit),
          std::min(1.0, weight * (1 + error_) / total_low_ * (1 + 4 * kUnit) + outside_)};
}

}  // namespace discreet::accounting
