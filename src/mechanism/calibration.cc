// SPDX-License-Identifier: Apache-2.0
#include "mechanism/calibration.h"

#include <algorithm>

#include "mechanism/tails.h"

namespace discreet::mechanism {
namespace {

constexpr int kLeastExponent = -40;    // of a Variance
constexpr int kGreatestExponent = 60;  // of a Variance
constexpr int kBisections = 40;
constexpr int kDigits = 12;

Error too_much_noise(const std::string& what, const char* limit, const char* parameter) {
  return invalid_input("the noise would need a " + what + " above " + limit + ": raise " +
                       parameter + ", or lower the sensitivity (tighter bounds, a coarser grid)");
}

Error too_little_noise(const std::string& what, const char* parameter) {
  return invalid_input("the noise would have a " + what +
                       " below 2^-40, which hides nothing: lower " + parameter);
}

Rational power_of_ten(int k) {
  Integer ten;
  mpz_ui_pow_ui(ten.get_mpz_t(), 10, static_cast<unsigned long>(k < 0 ? -k : k));
  return k < 0 ? Rational::ratio(1, ten) : Rational(ten);
}

// The least number of kDigits significant decimal digits that is at least x > 0.
Rational round_up_to_digits(const Rational& x) {
  int exponent = 0;  // 10^(kDigits-1) <= x 10^exponent < 10^kDigits
  while (x * power_of_ten(exponent) < power_of_ten(kDigits - 1)) ++exponent;
  while (x * power_of_ten(exponent) >= power_of_ten(kDigits)) --exponent;
  return Rational((x * power_of_ten(exponent)).ceil()) / power_of_ten(exponent);
}

// The standard normal distribution function.
Interval phi(const Interval& x, const Interval& minus_root_half) {
  return erfc(x * minus_root_half) / Interval::around(2, x.precision());
}

}  // namespace

Result<Scale> laplace_scale(const Sensitivity& sensitivity, const Epsilon& epsilon) {
  const Rational scale = sensitivity.value() / epsilon.value();
  if (scale > power_of_two(40)) return too_much_noise("scale", "2^40", "epsilon");
  if (scale < power_of_two(-40)) return too_little_noise("scale", "epsilon");
  return Scale::of(scale);
}

Result<Variance> gaussian_variance(const L2Squared& sensitivity_squared, const Rho& rho) {
  const Rational variance = sensitivity_squared.value() / (rho.value() * Rational(2));
  if (variance > power_of_two(60)) return too_much_noise("variance", "2^60", "rho");
  if (variance < power_of_two(-40)) return too_little_noise("variance", "rho");
  return Variance::of(variance);
}

Real gaussian_delta(const Sensitivity& sensitivity, const Epsilon& epsilon,
                    const Variance& variance) {
  const Rational ratio_squared =
      variance.value() / (sensitivity.value() * sensitivity.value());  // (sigma/D)^2
  return [ratio_squared, eps = epsilon.value()](int precision) {
    const auto around = [=](const Rational& x) { return Interval::around(x, precision); };
    const Interval ratio = sqrt(around(ratio_squared));
    const Interval near = around(Rational::ratio(1, 2)) / ratio;
    const Interval far = around(eps) * ratio;
    const Interval minus_root_half = around(0) - sqrt(around(Rational::ratio(1, 2)));
    return phi(near - far, minus_root_half) -
           exp(around(eps)) * phi(around(0) - near - far, minus_root_half);
  };
}

Result<Variance> analytic_gaussian_variance(const AnalyticGaussian& wanted) {
  const Rational delta = wanted.delta.value();
  if (delta.sign() == 0) {
    return invalid_input("the rounded Gaussian needs a delta above 0, such as 1e-6");
  }
  const auto certified = [&](const Rational& variance) {
    return surely_at_most(
        gaussian_delta(wanted.sensitivity, wanted.epsilon, Variance::trusted(variance)), delta);
  };
  // delta falls as the variance grows; first the power of two, then bisection inside it.
  int good = kGreatestExponent;
  if (!certified(power_of_two(good))) {
    return too_much_noise("variance", "2^60", "epsilon or delta");
  }
  int bad = kLeastExponent - 1;
  while (good - bad > 1) {
    const int middle = bad + (good - bad) / 2;
    (certified(power_of_two(middle)) ? good : bad) = middle;
  }
  if (good == kLeastExponent) return Variance::of(power_of_two(kLeastExponent));
  Rational enough = power_of_two(good);
  Rational too_few = power_of_two(bad);
  for (int i = 0; i < kBisections; ++i) {
    const Rational middle = (enough + too_few) / Rational(2);
    (certified(middle) ? enough : too_few) = middle;
  }
  const Rational rounded = std::min(round_up_to_digits(enough), power_of_two(kGreatestExponent));
  // Monotonicity made this likely; the guarantee rests on checking it.
  return Variance::of(certified(rounded) ? rounded : enough);
}

Rational round_up_to_ledger(const Real& x) {
  const Rational grid = power_of_ten(18);
  return Rational((upper_bound(x) * grid).ceil()) / grid;
}

}  // namespace discreet::mechanism
