// SPDX-License-Identifier: Apache-2.0
#include "mechanism/grid_laplace.h"

#include "mechanism/draws.h"
#include "random/laplace.h"

namespace discreet::mechanism {

Result<GridLaplace> GridLaplace::make(const Options& options) {
  const Integer steps = (options.sensitivity.value() / options.step.value()).ceil();
  DISCREET_ASSIGN(LaplaceNoise noise,
                  LaplaceNoise::make({.sensitivity = Sensitivity::trusted(Rational(steps)),
                                      .epsilon = options.epsilon}));
  return GridLaplace(options, std::move(noise));
}

Int128 GridLaplace::to_grid(const Rational& x, const Step& step) {
  const Integer index = (x / step.value() + Rational::ratio(1, 2)).floor();
  if (fits_int128(index)) return to_int128(index);
  return index > 0 ? kInt128Max : kInt128Min;
}

NoiseSpec GridLaplace::noise() const {
  return {"grid-laplace(step=" + options_.step.to_string() + ",scale=" +
          noise_.scale().to_string() + ",sensitivity=" + options_.sensitivity.to_string() + ")"};
}

Rational GridLaplace::privacy_map(const Rational& distance) const {
  return noise_.privacy_map(Rational((distance / options_.step.value()).ceil()));
}

std::optional<Accuracy> GridLaplace::accuracy(const Confidence& confidence) const {
  return Accuracy{Rational(noise_.half_width(confidence)) * options_.step.value(), confidence};
}

template <random::BitSource B>
GridLaplace::Output GridLaplace::draw(const Input& index, B& bits) const {
  const Int128 z = random::LaplaceFor<B>::shared(noise_.scale())->draw(bits);
  return Rational(to_integer(add_noise(index, z))) * options_.step.value();
}

DISCREET_DRAWS(GridLaplace)

}  // namespace discreet::mechanism
