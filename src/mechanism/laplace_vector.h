// SPDX-License-Identifier: Apache-2.0
// LaplaceVector: whole arrays of integers plus discrete Laplace noise, at the speed of the bulk
// sampler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/laplace_noise.h"
#include "mechanism/saturation.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

/// Mechanism    M(x)_i = x_i + Z_i,  Z_i independent discrete Laplace,  s = sensitivity/epsilon.
/// Domain       arrays of a public length; entries below 2^62 in size, clamped there before and
///              after (saturation.h).
/// Neighbours   sum of |x_i - x'_i| <= sensitivity (L1), the same length.   Measure  pure DP.
/// Theorem      M is epsilon-DP, hence (epsilon^2/2)-zCDP.                  Proof    laplace.md
/// Privacy map  d -> d/s, exactly; map(0) = 0, monotone.
/// Accuracy     exact, for *each* entry: of k entries about (1-c)k miss their interval. Ask for
///              the confidence 1 - (1-c)/k to have all of them at once.
/// Randomness   as Laplace.
/// Fails with   make: kInvalidInput when s is outside [2^-40, 2^40].
/// Trust        proved.
/// Source       [GRS09]; [CKS20].
/// Checked by   laplace_test, audit exact laplace-vector.
class LaplaceVector : public LaplaceNoise {
 public:
  using Input = std::vector<std::int64_t>;
  using Output = std::vector<std::int64_t>;
  using Options = LaplaceOptions;  ///< the L1 sensitivity of the whole array

  static Result<LaplaceVector> make(const Options& options);

  NoiseSpec noise() const { return spec("discrete-laplace-vector"); }

  static std::vector<Int128> coordinates(const Input& values) {
    return {values.begin(), values.end()};
  }
  static std::string describe(const Output& answers);

 private:
  friend class Door;

  explicit LaplaceVector(LaplaceNoise noise) : LaplaceNoise(std::move(noise)) {}

  template <random::BitSource B>
  Output draw(const Input& values, B& bits) const;
};

}  // namespace discreet::mechanism
