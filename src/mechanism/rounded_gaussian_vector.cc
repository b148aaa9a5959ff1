// SPDX-License-Identifier: Apache-2.0
#include "mechanism/rounded_gaussian_vector.h"

#include "mechanism/calibration.h"
#include "mechanism/describe.h"
#include "mechanism/draws.h"
#include "mechanism/tails.h"
#include "random/rounded_gaussian.h"

namespace discreet::mechanism {

Result<RoundedGaussianVector> RoundedGaussianVector::make(const Options& options) {
  DISCREET_ASSIGN(Variance sigma_squared,
                  analytic_gaussian_variance({.sensitivity = options.sensitivity,
                                              .epsilon = options.epsilon,
                                              .delta = options.delta}));
  return RoundedGaussianVector(options, std::move(sigma_squared));
}

NoiseSpec RoundedGaussianVector::noise() const {
  return {"rounded-gaussian-vector(sigma_squared=" + sigma_squared_.to_string() +
          ",sensitivity_squared=" +
          (options_.sensitivity.value() * options_.sensitivity.value()).to_string() + ")"};
}

Cost RoundedGaussianVector::cost() const {
  // As RoundedGaussian: rho-zCDP is delta-approximate rho-zCDP for every delta.
  const Rational& distance = options_.sensitivity.value();
  return {.epsilon = options_.epsilon,
          .rho = Rho::trusted(distance * distance / (sigma_squared_.value() * Rational(2))),
          .delta = options_.delta};
}

std::optional<Accuracy> RoundedGaussianVector::accuracy(const Confidence& confidence) const {
  return Accuracy{Rational(gaussian_half_width(sigma_squared_, confidence)), confidence};
}

std::string RoundedGaussianVector::describe(const Output& answers) {
  return describe_entries(answers);
}

template <random::BitSource B>
RoundedGaussianVector::Output RoundedGaussianVector::draw(const Input& values, B& bits) const {
  const auto sampler = random::RoundedGaussianFor<B>::shared(sigma_squared_);
  Output out(values.size());
  fill(out, *sampler, bits);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = add_noise_to_entry(values[i], out[i]);
  return out;
}

DISCREET_DRAWS(RoundedGaussianVector)

}  // namespace discreet::mechanism
