// SPDX-License-Identifier: Apache-2.0
#include "mechanism/gaussian_vector.h"

#include "mechanism/describe.h"
#include "mechanism/draws.h"
#include "random/gaussian.h"

namespace discreet::mechanism {

Result<GaussianVector> GaussianVector::make(const Options& options) {
  DISCREET_ASSIGN(GaussianNoise noise, GaussianNoise::make(options));
  return GaussianVector(std::move(noise));
}

std::string GaussianVector::describe(const Output& answers) { return describe_entries(answers); }

template <random::BitSource B>
GaussianVector::Output GaussianVector::draw(const Input& values, B& bits) const {
  const auto sampler = random::GaussianFor<B>::shared(sigma_squared());
  Output out(values.size());
  fill(out, *sampler, bits);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = add_noise_to_entry(values[i], out[i]);
  return out;
}

DISCREET_DRAWS(GaussianVector)

}  // namespace discreet::mechanism
