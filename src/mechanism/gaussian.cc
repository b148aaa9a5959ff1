// SPDX-License-Identifier: Apache-2.0
#include "mechanism/gaussian.h"

namespace discreet::mechanism {

Result<Gaussian> Gaussian::make(const Options& options) {
  DISCREET_ASSIGN(GaussianNoise noise, GaussianNoise::make(options));
  return Gaussian(std::move(noise));
}

}  // namespace discreet::mechanism
