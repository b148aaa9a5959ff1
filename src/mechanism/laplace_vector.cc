// SPDX-License-Identifier: Apache-2.0
#include "mechanism/laplace_vector.h"

#include "mechanism/describe.h"

namespace discreet::mechanism {

Result<LaplaceVector> LaplaceVector::make(const Options& options) {
  DISCREET_ASSIGN(LaplaceNoise noise, LaplaceNoise::make(options));
  return LaplaceVector(std::move(noise));
}

std::string LaplaceVector::describe(const Output& answers) { return describe_entries(answers); }

}  // namespace discreet::mechanism
