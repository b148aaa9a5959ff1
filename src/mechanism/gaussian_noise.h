// SPDX-License-Identifier: Apache-2.0
// GaussianNoise: discrete Gaussian noise of a checked variance with everything that is known about
// it; what the mechanisms that add it have in common. It holds no data and draws nothing.
#pragma once

#include <optional>
#include <string>

#include "numeric/real.h"
#include "privacy/released.h"

namespace discreet::mechanism {

struct GaussianOptions {
  L2Squared sensitivity_squared;
  Rho rho;
};

/// Z with Pr[Z = z] proportional to exp(-z^2 / (2 sigma^2)), sigma^2 = sensitivity^2 / (2 rho).
class GaussianNoise {
 public:
  /// Fails with: kInvalidInput when sigma^2 is outside [2^-40, 2^60], naming what to change.
  static Result<GaussianNoise> make(const GaussianOptions& options);

  /// sigma^2, the parameter.
  const Variance& sigma_squared() const { return sigma_squared_; }
  const L2Squared& sensitivity_squared() const { return options_.sensitivity_squared; }

  /// zCDP only: no epsilon is claimed.
  Cost cost() const;
  /// The rho by which values at squared L2 distance `squared` can be told apart, exactly.
  Rational privacy_map(const Rational& squared) const {
    return squared / (sigma_squared_.value() * Rational(2));
  }

  /// Upper bounds for Pr[|Z| >= t], Var Z and E|Z|; a w with Pr[|Z| > w] <= 1 - confidence
  /// (tails.h).
  Real tail(const Integer& t) const;
  Integer half_width(const Confidence& confidence) const;
  Real variance() const;
  Real expected_size() const;
  std::optional<Accuracy> accuracy(const Confidence& confidence) const;

 protected:
  /// "name(sigma_squared=2,sensitivity_squared=1)"
  NoiseSpec spec(const std::string& name) const;

 private:
  GaussianNoise(GaussianOptions options, Variance sigma_squared)
      : options_(std::move(options)), sigma_squared_(std::move(sigma_squared)) {}

  GaussianOptions options_;
  Variance sigma_squared_;
};

}  // namespace discreet::mechanism
