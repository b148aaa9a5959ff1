// SPDX-License-Identifier: Apache-2.0
#include "mechanism/laplace.h"

namespace discreet::mechanism {

Result<Laplace> Laplace::make(const Options& options) {
  DISCREET_ASSIGN(LaplaceNoise noise, LaplaceNoise::make(options));
  return Laplace(std::move(noise));
}

}  // namespace discreet::mechanism
