// SPDX-License-Identifier: Apache-2.0
#include "mechanism/thresholded_gaussian.h"

#include <utility>

#include "mechanism/calibration.h"
#include "mechanism/draws.h"
#include "mechanism/tails.h"
#include "mechanism/threshold_jump.h"
#include "mechanism/thresholded_laplace.h"
#include "mechanism/whole_sensitivity.h"
#include "random/gaussian.h"

namespace discreet::mechanism {

ThresholdedGaussian::ThresholdedGaussian(Options options, Variance variance, Int128 threshold)
    : options_(std::move(options)), variance_(std::move(variance)), threshold_(threshold) {}

Result<ThresholdedGaussian> ThresholdedGaussian::make(Options options) {
  if (options.delta.value().sign() == 0) {
    return invalid_input(
        "a threshold needs a delta above 0, such as 1e-6: with delta 0 it would be infinite");
  }
  DISCREET_ASSIGN(const Int128 sensitivity, whole_sensitivity(options.sensitivity));
  const Rational& distance = options.sensitivity.value();
  DISCREET_ASSIGN(Variance variance,
                  gaussian_variance(L2Squared::trusted(distance * distance), options.rho));
  const Int128 threshold = sensitivity + to_int128(gaussian_jump(variance, options.delta, 1));
  return ThresholdedGaussian(std::move(options), std::move(variance), threshold);
}

NoiseSpec ThresholdedGaussian::noise() const {
  return {"thresholded-gaussian(variance=" + variance_.to_string() + ",sensitivity=" +
          options_.sensitivity.to_string() + ",threshold=" + to_string(threshold_) + ")"};
}

Cost ThresholdedGaussian::cost() const {
  return {.epsilon = std::nullopt, .rho = options_.rho, .delta = options_.delta};
}

std::optional<Accuracy> ThresholdedGaussian::accuracy(const Confidence& confidence) const {
  return Accuracy{Rational(gaussian_half_width(variance_, confidence)), confidence};
}

Integer ThresholdedGaussian::shown_from(const Confidence& confidence) const {
  return to_integer(threshold_) + gaussian_half_width(variance_, confidence);
}

std::string ThresholdedGaussian::describe(const Output& shown) { return describe_shown(shown); }

template <random::BitSource B>
ThresholdedGaussian::Output ThresholdedGaussian::draw(const Input& x, B& bits) const {
  const Int128 noisy = add_noise(x, random::GaussianFor<B>::shared(variance_)->draw(bits));
  if (x <= 0 || noisy < threshold_) return std::nullopt;
  return noisy;
}

DISCREET_DRAWS(ThresholdedGaussian)

}  // namespace discreet::mechanism
