// SPDX-License-Identifier: Apache-2.0
// GridLaplace: a real number on a declared grid plus discrete Laplace noise on that grid. The
// answer is a multiple of the step, whatever the data: its last digits tell nothing.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/laplace_noise.h"
#include "mechanism/saturation.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

/// Mechanism    M(i) = step (i + Z),  Z discrete Laplace of scale k/epsilon, where
///              k = ceil(sensitivity/step) is the sensitivity in steps.
/// Domain       i = to_grid(x), the index of a real x on the grid; clamped below 2^126 in size.
/// Neighbours   |x - x'| <= sensitivity, in the units of x.       Measure  pure DP.
/// Theorem      M is epsilon-DP, hence (epsilon^2/2)-zCDP.        Proof    grid_laplace.md
/// Privacy map  d -> ceil(d/step) epsilon/k, exactly; map(0) = 0, monotone.
/// Accuracy     exact, against the grid point step*i; against x itself add step/2.
/// Randomness   as Laplace.
/// Fails with   make: kInvalidInput when k/epsilon is outside [2^-40, 2^40].
/// Trust        proved.
/// Source       [CKS20]; rounding to a grid before the noise, against [Mir12].
/// Checked by   grid_laplace_test, audit exact grid-laplace.
class GridLaplace {
 public:
  using Input = Int128;
  using Output = Rational;

  struct Options {
    Step step;
    Sensitivity sensitivity;  ///< in the units of x, not in steps
    Epsilon epsilon;
  };
  static Result<GridLaplace> make(const Options& options);

  /// The index of the nearest grid point, halves upward: floor(x/step + 1/2), saturating at the
  /// ends of Int128.
  /// Laws: (1) monotone; (2) to_grid(x + j step) = to_grid(x) + j; hence (3) reals within d of each
  /// other have indices within ceil(d/step). (Halves away from zero would break (2): -1/2 and 1/2
  /// would be two steps apart.)
  static Int128 to_grid(const Rational& x, const Step& step);

  NoiseSpec noise() const;
  Cost cost() const { return noise_.cost(); }
  Rational privacy_map(const Rational& distance) const;
  std::optional<Accuracy> accuracy(const Confidence& confidence) const;

  const Step& step() const { return options_.step; }
  /// The noise in steps: its scale, tail, variance.
  const LaplaceNoise& in_steps() const { return noise_; }

  static std::vector<Int128> coordinates(const Int128& index) { return {index}; }
  static std::string describe(const Rational& answer) { return answer.to_string(); }

 private:
  friend class Door;

  GridLaplace(Options options, LaplaceNoise noise)
      : options_(std::move(options)), noise_(std::move(noise)) {}

  template <random::BitSource B>
  Output draw(const Input& index, B& bits) const;

  Options options_;
  LaplaceNoise noise_;
};

}  // namespace discreet::mechanism
