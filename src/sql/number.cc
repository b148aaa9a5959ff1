// SPDX-License-Identifier: Apache-2.0
#include "sql/number.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace discreet::sql {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

double below(double x) { return std::nextafter(x, -kNoBound); }
double above(double x) { return std::nextafter(x, kNoBound); }

// An end of an interval that may be off by one rounding. `exact` says that it is not.
double low_end(double x, bool exact) { return std::isnan(x) ? -kNoBound : exact ? x : below(x); }
double high_end(double x, bool exact) { return std::isnan(x) ? kNoBound : exact ? x : above(x); }

bool sum_is_exact(double a, double b, double sum) {
  if (!std::isfinite(sum)) return std::isinf(a) || std::isinf(b);
  const double b_part = sum - a;  // Knuth's two-sum: the rounding error, exactly
  return (a - (sum - b_part)) + (b - b_part) == 0;
}

bool product_is_exact(double a, double b, double product) {
  if (!std::isfinite(product)) return std::isinf(a) || std::isinf(b);
  // Below 2^-960 the error itself may be lost.
  return a == 0 || b == 0 || (std::abs(product) > 0x1p-960 && std::fma(a, b, -product) == 0);
}

bool quotient_is_exact(double a, double b, double quotient) {
  if (!std::isfinite(quotient)) return std::isinf(a);
  return a == 0 || (std::abs(a) > 0x1p-960 && std::fma(quotient, b, -a) == 0);
}

// A value that arithmetic lost (inf - inf) is taken from the middle of what is known.
Number make(double value, double low, double high) {
  if (low > high) std::swap(low, high);
  if (std::isnan(value)) value = 0;
  return {std::clamp(value, low, high), low, high};
}

// 0 * inf counts as 0: an end that is infinite is never reached.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

}  // namespace

Number exactly(const Rational& value) {
  const double low = value.to_double(Round::kDown);
  const double high = value.to_double(Round::kUp);
  return make(std::isfinite(low) ? low : high, low, high);
}

Number unbounded(double value) { return make(value, -kNoBound, kNoBound); }

Number add(const Number& a, const Number& b) {
  const double low = a.low + b.low;
  const double high = a.high + b.high;
  return make(a.value + b.value, low_end(low, sum_is_exact(a.low, b.low, low)),
              high_end(high, sum_is_exact(a.high, b.high, high)));
}

Number negate(const Number& a) { return {-a.value, -a.high, -a.low}; }

Number subtract(const Number& a, const Number& b) { return add(a, negate(b)); }

Number multiply(const Number& a, const Number& b) {
  double low = kNoBound;
  double high = -kNoBound;
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      const double product = times(x, y);
      const bool exact = product_is_exact(x, y, product);
      low = std::min(low, low_end(product, exact));
      high = std::max(high, high_end(product, exact));
    }
  }
  return make(times(a.value, b.value), low, high);
}

Number divide(const Number& a, const Number& b) {
  const double value = a.value / b.value;
  if (b.low <= 0 && b.high >= 0) return unbounded(value);
  double low = kNoBound;
  double high = -kNoBound;
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      const double quotient = std::isinf(y) && std::isinf(x) ? 0 : x / y;
      const bool exact = std::isinf(y) || quotient_is_exact(x, y, quotient);
      low = std::min(low, low_end(quotient, exact));
      high = std::max(high, high_end(quotient, exact));
    }
  }
  return make(value, low, high);
}

Number absolute(const Number& a) {
  if (a.low >= 0) return a;
  if (a.high <= 0) return negate(a);
  return {std::abs(a.value), 0, std::max(-a.low, a.high)};
}

Number square(const Number& a) {
  const Number size = absolute(a);
  Number out = multiply(size, size);
  out.low = std::max(0.0, out.low);
  return out;
}

Number square_root(const Number& a) {
  const auto root = [](double x) { return x > 0 ? std::sqrt(x) : 0.0; };
  const auto exact = [&](double x) { return x <= 0 || product_is_exact(root(x), root(x), x); };
  return make(root(a.value), std::max(0.0, low_end(root(a.low), exact(a.low))),
              high_end(root(a.high), exact(a.high)));
}

Number monotone(const Number& a, double (*f)(double)) {
  return make(f(a.value), f(a.low), f(a.high));
}

Number round_to(const Number& a, int decimals) {
  if (decimals == 0) return monotone(a, std::round);
  const double unit = std::pow(10.0, decimals);
  const auto rounded = [unit](double x) {
    const double scaled = x * unit;
    // From 2^53 on there is nothing behind the point to round.
    return std::abs(scaled) < 0x1p53 ? std::round(scaled) / unit : x;
  };
  // x * unit may be off by one rounding and fall on the other side of a half; the ends make room.
  return make(rounded(a.value), rounded(below(a.low)), rounded(above(a.high)));
}

Number clamp(const Number& a, double low, double high) {
  const auto into = [low, high](double x) { return std::clamp(x, low, high); };
  return make(into(a.value), into(a.low), into(a.high));
}

}  // namespace discreet::sql
