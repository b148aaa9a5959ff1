// SPDX-License-Identifier: Apache-2.0
#include "mechanism/tails.h"

namespace discreet::mechanism {
namespace {

constexpr int kPrecision = 128;
constexpr int kPrecisionMax = 1 << 14;
constexpr int kTiny = -4096;  // exponents below this would cost memory and tell nobody anything

Rational inverse(const Rational& x) { return Rational(1) / x; }

}  // namespace

Rational upper_bound(const Real& x) {
  const Interval value = x(kPrecision);
  const Rational tiny = power_of_two(kTiny);
  if (certainly_less(value, Interval::around(tiny, kPrecision))) return tiny;
  return value.high();
}

bool surely_at_most(const Real& x, const Rational& bound) {
  for (int precision = kPrecision; precision <= kPrecisionMax; precision *= 2) {
    const Interval value = x(precision);
    const Interval limit = Interval::around(bound, precision);
    if (certainly_less(value, limit)) return true;
    if (certainly_less(limit, value)) return false;
  }
  return false;
}

Real laplace_tail(const Scale& scale, const Integer& t) {
  if (t <= 0) return real(1);
  return [rate = inverse(scale.value()), t](int precision) {
    const auto around = [=](const Rational& x) { return Interval::around(x, precision); };
    return around(2) * exp(around(-rate * Rational(t))) / (around(1) + exp(around(-rate)));
  };
}

Integer laplace_half_width(const Scale& scale, const Confidence& confidence) {
  // 2 q^(w+1) / (1+q) <= beta  <=>  w + 1 >= y := s ln(2 / (beta (1+q))). y is positive and never
  // an integer (tails.md, Lemma 1), so the least w is floor(y).
  const Rational beta = Rational(1) - confidence.value();
  const Real y = [s = scale.value(), beta](int precision) {
    const auto around = [=](const Rational& x) { return Interval::around(x, precision); };
    const Interval q = exp(around(-inverse(s)));
    return around(s) * log(around(Rational(2) / beta) / (around(1) + q));
  };
  return floor_scaled(y, 0);
}

Real laplace_variance(const Scale& scale) {
  return [rate = inverse(scale.value())](int precision) {
    const Interval q = exp(Interval::around(-rate, precision));
    const Interval gap = expm1(Interval::around(-rate, precision));  // q - 1, with all its digits
    return Interval::around(2, precision) * q / (gap * gap);
  };
}

Real laplace_expected_size(const Scale& scale) {
  return [rate = inverse(scale.value())](int precision) {
    const Interval q = exp(Interval::around(-rate, precision));
    const Interval gap = expm1(Interval::around(-rate * Rational(2), precision));  // q^2 - 1
    return Interval::around(-2, precision) * q / gap;
  };
}

Real gaussian_tail(const Variance& variance, const Integer& t) {
  if (t <= 0) return real(1);
  const Rational distance = Rational(t) - Rational::ratio(1, 2);
  // (t - 1/2) / sqrt(2 sigma^2) as one square root of a rational.
  return [square = distance * distance / (variance.value() * Rational(2))](int precision) {
    return erfc(sqrt(Interval::around(square, precision)));
  };
}

Integer gaussian_half_width(const Variance& variance, const Confidence& confidence) {
  const Rational beta = Rational(1) - confidence.value();
  const auto suffices = [&](const Integer& w) {
    return surely_at_most(gaussian_tail(variance, w + 1), beta);
  };
  if (suffices(0)) return 0;
  // erfc(x) <= exp(-x^2), so w = sqrt(2 sigma^2 ln(1/beta)), rounded up, suffices.
  const Interval wide = sqrt(Interval::around(variance.value() * Rational(2), kPrecision) *
                             log(Interval::around(inverse(beta), kPrecision)));
  Integer low = 0;  // does not suffice
  Integer high = wide.high().ceil();
  DISCREET_CHECK(suffices(high));
  while (high - low > 1) {
    const Integer middle = (low + high) / 2;
    (suffices(middle) ? high : low) = middle;
  }
  return high;
}

Real gaussian_expected_size_bound(const Variance& variance) {
  // 2/pi = 0.636619...
  return [square = variance.value() * Rational::ratio(63662, 100000)](int precision) {
    return sqrt(Interval::around(square, precision));
  };
}

Rational rounded_gaussian_variance_bound(const Variance& variance) {
  return variance.value() + Rational::ratio(1, 12);
}

Rational discrete_gaussian_variance_bound(const Variance& variance) { return variance.value(); }

}  // namespace discreet::mechanism
