// SPDX-License-Identifier: Apache-2.0
// RoundedGaussianVector: whole arrays of integers plus round(N(0, sigma^2)). Unlike the discrete
// Gaussian's, its array is the continuous mechanism's, rounded: the continuous accounting applies
// to L2 distances too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/saturation.h"
#include "numeric/real.h"
#include "privacy/released.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

/// Mechanism    M(x)_i = x_i + round(N_i), N_i independent N(0, sigma^2).
/// Domain       arrays of a public length; entries below 2^62 in size, clamped there before and
///              after (saturation.h).
/// Neighbours   sqrt(sum of (x_i - x'_i)^2) <= sensitivity D (L2), the same length.
/// Measure      (epsilon, delta)-DP, zCDP.
/// Theorem      M is (epsilon, delta)-DP, and D^2/(2 sigma^2)-zCDP.
/// Proof        rounded_gaussian.md
/// Privacy map  d -> gaussian_delta(d, epsilon, sigma^2); monotone; at d = D certified <= delta.
/// Accuracy     for *each* entry: see LaplaceVector.
/// Randomness   as RoundedGaussian.
/// Fails with   make: kInvalidInput when delta is 0 or sigma^2 would exceed 2^60.
/// Trust        proved.
/// Source       [BW18]; [BS16].
/// Checked by   clipped_sums_test, audit exact rounded-gaussian-vector.
class RoundedGaussianVector {
 public:
  using Input = std::vector<std::int64_t>;
  using Output = std::vector<std::int64_t>;

  struct Options {
    Sensitivity sensitivity;  ///< L2
    Epsilon epsilon;
    Delta delta;
  };
  static Result<RoundedGaussianVector> make(const Options& options);

  /// At a variance that is known, priced in zCDP alone: D^2/(2 sigma^2), for the squared D.
  static RoundedGaussianVector in_zcdp(const Variance& sigma_squared,
                                       const L2Squared& sensitivity_squared);

  NoiseSpec noise() const;
  const Cost& cost() const { return cost_; }
  std::optional<Accuracy> accuracy(const Confidence& confidence) const;

  const Variance& sigma_squared() const { return sigma_squared_; }

  static std::vector<Int128> coordinates(const Input& values) {
    return {values.begin(), values.end()};
  }
  static std::string describe(const Output& answers);

 private:
  friend class Door;

  RoundedGaussianVector(Variance sigma_squared, L2Squared sensitivity_squared);

  template <random::BitSource B>
  Output draw(const Input& values, B& bits) const;

  Variance sigma_squared_;
  L2Squared sensitivity_squared_;
  Cost cost_;
};

}  // namespace discreet::mechanism
