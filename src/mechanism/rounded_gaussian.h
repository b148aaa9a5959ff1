// SPDX-License-Identifier: Apache-2.0
// RoundedGaussian: an integer plus round(N(0, sigma^2)). For integer x this is the continuous
// Gaussian mechanism, rounded: the continuous mechanism's accounting applies unchanged.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/saturation.h"
#include "numeric/real.h"
#include "privacy/released.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

/// Mechanism    M(x) = x + round(N(0, sigma^2)) = round(x + N(0, sigma^2)).
/// Domain       x an integer below 2^126 in size; x and M(x) are clamped there (saturation.h).
/// Neighbours   |x - x'| <= sensitivity D.
/// Measure      (epsilon, delta)-DP, zCDP.
/// Theorem      M is (epsilon, delta)-DP, and D^2/(2 sigma^2)-zCDP.
/// Proof        rounded_gaussian.md
/// Privacy map  d -> gaussian_delta(d, epsilon, sigma^2); monotone; at d = D certified <= delta.
/// Accuracy     exact tail and half width; Var <= sigma^2 + 1/12; E|Z| <= sigma sqrt(2/pi).
/// Randomness   OS entropy only. Time: random/rounded_gaussian.h; it never depends on x.
/// Fails with   make: kInvalidInput when delta is 0 or sigma^2 would exceed 2^60.
/// Trust        proved.
/// Source       [BW18] for sigma; [BS16] for zCDP.
/// Checked by   gaussian_test, audit exact rounded-gaussian.
class RoundedGaussian {
 public:
  using Input = Int128;
  using Output = Int128;

  struct Options {
    Sensitivity sensitivity;  ///< absolute
    Epsilon epsilon;
    Delta delta;
  };
  static Result<RoundedGaussian> make(const Options& options);

  NoiseSpec noise() const;
  Cost cost() const;
  std::optional<Accuracy> accuracy(const Confidence& confidence) const;

  const Variance& sigma_squared() const { return sigma_squared_; }
  Real tail(const Integer& t) const;
  Integer half_width(const Confidence& confidence) const;
  Real variance() const;
  Real expected_size() const;

  static std::vector<Int128> coordinates(const Int128& value) { return {value}; }
  static std::string describe(const Int128& answer) { return to_string(answer); }

 private:
  friend class Door;

  RoundedGaussian(Options options, Variance sigma_squared)
      : options_(std::move(options)), sigma_squared_(std::move(sigma_squared)) {}

  template <random::BitSource B>
  Output draw(const Input& value, B& bits) const;

  Options options_;
  Variance sigma_squared_;
};

}  // namespace discreet::mechanism
