// SPDX-License-Identifier: Apache-2.0
#include "mechanism/rounded_gaussian.h"

#include "mechanism/calibration.h"
#include "mechanism/draws.h"
#include "mechanism/tails.h"
#include "random/rounded_gaussian.h"

namespace discreet::mechanism {

Result<RoundedGaussian> RoundedGaussian::make(const Options& options) {
  DISCREET_ASSIGN(Variance sigma_squared,
                  analytic_gaussian_variance({.sensitivity = options.sensitivity,
                                              .epsilon = options.epsilon,
                                              .delta = options.delta}));
  return RoundedGaussian(options, std::move(sigma_squared));
}

NoiseSpec RoundedGaussian::noise() const {
  return {"rounded-gaussian(sigma_squared=" + sigma_squared_.to_string() +
          ",sensitivity=" + options_.sensitivity.to_string() + ")"};
}

Cost RoundedGaussian::cost() const {
  // rho-zCDP is delta-approximate rho-zCDP for every delta, so both entries may carry this delta.
  const Rational& distance = options_.sensitivity.value();
  return {.epsilon = options_.epsilon,
          .rho = Rho::trusted(distance * distance / (sigma_squared_.value() * Rational(2))),
          .delta = options_.delta};
}

std::optional<Accuracy> RoundedGaussian::accuracy(const Confidence& confidence) const {
  return Accuracy{Rational(half_width(confidence)), confidence};
}

Real RoundedGaussian::tail(const Integer& t) const { return gaussian_tail(sigma_squared_, t); }

Integer RoundedGaussian::half_width(const Confidence& confidence) const {
  return gaussian_half_width(sigma_squared_, confidence);
}

Real RoundedGaussian::variance() const {
  return real(rounded_gaussian_variance_bound(sigma_squared_));
}

Real RoundedGaussian::expected_size() const { return gaussian_expected_size_bound(sigma_squared_); }

template <random::BitSource B>
RoundedGaussian::Output RoundedGaussian::draw(const Input& value, B& bits) const {
  return add_noise(value, random::RoundedGaussianFor<B>::shared(sigma_squared_)->draw(bits));
}

DISCREET_DRAWS(RoundedGaussian)

}  // namespace discreet::mechanism
