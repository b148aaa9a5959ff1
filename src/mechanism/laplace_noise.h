// SPDX-License-Identifier: Apache-2.0
// LaplaceNoise: discrete Laplace noise of a checked scale with everything that is known about it;
// what the mechanisms that add it have in common. It holds no data and draws nothing.
#pragma once

#include <optional>
#include <string>

#include "numeric/real.h"
#include "privacy/released.h"

namespace discreet::mechanism {

struct LaplaceOptions {
  Sensitivity sensitivity;
  Epsilon epsilon;
};

/// Z with Pr[Z = z] = (1-q)/(1+q) q^|z|, q = exp(-1/s), s = sensitivity/epsilon.
class LaplaceNoise {
 public:
  /// Fails with: kInvalidInput when s is outside [2^-40, 2^40], naming what to change.
  static Result<LaplaceNoise> make(const LaplaceOptions& options);

  const Scale& scale() const { return scale_; }
  const Sensitivity& sensitivity() const { return options_.sensitivity; }
  const Epsilon& epsilon() const { return options_.epsilon; }

  Cost cost() const { return pure_cost(options_.epsilon); }
  /// The epsilon by which values `distance` apart can be told apart: distance/s, exactly.
  Rational privacy_map(const Rational& distance) const { return distance / scale_.value(); }

  /// Exact: Pr[|Z| >= t], the least w with Pr[|Z| > w] <= 1 - confidence, Var Z, E|Z| (tails.h).
  Real tail(const Integer& t) const;
  Integer half_width(const Confidence& confidence) const;
  Real variance() const;
  Real expected_size() const;
  /// The half width, in units of the integer.
  std::optional<Accuracy> accuracy(const Confidence& confidence) const;

 protected:
  /// "name(scale=2,sensitivity=1)"
  NoiseSpec spec(const std::string& name) const;

 private:
  LaplaceNoise(LaplaceOptions options, Scale scale)
      : options_(std::move(options)), scale_(std::move(scale)) {}

  LaplaceOptions options_;
  Scale scale_;
};

}  // namespace discreet::mechanism
