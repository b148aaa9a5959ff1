// SPDX-License-Identifier: Apache-2.0
#include "mechanism/gaussian_noise.h"

#include "mechanism/calibration.h"
#include "mechanism/tails.h"

namespace discreet::mechanism {

Result<GaussianNoise> GaussianNoise::make(const GaussianOptions& options) {
  DISCREET_ASSIGN(Variance sigma_squared,
                  gaussian_variance(options.sensitivity_squared, options.rho));
  return GaussianNoise(options, std::move(sigma_squared));
}

Cost GaussianNoise::cost() const {
  return {.epsilon = std::nullopt, .rho = options_.rho, .delta = Delta::trusted(0)};
}

Real GaussianNoise::tail(const Integer& t) const { return gaussian_tail(sigma_squared_, t); }

Integer GaussianNoise::half_width(const Confidence& confidence) const {
  return gaussian_half_width(sigma_squared_, confidence);
}

Real GaussianNoise::variance() const {
  return real(discrete_gaussian_variance_bound(sigma_squared_));
}

Real GaussianNoise::expected_size() const { return gaussian_expected_size_bound(sigma_squared_); }

std::optional<Accuracy> GaussianNoise::accuracy(const Confidence& confidence) const {
  return Accuracy{Rational(half_width(confidence)), confidence};
}

NoiseSpec GaussianNoise::spec(const std::string& name) const {
  return {name + "(sigma_squared=" + sigma_squared_.to_string() +
          ",sensitivity_squared=" + options_.sensitivity_squared.to_string() + ")"};
}

}  // namespace discreet::mechanism
