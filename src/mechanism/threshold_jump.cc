// SPDX-License-Identifier: Apache-2.0
#include "mechanism/threshold_jump.h"

#include "base/check.h"
#include "mechanism/tails.h"

namespace discreet::mechanism {
namespace {

/// By symmetry Pr[Z >= t] = Pr[|Z| > t - 1] / 2, so t - 1 is a half width.
Confidence both_sides(const Delta& delta) { return Confidence::trusted(1 - delta.value() * 2); }

Integer laplace_pair_jump(const Scale& scale, const Delta& delta) {
  const auto suffices = [&](const Integer& t) {
    return surely_at_most(laplace_pair_tail(scale, t), delta.value());
  };
  Integer low = 0;  // does not suffice, or is not allowed
  Integer high = laplace_half_width(scale, both_sides(delta)) + 1;
  while (!suffices(high)) high *= 2;
  while (high - low > 1) {
    const Integer middle = (low + high) / 2;
    (suffices(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

Real laplace_pair_tail(const Scale& scale, const Integer& t) {
  DISCREET_CHECK(t >= 0);
  return [rate = Rational(1) / scale.value(), t](int precision) {
    const auto around = [=](const Rational& x) { return Interval::around(x, precision); };
    const Interval q = exp(around(-rate));
    const Interval gap = around(0) - expm1(around(-rate));  // 1 - q, with all its digits
    const Interval more = around(1) + q;
    return exp(around(-rate * Rational(t))) / (more * more) *
           (around(Rational(Integer(t + 1))) * gap + q + around(2) * q * q / more);
  };
}

Integer laplace_jump(const Scale& scale, const Delta& delta, int parts) {
  DISCREET_CHECK(parts == 1 || parts == 2);
  if (delta.value() * 2 >= 1) return 1;  // both are symmetric
  if (parts == 2) return laplace_pair_jump(scale, delta);
  return laplace_half_width(scale, both_sides(delta)) + 1;
}

Integer gaussian_jump(const Variance& variance, const Delta& delta, int parts) {
  DISCREET_CHECK(parts == 1 || parts == 2);
  if (delta.value() * 2 >= 1) return 1;
  const Integer half_width = gaussian_half_width(variance, both_sides(delta));
  if (parts == 1) return half_width + 1;
  const Rational root_of_two = Rational::ratio(141'421'357, 100'000'000);  // a little more
  return (root_of_two * (Rational(half_width) + Rational::ratio(1, 2))).ceil() + 1;
}

}  // namespace discreet::mechanism
