// SPDX-License-Identifier: Apache-2.0
#include "mechanism/permute_and_flip.h"

#include <utility>

#include "mechanism/draws.h"
#include "random/select.h"

namespace discreet::mechanism {

PermuteAndFlip::PermuteAndFlip(Options options)
    : options_(std::move(options)),
      weight_per_unit_(options_.epsilon.value() / (2 * options_.sensitivity.value())) {}

Result<PermuteAndFlip> PermuteAndFlip::make(Options options) {
  if (options.candidates == 0) {
    return invalid_input("there is nothing to choose from: give at least one candidate");
  }
  return PermuteAndFlip(std::move(options));
}

NoiseSpec PermuteAndFlip::noise() const {
  return {"permute-and-flip(epsilon=" + options_.epsilon.to_string() +
          ",sensitivity=" + options_.sensitivity.to_string() +
          ",candidates=" + std::to_string(options_.candidates) + ")"};
}

Integer PermuteAndFlip::shortfall(const Confidence& confidence) const {
  return worst_shortfall(options_.candidates, weight_per_unit_, confidence);
}

template <random::BitSource B>
PermuteAndFlip::Output PermuteAndFlip::draw(const Input& scores, B& bits) const {
  DISCREET_CHECK(scores.size() == options_.candidates);
  return random::permute_and_flip(scores, weight_per_unit_, bits);
}

DISCREET_DRAWS(PermuteAndFlip)

}  // namespace discreet::mechanism
