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
  const Rational& distance = options.sensitivity.value();
  RoundedGaussianVector out(std::move(sigma_squared), L2Squared::trusted(distance * distance));
  // As RoundedGaussian: rho-zCDP is delta-approximate rho-zCDP for every delta.
  out.cost_.epsilon = options.epsilon;
  out.cost_.delta = options.delta;
  return out;
}

RoundedGaussianVector RoundedGaussianVector::in_zcdp(const Variance& sigma_squared,
                                                     const L2Squared& sensitivity_squared) {
  return RoundedGaussianVector(sigma_squared, sensitivity_squared);
}

RoundedGaussianVector::RoundedGaussianVector(Variance sigma_squared, L2Squared sensitivity_squared)
    : sigma_squared_(std::move(sigma_squared)),
      sensitivity_squared_(std::move(sensitivity_squared)),
      cost_{.epsilon = std::nullopt,
            .rho = Rho::trusted(sensitivity_squared_.value() / (sigma_squared_.value() * 2)),
            .delta = Delta::trusted(0)} {}

NoiseSpec RoundedGaussianVector::noise() const {
  return {"rounded-gaussian-vector(sigma_squared=" + sigma_squared_.to_string() +
          ",sensitivity_squared=" + sensitivity_squared_.to_string() + ")"};
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
