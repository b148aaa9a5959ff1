// SPDX-License-Identifier: Apache-2.0
// Gaussian: an integer plus discrete Gaussian noise, charged in zCDP.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mechanism/gaussian_noise.h"
#include "mechanism/saturation.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

/// Mechanism    M(x) = x + Z,  Pr[Z = z] ~ exp(-z^2 / (2 sigma^2)),
///              sigma^2 = sensitivity^2 / (2 rho).
/// Domain       x an integer below 2^126 in size; x and M(x) are clamped there (saturation.h).
/// Neighbours   |x - x'|^2 <= sensitivity_squared.                Measure  zCDP.
/// Theorem      M is rho-zCDP. No epsilon is claimed.             Proof    gaussian.md
/// Privacy map  d^2 -> d^2 / (2 sigma^2), exactly; map(0) = 0, monotone.
/// Accuracy     upper bounds: tail and half width of round(N(0, sigma^2)), Var Z <= sigma^2.
/// Randomness   OS entropy only. Time: random/gaussian.h; it never depends on x.
/// Fails with   make: kInvalidInput when sigma^2 is outside [2^-40, 2^60].
/// Trust        proved.
/// Source       [CKS20].
/// Checked by   gaussian_test, audit exact gaussian.
class Gaussian : public GaussianNoise {
 public:
  using Input = Int128;
  using Output = Int128;
  using Options = GaussianOptions;

  static Result<Gaussian> make(const Options& options);

  NoiseSpec noise() const { return spec("discrete-gaussian"); }

  static std::vector<Int128> coordinates(const Int128& value) { return {value}; }
  static std::string describe(const Int128& answer) { return to_string(answer); }

 private:
  friend class Door;

  explicit Gaussian(GaussianNoise noise) : GaussianNoise(std::move(noise)) {}

  template <random::BitSource B>
  Output draw(const Input& value, B& bits) const;
};

}  // namespace discreet::mechanism
