// SPDX-License-Identifier: Apache-2.0
#include "numeric/interval.h"

#include <algorithm>

#include "base/check.h"

namespace discreet {
namespace {

Rational exact(const Float& x) {
  DISCREET_CHECK(mpfr_number_p(x.get()));
  mpq_class q;
  mpfr_get_q(q.get_mpq_t(), x.get());
  return Rational::ratio(q.get_num(), q.get_den());
}

Integer scaled_floor(const Float& x, int bits) {
  DISCREET_CHECK(mpfr_number_p(x.get()));
  Float y(x.precision());
  mpfr_mul_2si(y.get(), x.get(), bits, MPFR_RNDN);  // exact: only the exponent changes
  Integer out;
  mpfr_get_z(out.get_mpz_t(), y.get(), MPFR_RNDD);
  return out;
}

int common_precision(const Interval& a, const Interval& b) {
  return std::max(a.precision(), b.precision());
}

}  // namespace

Interval Interval::around(const Rational& x, int precision) {
  Interval out(precision);
  mpfr_set_q(out.low_.get(), x.mpq().get_mpq_t(), MPFR_RNDD);
  mpfr_set_q(out.high_.get(), x.mpq().get_mpq_t(), MPFR_RNDU);
  return out;
}

Rational Interval::low() const { return exact(low_); }
Rational Interval::high() const { return exact(high_); }
bool Interval::is_finite() const {
  return mpfr_number_p(low_.get()) != 0 && mpfr_number_p(high_.get()) != 0;
}
Integer Interval::floor_low(int bits) const { return scaled_floor(low_, bits); }
Integer Interval::floor_high(int bits) const { return scaled_floor(high_, bits); }

Interval operator+(const Interval& a, const Interval& b) {
  Interval out(common_precision(a, b));
  mpfr_add(out.low_.get(), a.low_.get(), b.low_.get(), MPFR_RNDD);
  mpfr_add(out.high_.get(), a.high_.get(), b.high_.get(), MPFR_RNDU);
  return out;
}

Interval operator-(const Interval& a, const Interval& b) {
  Interval out(common_precision(a, b));
  mpfr_sub(out.low_.get(), a.low_.get(), b.high_.get(), MPFR_RNDD);
  mpfr_sub(out.high_.get(), a.high_.get(), b.low_.get(), MPFR_RNDU);
  return out;
}

Interval operator*(const Interval& a, const Interval& b) {
  // A product over a rectangle takes its extremes at the corners.
  Interval out(common_precision(a, b));
  Float corner(out.precision());
  bool first = true;
  for (const Float* x : {&a.low_, &a.high_}) {
    for (const Float* y : {&b.low_, &b.high_}) {
      mpfr_mul(corner.get(), x->get(), y->get(), MPFR_RNDD);
      if (first || mpfr_less_p(corner.get(), out.low_.get())) {
        mpfr_set(out.low_.get(), corner.get(), MPFR_RNDD);
      }
      mpfr_mul(corner.get(), x->get(), y->get(), MPFR_RNDU);
      if (first || mpfr_greater_p(corner.get(), out.high_.get())) {
        mpfr_set(out.high_.get(), corner.get(), MPFR_RNDU);
      }
      first = false;
    }
  }
  return out;
}

Interval operator/(const Interval& a, const Interval& b) {
  DISCREET_CHECK(mpfr_sgn(b.low_.get()) * mpfr_sgn(b.high_.get()) > 0);
  // 1/y is monotone where y keeps its sign.
  Interval inverse(b.precision());
  mpfr_ui_div(inverse.low_.get(), 1, b.high_.get(), MPFR_RNDD);
  mpfr_ui_div(inverse.high_.get(), 1, b.low_.get(), MPFR_RNDU);
  return a * inverse;
}

Interval exp(const Interval& x) {
  Interval out(x.precision());
  mpfr_exp(out.low_.get(), x.low_.get(), MPFR_RNDD);
  mpfr_exp(out.high_.get(), x.high_.get(), MPFR_RNDU);
  return out;
}

Interval expm1(const Interval& x) {
  Interval out(x.precision());
  mpfr_expm1(out.low_.get(), x.low_.get(), MPFR_RNDD);
  mpfr_expm1(out.high_.get(), x.high_.get(), MPFR_RNDU);
  return out;
}

Interval log(const Interval& x) {
  DISCREET_CHECK(mpfr_sgn(x.low_.get()) > 0);
  Interval out(x.precision());
  mpfr_log(out.low_.get(), x.low_.get(), MPFR_RNDD);
  mpfr_log(out.high_.get(), x.high_.get(), MPFR_RNDU);
  return out;
}

Interval sqrt(const Interval& x) {
  DISCREET_CHECK(mpfr_sgn(x.low_.get()) >= 0);
  Interval out(x.precision());
  mpfr_sqrt(out.low_.get(), x.low_.get(), MPFR_RNDD);
  mpfr_sqrt(out.high_.get(), x.high_.get(), MPFR_RNDU);
  return out;
}

Interval erfc(const Interval& x) {  // decreasing
  Interval out(x.precision());
  mpfr_erfc(out.low_.get(), x.high_.get(), MPFR_RNDD);
  mpfr_erfc(out.high_.get(), x.low_.get(), MPFR_RNDU);
  return out;
}

bool certainly_less(const Interval& a, const Interval& b) {
  return mpfr_less_p(a.high_.get(), b.low_.get()) != 0;
}

}  // namespace discreet
