// SPDX-License-Identifier: Apache-2.0
#include "numeric/rational.h"

#include <mpfr.h>

#include <utility>

#include "base/check.h"

namespace discreet {
namespace {

constexpr std::size_t kTextMax = 1000;
constexpr long kExponentMax = 1000;
constexpr int kDecimalsMax = 30;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Integer power_of_ten(long k) {
  Integer out;
  mpz_ui_pow_ui(out.get_mpz_t(), 10, static_cast<unsigned long>(k));
  return out;
}

/// Takes a run of digits off the front of `text`.
std::string_view take_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  const std::string_view digits = text.substr(0, n);
  text.remove_prefix(n);
  return digits;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes an exponent such as "e-3" off the front. False when it is malformed or too large.
bool take_exponent(std::string_view& text, long& exponent) {
  exponent = 0;
  if (!take(text, 'e') && !take(text, 'E')) return true;
  const bool negative = take(text, '-');
  if (!negative) (void)take(text, '+');
  const std::string_view digits = take_digits(text);
  if (digits.empty() || digits.size() > 4) return false;
  exponent = std::stol(std::string(digits));
  if (exponent > kExponentMax) return false;
  if (negative) exponent = -exponent;
  return true;
}

Error not_a_number(std::string_view text) {
  return invalid_input(in_quotes(text) + " is not a number; write it as 42, 0.1, 2.5e-3 or 1/3");
}

}  // namespace

Integer to_integer(Int128 value) {
  const Uint128 magnitude = value < 0 ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
  Integer out;
  const std::uint64_t words[2] = {static_cast<std::uint64_t>(magnitude >> 64),
                                  static_cast<std::uint64_t>(magnitude)};
  mpz_import(out.get_mpz_t(), 2, 1, sizeof(words[0]), 0, 0, words);
  if (value < 0) out = -out;
  return out;
}

bool fits_int128(const Integer& value) {
  return value <= to_integer(kInt128Max) && value >= to_integer(kInt128Min);
}

Int128 to_int128(const Integer& value) {
  DISCREET_CHECK(fits_int128(value));
  std::uint64_t words[2] = {0, 0};
  std::size_t count = 0;
  mpz_export(words, &count, -1, sizeof(words[0]), 0, 0, value.get_mpz_t());
  const Uint128 magnitude = (static_cast<Uint128>(words[1]) << 64) | words[0];
  return static_cast<Int128>(sgn(value) < 0 ? -magnitude : magnitude);
}

Rational Rational::ratio(const Integer& n, const Integer& d) {
  DISCREET_CHECK(d != 0);
  Rational out;
  out.value_ = mpq_class(n, d);
  out.value_.canonicalize();
  return out;
}

Result<Rational> Rational::parse(std::string_view text) {
  if (text.size() > kTextMax) return not_a_number(text);
  std::string_view rest = text;
  const bool negative = take(rest, '-');
  if (!negative) (void)take(rest, '+');

  std::string digits(take_digits(rest));
  Rational out;
  if (!digits.empty() && take(rest, '/')) {
    const Integer d(std::string("0") + std::string(take_digits(rest)), 10);
    if (!rest.empty() || d == 0) return not_a_number(text);
    out = ratio(Integer(digits, 10), d);
  } else {
    long exponent = 0;
    if (take(rest, '.')) {
      const std::string_view fraction = take_digits(rest);
      digits += fraction;
      exponent = -static_cast<long>(fraction.size());
    }
    long written = 0;
    if (digits.empty() || !take_exponent(rest, written) || !rest.empty()) return not_a_number(text);
    exponent += written;
    const Integer n(digits, 10);
    out = exponent < 0 ? ratio(n, power_of_ten(-exponent))
                       : Rational(Integer(n * power_of_ten(exponent)));
  }
  return negative ? -out : out;
}

Integer Rational::floor() const {
  Integer out;
  mpz_fdiv_q(out.get_mpz_t(), value_.get_num_mpz_t(), value_.get_den_mpz_t());
  return out;
}

Integer Rational::ceil() const {
  Integer out;
  mpz_cdiv_q(out.get_mpz_t(), value_.get_num_mpz_t(), value_.get_den_mpz_t());
  return out;
}

Integer Rational::round() const {
  const Integer magnitude = (abs() + ratio(1, 2)).floor();
  return sign() < 0 ? Integer(-magnitude) : magnitude;
}

Rational Rational::abs() const { return sign() < 0 ? -*this : *this; }

double Rational::to_double(Round direction) const {
  mpfr_t x;
  mpfr_init2(x, 53);
  const mpfr_rnd_t rounding = direction == Round::kUp ? MPFR_RNDU : MPFR_RNDD;
  mpfr_set_q(x, value_.get_mpq_t(), rounding);
  const double out = mpfr_get_d(x, rounding);
  mpfr_clear(x);
  return out;
}

std::string Rational::to_string() const {
  Integer d = value_.get_den();
  Integer rest;
  const auto twos = mpz_remove(rest.get_mpz_t(), d.get_mpz_t(), Integer(2).get_mpz_t());
  const auto fives = mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), Integer(5).get_mpz_t());
  const int decimals = static_cast<int>(std::max(twos, fives));
  if (rest != 1 || decimals > kDecimalsMax) return value_.get_str();
  const Integer scaled = (abs() * Rational(power_of_ten(decimals))).floor();
  std::string digits = scaled.get_str();
  if (decimals > 0) {
    if (digits.size() <= static_cast<std::size_t>(decimals)) {
      digits.insert(0, static_cast<std::size_t>(decimals) + 1 - digits.size(), '0');
    }
    digits.insert(digits.size() - static_cast<std::size_t>(decimals), ".");
  }
  return (sign() < 0 ? "-" : "") + digits;
}

std::string Rational::to_decimal(int digits, Round direction) const {
  mpfr_t x;
  mpfr_init2(x, 4 * digits + 64);
  const mpfr_rnd_t rounding = direction == Round::kUp ? MPFR_RNDU : MPFR_RNDD;
  mpfr_set_q(x, value_.get_mpq_t(), rounding);
  char buffer[256];
  mpfr_snprintf(buffer, sizeof(buffer), direction == Round::kUp ? "%.*RUg" : "%.*RDg", digits, x);
  mpfr_clear(x);
  return buffer;
}

Rational Rational::operator-() const {
  Rational out;
  out.value_ = -value_;
  return out;
}

Rational operator+(const Rational& a, const Rational& b) {
  Rational out;
  out.value_ = a.value_ + b.value_;
  return out;
}

Rational operator-(const Rational& a, const Rational& b) {
  Rational out;
  out.value_ = a.value_ - b.value_;
  return out;
}

Rational operator*(const Rational& a, const Rational& b) {
  Rational out;
  out.value_ = a.value_ * b.value_;
  return out;
}

Rational operator/(const Rational& a, const Rational& b) {
  DISCREET_CHECK(b.sign() != 0);
  Rational out;
  out.value_ = a.value_ / b.value_;
  return out;
}

Rational power_of_two(int k) {
  const Integer power = Integer(1) << static_cast<unsigned>(k < 0 ? -k : k);
  return k < 0 ? Rational::ratio(1, power) : Rational(power);
}

Rational round_to_bits(const Rational& value, int bits, Round direction) {
  const Rational scaled = value * power_of_two(bits);
  return Rational(direction == Round::kUp ? scaled.ceil() : scaled.floor()) * power_of_two(-bits);
}

}  // namespace discreet
