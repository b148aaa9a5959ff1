// SPDX-License-Identifier: Apache-2.0
#include "report/number.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"

namespace discreet::report {
namespace {

Integer power_of_ten(int k) {
  Integer out;
  mpz_ui_pow_ui(out.get_mpz_t(), 10, static_cast<unsigned long>(k));
  return out;
}

Integer to_whole(const Rational& x, Toward toward) {
  switch (toward) {
    case Toward::kNearest:
      return x.round();
    case Toward::kDown:
      return x.floor();
    case Toward::kUp:
      return x.ceil();
  }
  DISCREET_CHECK(false);
  return 0;
}

}  // namespace

std::string fixed(const Rational& x, int decimals, Toward toward) {
  DISCREET_CHECK(decimals >= 0);
  const Integer scaled = to_whole(x * Rational(power_of_ten(decimals)), toward);
  std::string digits = Integer(abs(scaled)).get_str();
  const auto places = static_cast<std::size_t>(decimals);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.end() - decimals, '.');
  return (sgn(scaled) < 0 ? "-" : "") + digits;
}

int decimals_for(const Rational& x, int digits) {
  DISCREET_CHECK(digits >= 1);
  if (x.sign() == 0) return 0;
  // The size of 1/|x| or |x| in decimal digits is right to one; the loop finds the rest.
  const Rational magnitude = x.abs();
  const Rational inverse = Rational(1) / magnitude;
  int decimals = static_cast<int>(mpz_sizeinbase(inverse.floor().get_mpz_t(), 10)) + digits - 2 -
                 static_cast<int>(mpz_sizeinbase(magnitude.floor().get_mpz_t(), 10));
  decimals = std::max(decimals - 2, 0);
  const Rational least(power_of_ten(digits - 1));
  while (magnitude * Rational(power_of_ten(decimals)) < least) ++decimals;
  return decimals;
}

std::string approximate(const Rational& x, int digits) {
  return fixed(x, decimals_for(x, digits), Toward::kNearest);
}

}  // namespace discreet::report
