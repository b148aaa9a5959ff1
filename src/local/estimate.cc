// SPDX-License-Identifier: Apache-2.0
#include "local/estimate.h"

#include <utility>

namespace discreet::local {
namespace {

// Far more than the 64 bits of the counts; what rounding remains is on the safe side.
constexpr int kPrecision = 256;

Integer to_integer(std::uint64_t n) { return discreet::to_integer(static_cast<Int128>(n)); }

/// sqrt(ln(2/beta) / (2 n)): Hoeffding's deviation of the mean of n replies.
Interval deviation(const Confidence& confidence, std::uint64_t n) {
  const Rational beta = Rational(1) - confidence.value();
  const Interval log_term = log(Interval::around(Rational(2) / beta, kPrecision));
  return sqrt(log_term / Interval::around(Rational(to_integer(n)) * 2, kPrecision));
}

}  // namespace

ResponseRule ResponseRule::by_epsilon(const Epsilon& epsilon) {
  return ResponseRule([epsilon](int precision) {
    // (1+e^eps)/(e^eps-1) = 1 + 2/(e^eps-1), which loses nothing when epsilon is tiny or huge.
    const Interval excess = expm1(Interval::around(epsilon.value(), precision));
    return Interval::around(1, precision) + Interval::around(2, precision) / excess;
  });
}

Result<ResponseRule> ResponseRule::by_bias(const Rational& alpha) {
  if (alpha.sign() <= 0 || alpha >= Rational::ratio(1, 2)) {
    return invalid_input("the bias must lie strictly between 0 and 1/2, such as 1/4; got " +
                         in_quotes(alpha.to_string()));
  }
  return ResponseRule(real(Rational(1) / (alpha * 2)));
}

ResponseRule ResponseRule::almost_random() { return ResponseRule(real(2)); }

Result<Estimate> estimate_share(const ResponseRule& rule, const Replies& replies,
                                const Confidence& confidence) {
  if (replies.count == 0) return invalid_input("there are no replies to estimate from");
  if (replies.ones > replies.count) return invalid_input("there are more ones than replies");
  const Rational half = Rational::ratio(1, 2);
  const Rational mean = Rational::ratio(to_integer(replies.ones), to_integer(replies.count));
  const Interval gain = rule.gain(kPrecision);
  const Interval share =
      gain * Interval::around(mean - half, kPrecision) + Interval::around(half, kPrecision);
  const Rational half_width = (gain * deviation(confidence, replies.count)).high();
  return Estimate{.share = (share.low() + share.high()) / 2,
                  .half_width = half_width,
                  .low = share.low() - half_width,
                  .high = share.high() + half_width};
}

}  // namespace discreet::local
