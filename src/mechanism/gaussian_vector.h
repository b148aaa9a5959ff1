// SPDX-License-Identifier: Apache-2.0
// GaussianVector: whole arrays of integers plus discrete Gaussian noise, charged in zCDP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/gaussian_noise.h"
#include "mechanism/saturation.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

/// Mechanism    M(x)_i = x_i + Z_i,  Z_i independent discrete Gaussian,
///              sigma^2 = sensitivity^2 / (2 rho).
/// Domain       arrays of a public length; entries below 2^62 in size, clamped there before and
///              after (saturation.h).
/// Neighbours   sum of (x_i - x'_i)^2 <= sensitivity_squared (L2), the same length.
/// Measure      zCDP.
/// Theorem      M is rho-zCDP. No epsilon is claimed.             Proof    gaussian.md
/// Privacy map  d^2 -> d^2 / (2 sigma^2), exactly; map(0) = 0, monotone.
/// Accuracy     upper bounds, for *each* entry: see LaplaceVector.
/// Randomness   as Gaussian.
/// Fails with   make: kInvalidInput when sigma^2 is outside [2^-40, 2^60].
/// Trust        proved.
/// Source       [CKS20].
/// Checked by   gaussian_test, audit exact gaussian-vector.
class GaussianVector : public GaussianNoise {
 public:
  using Input = std::vector<std::int64_t>;
  using Output = std::vector<std::int64_t>;
  using Options = GaussianOptions;  ///< the squared L2 sensitivity of the whole array

  static Result<GaussianVector> make(const Options& options);

  NoiseSpec noise() const { return spec("discrete-gaussian-vector"); }

  static std::vector<Int128> coordinates(const Input& values) {
    return {values.begin(), values.end()};
  }
  static std::string describe(const Output& answers);

 private:
  friend class Door;

  explicit GaussianVector(GaussianNoise noise) : GaussianNoise(std::move(noise)) {}

  template <random::BitSource B>
  Output draw(const Input& values, B& bits) const;
};

}  // namespace discreet::mechanism
