// SPDX-License-Identifier: Apache-2.0
#include "mechanism/laplace_noise.h"

#include "mechanism/calibration.h"
#include "mechanism/tails.h"

namespace discreet::mechanism {

Result<LaplaceNoise> LaplaceNoise::make(const LaplaceOptions& options) {
  DISCREET_ASSIGN(Scale scale, laplace_scale(options.sensitivity, options.epsilon));
  return LaplaceNoise(options, std::move(scale));
}

Real LaplaceNoise::tail(const Integer& t) const { return laplace_tail(scale_, t); }

Integer LaplaceNoise::half_width(const Confidence& confidence) const {
  return laplace_half_width(scale_, confidence);
}

Real LaplaceNoise::variance() const { return laplace_variance(scale_); }

Real LaplaceNoise::expected_size() const { return laplace_expected_size(scale_); }

std::optional<Accuracy> LaplaceNoise::accuracy(const Confidence& confidence) const {
  return Accuracy{Rational(half_width(confidence)), confidence};
}

NoiseSpec LaplaceNoise::spec(const std::string& name) const {
  return {name + "(scale=" + scale_.to_string() +
          ",sensitivity=" + options_.sensitivity.to_string() + ")"};
}

}  // namespace discreet::mechanism
