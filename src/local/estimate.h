// SPDX-License-Identifier: Apache-2.0
// What share of the people had a 1, estimated from randomized replies, with an interval.
//
//   auto rule = ResponseRule::by_epsilon(epsilon);
//   DISCREET_ASSIGN(Estimate e, estimate_share(rule, {.ones = 413'000, .count = 1'000'000}, c));
#pragma once

#include <cstdint>

#include "base/result.h"
#include "numeric/real.h"
#include "privacy/quantity.h"

namespace discreet::local {

/// How the replies were randomized.
class ResponseRule {
 public:
  /// Kept with probability e^epsilon/(1+e^epsilon).
  static ResponseRule by_epsilon(const Epsilon& epsilon);
  /// Kept with probability 1/2 + alpha.
  /// Fails with: kInvalidInput unless 0 < alpha < 1/2.
  static Result<ResponseRule> by_bias(const Rational& alpha);
  /// Heads: the true bit; tails: another coin. The bias 1/4.
  static ResponseRule almost_random();

  /// 1/(2 alpha), at any precision.
  Interval gain(int precision) const { return gain_(precision); }

 private:
  explicit ResponseRule(Real gain) : gain_(std::move(gain)) {}
  Real gain_;
};

/// What came back.
struct Replies {
  std::uint64_t ones = 0;
  std::uint64_t count = 0;
};

/// Pr[low <= true share <= high] >= confidence, over the coins of the people.
struct Estimate {
  Rational share;       ///< unbiased; within 2^-100 of the formula's value, relative to the gain
  Rational half_width;  ///< never below the theorem's
  Rational low;         ///< share - half_width, rounded outward
  Rational high;
};

/// Estimator    gain * (r - 1/2) + 1/2,   r = ones / count. By epsilon this is the lecture's
///              (1+e^eps)/(e^eps-1) * (r - 1/(1+e^eps)); by bias it is (r - 1/2 + alpha)/(2 alpha).
/// Theorem      it is unbiased, and Pr[|estimate - share| >= half_width] <= 1 - confidence with
///              half_width = gain * sqrt(ln(2/(1-confidence)) / (2 count)), for every data set.
/// Proof        estimate.md
/// Fails with   kInvalidInput when there are no replies, or more ones than replies.
/// Checked by   estimate_test: unbiasedness and coverage by exact enumeration; the medical survey.
Result<Estimate> estimate_share(const ResponseRule& rule, const Replies& replies,
                                const Confidence& confidence);

}  // namespace discreet::local
