// SPDX-License-Identifier: Apache-2.0
// Laplace: an integer plus discrete Laplace noise.
//
//   DISCREET_ASSIGN(auto laplace, Laplace::make({.sensitivity = one, .epsilon = half}));
//   DISCREET_ASSIGN(auto answer, Door::release(laplace, std::move(count), std::move(receipt)));
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mechanism/laplace_noise.h"
#include "mechanism/saturation.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

/// Mechanism    M(x) = x + Z,  Pr[Z = z] = (1-q)/(1+q) q^|z|,  q = exp(-1/s),
///              s = sensitivity/epsilon.
/// Domain       x an integer below 2^126 in size; x and M(x) are clamped there (saturation.h).
/// Neighbours   |x - x'| <= sensitivity.                          Measure  pure DP.
/// Theorem      M is epsilon-DP, hence (epsilon^2/2)-zCDP.        Proof    laplace.md
/// Privacy map  d -> d/s, exactly; map(0) = 0, monotone.
/// Accuracy     exact: tail, half width, variance and E|Z| of tails.h.
/// Randomness   OS entropy only. Table look-ups and bits read do not depend on Z, but for the
///              refinement event (random/laplace.h), nor on x.
/// Fails with   make: kInvalidInput when s is outside [2^-40, 2^40].
/// Trust        proved.
/// Source       [GRS09]; [CKS20].
/// Checked by   laplace_test, audit exact laplace.
class Laplace : public LaplaceNoise {
 public:
  using Input = Int128;
  using Output = Int128;
  using Options = LaplaceOptions;

  static Result<Laplace> make(const Options& options);

  NoiseSpec noise() const { return spec("discrete-laplace"); }

  static std::vector<Int128> coordinates(const Int128& value) { return {value}; }
  static std::string describe(const Int128& answer) { return to_string(answer); }

 private:
  friend class Door;

  explicit Laplace(LaplaceNoise noise) : LaplaceNoise(std::move(noise)) {}

  template <random::BitSource B>
  Output draw(const Input& value, B& bits) const;
};

}  // namespace discreet::mechanism
