// SPDX-License-Identifier: Apache-2.0
#include "accounting/outward.h"

#include <cmath>

#include "accounting/constants.h"

namespace discreet::accounting {
namespace {

constexpr int kSumBits = 512;

const Interval& tiny() {
  static const Interval value = at(power_of_two(-1060));
  return value;
}
const Interval& huge() {
  static const Interval value = at(power_of_two(1020));
  return value;
}

// From here on the asymptotic series is good to 2^-100, and much faster than erfc.
constexpr double kAsymptotic = 12;
constexpr double kNegligible = 0x1p-260;  // the square of a term's size

Interval negative(const Interval& x) { return at(0) - x; }

}  // namespace

Rational exactly(double x) {
  DISCREET_CHECK(std::isfinite(x));
  const mpq_class q(x);
  return Rational::ratio(q.get_num(), q.get_den());
}

Interval at(const Rational& x) { return Interval::around(x, kPrecision); }
Interval at(double x) { return at(exactly(x)); }

// An end far outside a double's range must not become a Rational: e^(10^12) has a trillion bits.
// certainly_less(t, x) says t < x.low.
double down(const Interval& x) {
  if (certainly_less(huge(), x)) return 0x1p1020;
  if (certainly_less(tiny(), x)) return x.low().to_double(Round::kDown);
  if (certainly_less(at(0), x)) return 0;
  if (certainly_less(negative(tiny()), x)) return -0x1p-1060;
  if (certainly_less(negative(huge()), x)) return x.low().to_double(Round::kDown);
  return -kInfinity;
}

double up(const Interval& x) { return -down(negative(x)); }

double add_up(double a, double b) { return std::nextafter(a + b, kInfinity); }

double multiply_up(double a, double b) {
  if (a == 0 || b == 0) return 0;
  return std::nextafter(a * b, kInfinity);
}

Interval plus_minus_one() {
  // 1/3 lies between 1/4 and 3/8, which are neighbours among numbers of two bits; the difference of
  // two such is [-1/8, 1/8].
  static const Interval wide = Interval::around(Rational::ratio(1, 3), 2);
  static const Interval out = at(8) * (wide - wide);
  return out;
}

Interval two_pi() {
  static const Interval pi =
      at(Rational::ratio(Integer("314159265358979323846264338327950288419716939937510", 10),
                         Integer("100000000000000000000000000000000000000000000000000", 10)));
  static const Interval error =
      at(Rational::ratio(1, Integer("10000000000000000000000000000000000000000000000000", 10)));
  static const Interval out = at(2) * (pi + error * plus_minus_one());
  return out;
}

Interval normal_tail(const Interval& z) {
  static const Interval root_two = sqrt(at(2));
  static const Interval half = at(Rational::ratio(1, 2));
  if (down(z) < kAsymptotic) return half * erfc(z / root_two);
  // phi(z)/z (1 - 1/z^2 + 3/z^4 - ...): the sums lie in turn above and below the truth, so the
  // error is below the next term.
  const Interval square = z * z;
  const Interval inverse = at(1) / square;
  Interval term = at(1);
  Interval sum = at(1);
  for (int n = 1; n < 50; ++n) {
    term = at(0) - term * at(2 * n - 1) * inverse;
    if (certainly_less(term * term, at(kNegligible))) break;
    sum = sum + term;
  }
  return exp(at(0) - half * square) / (sqrt(two_pi()) * z) * (sum + term * plus_minus_one());
}

Rational add(const Rational& a, const Rational& b, Round direction) {
  const Rational sum = a + b;
  if (mpz_sizeinbase(sum.denominator().get_mpz_t(), 2) <= kSumBits) return sum;
  return round_to_bits(sum, kSumBits, direction);
}

}  // namespace discreet::accounting
