// SPDX-License-Identifier: Apache-2.0
#include "mechanism/laplace.h"

#include "mechanism/draws.h"
#include "random/laplace.h"

namespace discreet::mechanism {

Result<Laplace> Laplace::make(const Options& options) {
  DISCREET_ASSIGN(LaplaceNoise noise, LaplaceNoise::make(options));
  return Laplace(std::move(noise));
}

template <random::BitSource B>
Laplace::Output Laplace::draw(const Input& value, B& bits) const {
  return add_noise(value, random::LaplaceFor<B>::shared(scale())->draw(bits));
}

DISCREET_DRAWS(Laplace)

}  // namespace discreet::mechanism
