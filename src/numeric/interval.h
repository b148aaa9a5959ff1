// SPDX-License-Identifier: Apache-2.0
// Rigorous interval arithmetic on MPFR: every operation rounds its lower end down and its upper end
// up, so that the true value always lies between the two.
//
// Law: for each function f below and all x in X (and y in Y): f(x, y) is in f(X, Y).
// Proof: MPFR rounds each operation correctly in the direction asked for, and each f is monotone in
// every argument on the stretch where it is evaluated at end points.
#pragma once

#include <mpfr.h>

#include "numeric/rational.h"

namespace discreet {

/// A binary floating-point number of any precision; owns an mpfr_t.
class Float {
 public:
  explicit Float(int precision) { mpfr_init2(value_, precision); }
  Float(const Float& other) : Float(other.precision()) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Float(Float&& other) noexcept : Float(2) { mpfr_swap(value_, other.value_); }
  Float& operator=(Float other) noexcept {
    mpfr_swap(value_, other.value_);
    return *this;
  }
  ~Float() { mpfr_clear(value_); }

  int precision() const { return static_cast<int>(mpfr_get_prec(value_)); }
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

class Interval {
 public:
  /// The tightest interval of `precision` bits around x.
  static Interval around(const Rational& x, int precision);

  int precision() const { return low_.precision(); }
  /// The ends, exactly. Requires: finite.
  Rational low() const;
  Rational high() const;
  bool is_finite() const;
  /// floor(2^bits * end).
  Integer floor_low(int bits) const;
  Integer floor_high(int bits) const;

  friend Interval operator+(const Interval& a, const Interval& b);
  friend Interval operator-(const Interval& a, const Interval& b);
  friend Interval operator*(const Interval& a, const Interval& b);
  /// Requires: 0 is not in b.
  friend Interval operator/(const Interval& a, const Interval& b);
  friend Interval exp(const Interval& x);
  friend Interval expm1(const Interval& x);
  /// Requires: x > 0.
  friend Interval log(const Interval& x);
  /// Requires: x >= 0.
  friend Interval sqrt(const Interval& x);
  friend Interval erfc(const Interval& x);

  /// True only if every point of a is below every point of b.
  friend bool certainly_less(const Interval& a, const Interval& b);

 private:
  explicit Interval(int precision) : low_(precision), high_(precision) {}

  Float low_;
  Float high_;
};

Interval exp(const Interval& x);
Interval expm1(const Interval& x);
Interval log(const Interval& x);
Interval sqrt(const Interval& x);
Interval erfc(const Interval& x);

}  // namespace discreet
