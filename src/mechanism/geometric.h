// SPDX-License-Identifier: Apache-2.0
// Geometric: a count plus discrete Laplace noise, and the same answer truncated into a public
// range.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mechanism/laplace_noise.h"
#include "mechanism/saturation.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

/// Mechanism    R = x + Z as Laplace; T = R clamped into [low, high]. Both are released.
/// Domain       as Laplace. The range is public: [0, n] only where n is public.
/// Neighbours   |x - x'| <= sensitivity.                          Measure  pure DP.
/// Theorem      M is epsilon-DP, hence (epsilon^2/2)-zCDP.        Proof    geometric.md
/// Privacy map  d -> d/s, exactly; map(0) = 0, monotone.
/// Accuracy     exact for `raw`. If x lies in the range, |T - x| <= |R - x| on every draw; but T is
///              biased inward, so sums and intervals are made from `raw`.
/// Randomness   as Laplace.
/// Fails with   make: kInvalidInput when s is outside [2^-40, 2^40] or the range is empty.
/// Trust        proved.
/// Source       [GRS09], which truncates; Dodis, lecture 4.
/// Checked by   geometric_test, audit exact geometric.
class Geometric : public LaplaceNoise {
 public:
  using Input = Int128;
  struct Output {
    Int128 raw;        ///< unbiased: for sums and intervals
    Int128 truncated;  ///< inside the range: for people
    friend auto operator<=>(const Output&, const Output&) = default;
  };
  struct Options {
    Sensitivity sensitivity;
    Epsilon epsilon;
    Int128 low = 0;
    Int128 high = kAnswerMax;  ///< no bound in practice
  };
  static Result<Geometric> make(const Options& options);

  NoiseSpec noise() const;

  static std::vector<Int128> coordinates(const Int128& value) { return {value}; }
  static std::string describe(const Output& answer);

 private:
  friend class Door;

  Geometric(LaplaceNoise noise, Int128 low, Int128 high)
      : LaplaceNoise(std::move(noise)), low_(low), high_(high) {}

  template <random::BitSource B>
  Output draw(const Input& value, B& bits) const;

  Int128 low_;
  Int128 high_;
};

}  // namespace discreet::mechanism
