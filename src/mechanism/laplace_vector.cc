// SPDX-License-Identifier: Apache-2.0
#include "mechanism/laplace_vector.h"

#include "mechanism/describe.h"
#include "mechanism/draws.h"
#include "random/laplace.h"

namespace discreet::mechanism {

Result<LaplaceVector> LaplaceVector::make(const Options& options) {
  DISCREET_ASSIGN(LaplaceNoise noise, LaplaceNoise::make(options));
  return LaplaceVector(std::move(noise));
}

std::string LaplaceVector::describe(const Output& answers) { return describe_entries(answers); }

template <random::BitSource B>
LaplaceVector::Output LaplaceVector::draw(const Input& values, B& bits) const {
  const auto sampler = random::LaplaceFor<B>::shared(scale());
  Output out(values.size());
  fill(out, *sampler, bits);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = add_noise_to_entry(values[i], out[i]);
  return out;
}

DISCREET_DRAWS(LaplaceVector)

}  // namespace discreet::mechanism
