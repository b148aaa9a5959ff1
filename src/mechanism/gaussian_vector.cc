// SPDX-License-Identifier: Apache-2.0
#include "mechanism/gaussian_vector.h"

#include "mechanism/describe.h"

namespace discreet::mechanism {

Result<GaussianVector> GaussianVector::make(const Options& options) {
  DISCREET_ASSIGN(GaussianNoise noise, GaussianNoise::make(options));
  return GaussianVector(std::move(noise));
}

std::string GaussianVector::describe(const Output& answers) { return describe_entries(answers); }

}  // namespace discreet::mechanism
