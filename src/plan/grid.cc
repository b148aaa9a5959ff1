// SPDX-License-Identifier: Apache-2.0
#include "plan/grid.h"

#include <algorithm>
#include <vector>

namespace discreet::plan {
namespace {

Grid around(std::vector<Rational> ends, Rational step) {
  const auto [low, high] = std::minmax_element(ends.begin(), ends.end());
  return {*low, *high, std::move(step)};
}

Rational finer(const Grid& a, const Grid& b) {
  if (is_zero(a)) return b.step;
  if (is_zero(b)) return a.step;
  return common_step(a.step, b.step);
}

Rational largest(const Grid& a) { return std::max(a.low.abs(), a.high.abs()); }

// The size of the smallest number that is not 0; the step if there is only 0.
Rational smallest_size(const Grid& a) {
  if (a.low.sign() > 0) return a.low;
  if (a.high.sign() < 0) return -a.high;
  return a.step;
}

// a / b before rounding. |a / b| is largest at an end of a and at the b nearest to 0; where b keeps
// its sign the quotient is monotone in each, so that its extremes are at corners.
std::vector<Rational> quotients(const Grid& a, const Grid& b) {
  if (b.low.sign() > 0 || b.high.sign() < 0) {
    return {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
  }
  const Rational most = largest(a) / smallest_size(b);
  const bool never_negative = a.low.sign() >= 0 && b.low.sign() >= 0;
  return {never_negative ? Rational(0) : -most, most};
}

Rational whole_step(const Grid& a) { return a.step.denominator() == 1 ? a.step : Rational(1); }

}  // namespace

Rational common_step(const Rational& a, const Rational& b) {
  DISCREET_CHECK(a.sign() != 0 || b.sign() != 0);
  const Integer denominator = lcm(a.denominator(), b.denominator());
  const Integer x = a.numerator() * (denominator / a.denominator());
  const Integer y = b.numerator() * (denominator / b.denominator());
  return Rational::ratio(gcd(x, y), denominator);
}

Rational nearest_multiple(const Rational& value, const Rational& step) {
  return Rational((value / step).round()) * step;
}

Integer towards_zero(const Rational& value) {
  return value.sign() < 0 ? value.ceil() : value.floor();
}

Rational power_of_ten(int k) {
  Integer ten;
  mpz_ui_pow_ui(ten.get_mpz_t(), 10, static_cast<unsigned long>(k < 0 ? -k : k));
  return k < 0 ? Rational::ratio(1, ten) : Rational(ten);
}

Grid point(const Rational& value) {
  return {value, value, value.sign() == 0 ? Rational(1) : value.abs()};
}

bool is_zero(const Grid& grid) { return grid.low.sign() == 0 && grid.high.sign() == 0; }

bool fits(const Grid& grid) { return largest(grid) / grid.step < power_of_two(62); }

Grid join(const Grid& a, const Grid& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), finer(a, b)};
}

Grid add(const Grid& a, const Grid& b) { return {a.low + b.low, a.high + b.high, finer(a, b)}; }

Grid subtract(const Grid& a, const Grid& b) { return add(a, negate(b)); }

Grid multiply(const Grid& a, const Grid& b) {
  return around({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high}, a.step * b.step);
}

Grid divide_integers(const Grid& a, const Grid& b) {
  Grid grid = around(quotients(a, b), 1);
  return {Rational(towards_zero(grid.low)), Rational(towards_zero(grid.high)), 1};
}

Grid divide(const Grid& a, const Grid& b) {
  const Rational step = power_of_ten(-6);
  const Grid grid = around(quotients(a, b), step);
  return {nearest_multiple(grid.low, step), nearest_multiple(grid.high, step), step};
}

Grid modulo(const Grid& a, const Grid& b) {
  const Rational step = finer(a, b);
  const Rational most = std::min(largest(a), largest(b));
  return {a.low.sign() < 0 ? nearest_multiple(-most, step) : Rational(0),
          a.high.sign() > 0 ? nearest_multiple(most, step) : Rational(0), step};
}

Grid negate(const Grid& a) { return {-a.high, -a.low, a.step}; }

Grid absolute(const Grid& a) {
  const bool crosses = a.low.sign() < 0 && a.high.sign() > 0;
  return {crosses ? Rational(0) : std::min(a.low.abs(), a.high.abs()), largest(a), a.step};
}

Grid rounded(const Grid& a, const Rational& step) {
  if ((a.step / step).denominator() == 1) return a;
  return {nearest_multiple(a.low, step), nearest_multiple(a.high, step), step};
}

Grid floored(const Grid& a) {
  return {Rational(a.low.floor()), Rational(a.high.floor()), whole_step(a)};
}

Grid ceiled(const Grid& a) {
  return {Rational(a.low.ceil()), Rational(a.high.ceil()), whole_step(a)};
}

Integer points(const Grid& grid) { return ((grid.high - grid.low) / grid.step).floor() + 1; }

}  // namespace discreet::plan
