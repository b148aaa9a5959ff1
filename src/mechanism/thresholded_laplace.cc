// SPDX-License-Identifier: Apache-2.0
#include "mechanism/thresholded_laplace.h"

#include <utility>

#include "mechanism/calibration.h"
#include "mechanism/draws.h"
#include "mechanism/tails.h"
#include "mechanism/threshold_jump.h"
#include "mechanism/whole_sensitivity.h"
#include "random/laplace.h"

namespace discreet::mechanism {

std::string describe_shown(const std::optional<Int128>& shown) {
  return shown ? to_string(*shown) : "absent";
}

ThresholdedLaplace::ThresholdedLaplace(Options options, Scale scale, Int128 threshold)
    : options_(std::move(options)), scale_(std::move(scale)), threshold_(threshold) {}

Result<ThresholdedLaplace> ThresholdedLaplace::make(Options options) {
  if (options.delta.value().sign() == 0) {
    return invalid_input(
        "a threshold needs a delta above 0, such as 1e-6: with delta 0 it would be infinite");
  }
  DISCREET_ASSIGN(const Int128 sensitivity, whole_sensitivity(options.sensitivity));
  DISCREET_ASSIGN(Scale scale, laplace_scale(options.sensitivity, options.epsilon));
  const Int128 threshold = sensitivity + to_int128(laplace_jump(scale, options.delta, 1));
  return ThresholdedLaplace(std::move(options), std::move(scale), threshold);
}

NoiseSpec ThresholdedLaplace::noise() const {
  return {"thresholded-laplace(scale=" + scale_.to_string() + ",sensitivity=" +
          options_.sensitivity.to_string() + ",threshold=" + to_string(threshold_) + ")"};
}

Cost ThresholdedLaplace::cost() const {
  Cost cost = pure_cost(options_.epsilon);
  cost.delta = options_.delta;
  return cost;
}

std::optional<Accuracy> ThresholdedLaplace::accuracy(const Confidence& confidence) const {
  return Accuracy{Rational(laplace_half_width(scale_, confidence)), confidence};
}

Integer ThresholdedLaplace::shown_from(const Confidence& confidence) const {
  return to_integer(threshold_) + laplace_half_width(scale_, confidence);
}

template <random::BitSource B>
ThresholdedLaplace::Output ThresholdedLaplace::draw(const Input& x, B& bits) const {
  const Int128 noisy = add_noise(x, random::LaplaceFor<B>::shared(scale_)->draw(bits));
  if (x <= 0 || noisy < threshold_) return std::nullopt;
  return noisy;
}

DISCREET_DRAWS(ThresholdedLaplace)

}  // namespace discreet::mechanism
