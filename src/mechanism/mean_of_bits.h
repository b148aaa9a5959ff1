// SPDX-License-Identifier: Apache-2.0
// MeanOfBits: the share of ones among a public number of bits: integer noise on their sum, divided
// by n after the noise.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/laplace_noise.h"
#include "mechanism/saturation.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

/// Mechanism    M(x) = (x + Z)/n,  x the number of ones,  Z discrete Laplace of scale 1/epsilon.
/// Domain       x as Laplace; n >= 1 is public.
/// Neighbours   replace one: one person's bit changes, n does not, so |x - x'| <= 1. (Where adding
///              or removing a person must be hidden, n is not public: release a sum and a count.)
/// Measure      pure DP.
/// Theorem      M is epsilon-DP, hence (epsilon^2/2)-zCDP.        Proof    mean_of_bits.md
/// Privacy map  d -> d epsilon for sums d apart, exactly; map(0) = 0, monotone.
/// Accuracy     exact: the count's half width over n; about ln(1/beta)/(epsilon n).
/// Randomness   as Laplace.
/// Fails with   make: kInvalidInput when n < 1 or 1/epsilon is outside [2^-40, 2^40].
/// Trust        proved.
/// Source       Rosenblatt, CS-GY 6763; [GRS09].
/// Checked by   mean_of_bits_test, audit exact mean-of-bits.
class MeanOfBits {
 public:
  using Input = Int128;
  using Output = Rational;
  static constexpr Neighbours kNeighbours = Neighbours::kReplaceOne;

  struct Options {
    std::int64_t n;  ///< the public number of bits
    Epsilon epsilon;
  };
  static Result<MeanOfBits> make(const Options& options);

  NoiseSpec noise() const;
  Cost cost() const { return noise_.cost(); }
  std::optional<Accuracy> accuracy(const Confidence& confidence) const;

  std::int64_t n() const { return n_; }

  static std::vector<Int128> coordinates(const Int128& ones) { return {ones}; }
  static std::string describe(const Rational& answer) { return answer.to_string(); }

 private:
  friend class Door;

  MeanOfBits(std::int64_t n, LaplaceNoise noise) : n_(n), noise_(std::move(noise)) {}

  template <random::BitSource B>
  Output draw(const Input& ones, B& bits) const;

  std::int64_t n_;
  LaplaceNoise noise_;
};

}  // namespace discreet::mechanism
