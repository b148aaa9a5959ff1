// SPDX-License-Identifier: Apache-2.0
// Exact rational numbers, on GMP. "0.1" is one tenth, and stays so.
#pragma once

#include <gmpxx.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "numeric/int128.h"

namespace discreet {

using Integer = mpz_class;

Integer to_integer(Int128 value);

/// Requires: value fits.
Int128 to_int128(const Integer& value);
bool fits_int128(const Integer& value);

/// Which way a conversion may err. There is no default: whoever converts knows which side is safe.
enum class Round { kDown, kUp };

class Rational {
 public:
  Rational() = default;
  Rational(int n) : value_(n) {}
  Rational(std::int64_t n) : value_(static_cast<long>(n)) {}
  Rational(const Integer& n) : value_(n) {}

  /// n/d. Requires: d != 0.
  static Rational ratio(const Integer& n, const Integer& d);

  /// Reads "42", "-0.1", "2.5e-3", "1/3" exactly.
  /// Fails with: kInvalidInput for anything else (nan, inf, blanks, a zero denominator), for more
  /// than 1,000 characters and for exponents beyond 1,000.
  static Result<Rational> parse(std::string_view text);

  Integer numerator() const { return value_.get_num(); }
  Integer denominator() const { return value_.get_den(); }
  int sign() const { return sgn(value_); }
  Integer floor() const;
  Integer ceil() const;
  /// The nearest integer, halves away from zero.
  Integer round() const;
  Rational abs() const;

  /// The closest double on the named side; infinite when there is none.
  double to_double(Round direction) const;

  /// A finite decimal when there is one of at most 30 digits after the point, else "n/d".
  std::string to_string() const;
  /// With `digits` significant digits, rounded outward in the named direction; for people to read.
  std::string to_decimal(int digits, Round direction) const;

  Rational operator-() const;
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  /// Requires: b != 0.
  friend Rational operator/(const Rational& a, const Rational& b);
  friend bool operator==(const Rational& a, const Rational& b) { return a.value_ == b.value_; }
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    return cmp(a.value_, b.value_) <=> 0;
  }

  const mpq_class& mpq() const { return value_; }

 private:
  mpq_class value_;
};

/// 2^k for any k.
Rational power_of_two(int k);

/// The least, or greatest, fraction with a denominator of 2^bits on the named side of `value`.
Rational round_to_bits(const Rational& value, int bits, Round direction);

}  // namespace discreet
