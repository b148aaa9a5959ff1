// SPDX-License-Identifier: Apache-2.0
#include "mechanism/permute_and_flip.h"

#include <utility>

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

}  // namespace discreet::mechanism
