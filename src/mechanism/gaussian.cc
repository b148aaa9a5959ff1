// SPDX-License-Identifier: Apache-2.0
#include "mechanism/gaussian.h"

#include "mechanism/draws.h"
#include "random/gaussian.h"

namespace discreet::mechanism {

Result<Gaussian> Gaussian::make(const Options& options) {
  DISCREET_ASSIGN(GaussianNoise noise, GaussianNoise::make(options));
  return Gaussian(std::move(noise));
}

template <random::BitSource B>
Gaussian::Output Gaussian::draw(const Input& value, B& bits) const {
  return add_noise(value, random::GaussianFor<B>::shared(sigma_squared())->draw(bits));
}

DISCREET_DRAWS(Gaussian)

}  // namespace discreet::mechanism
