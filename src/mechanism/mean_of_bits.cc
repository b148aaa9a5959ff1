// SPDX-License-Identifier: Apache-2.0
#include "mechanism/mean_of_bits.h"

#include "mechanism/draws.h"
#include "random/laplace.h"

namespace discreet::mechanism {

Result<MeanOfBits> MeanOfBits::make(const Options& options) {
  if (options.n < 1) return invalid_input("the public number of bits, n, must be at least 1");
  DISCREET_ASSIGN(LaplaceNoise noise, LaplaceNoise::make({.sensitivity = Sensitivity::trusted(1),
                                                          .epsilon = options.epsilon}));
  return MeanOfBits(options.n, std::move(noise));
}

NoiseSpec MeanOfBits::noise() const {
  return {"mean-of-bits(n=" + std::to_string(n_) + ",scale=" + noise_.scale().to_string() +
          ",neighbours=replace-one)"};
}

std::optional<Accuracy> MeanOfBits::accuracy(const Confidence& confidence) const {
  return Accuracy{Rational(noise_.half_width(confidence)) / Rational(n_), confidence};
}

template <random::BitSource B>
MeanOfBits::Output MeanOfBits::draw(const Input& ones, B& bits) const {
  const Int128 z = random::LaplaceFor<B>::shared(noise_.scale())->draw(bits);
  return Rational(to_integer(add_noise(ones, z))) / Rational(n_);
}

DISCREET_DRAWS(MeanOfBits)

}  // namespace discreet::mechanism
