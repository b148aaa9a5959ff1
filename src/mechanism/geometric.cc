// SPDX-License-Identifier: Apache-2.0
#include "mechanism/geometric.h"

#include "mechanism/draws.h"
#include "random/laplace.h"

namespace discreet::mechanism {

Result<Geometric> Geometric::make(const Options& options) {
  if (options.low > options.high) {
    return invalid_input("the range to truncate into is empty: its low end, " +
                         to_string(options.low) + ", must not exceed its high end, " +
                         to_string(options.high));
  }
  DISCREET_ASSIGN(LaplaceNoise noise, LaplaceNoise::make({.sensitivity = options.sensitivity,
                                                          .epsilon = options.epsilon}));
  return Geometric(std::move(noise), options.low, options.high);
}

NoiseSpec Geometric::noise() const {
  return {spec("truncated-geometric").text + "[" + to_string(low_) + "," + to_string(high_) + "]"};
}

std::string Geometric::describe(const Output& answer) {
  return to_string(answer.raw) + " -> " + to_string(answer.truncated);
}

template <random::BitSource B>
Geometric::Output Geometric::draw(const Input& value, B& bits) const {
  const Int128 raw = add_noise(value, random::LaplaceFor<B>::shared(scale())->draw(bits));
  return {raw, std::clamp(raw, low_, high_)};
}

DISCREET_DRAWS(Geometric)

}  // namespace discreet::mechanism
