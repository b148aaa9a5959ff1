// SPDX-License-Identifier: Apache-2.0
// Thresholded Gaussian: the noisy count of a key that the owner did not list, or nothing; priced in
// zCDP.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mechanism/mechanisms.h"
#include "mechanism/saturation.h"
#include "numeric/rational.h"
#include "privacy/cost.h"
#include "privacy/released.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

class Door;

/// Mechanism    M(0) = nothing; M(x) = x + Z if that is at least tau, else nothing.
///              Z discrete Gaussian, sigma^2 = Delta^2/(2 rho); tau an integer above Delta for
///              which Pr[Delta + Z >= tau] <= delta is certified: the mass *at* tau counts.
/// Domain       x: what the units with the key add up to, at least 1 if there is one; below 0
///              counts as 0, and beyond 2^126 as 2^126 - 1 (saturation.h).
/// Neighbours   |x - x'| <= Delta, a whole number.    Measure  delta-approximate zCDP.
/// Theorem      delta-approximately rho-zCDP. No epsilon is claimed.
/// Proof        thresholded_gaussian.md §2
/// Privacy map  Delta -> (Delta^2/(2 sigma^2), delta), exact rationals. For ONE key: a unit that
///              may have k keys pays k times, as the caller composes; that includes delta.
/// Accuracy     Pr[shown and |shown - x| > half width] <= 1 - confidence. A shown count is biased
///              upward near tau; shown_from() says which counts surely appear.
/// Randomness   OS entropy only; a coin for an absent key is drawn too, so that work does not tell.
/// Fails with   nothing on data.
/// Side channel the sampler's; see CAVEATS.
/// Source       [CKS20] for the noise, [Wilson et al. 2020] for the threshold.
/// Trust        proved.
/// Checked by   thresholded_gaussian_test (tau by exact sums, all tapes, the off-by-one mutant).
class ThresholdedGaussian {
 public:
  using Input = Int128;
  using Output = std::optional<Int128>;

  struct Options {
    Rho rho;
    Delta delta;
    Sensitivity sensitivity;  ///< what one unit can add to one key; a whole number
  };

  /// Fails with: kInvalidInput when delta is 0, the sensitivity not whole, or the variance
  /// sensitivity^2/(2 rho) outside [2^-40, 2^60].
  static Result<ThresholdedGaussian> make(Options options);

  NoiseSpec noise() const;
  Cost cost() const;
  std::optional<Accuracy> accuracy(const Confidence& confidence) const;

  /// tau: what is shown is never below it.
  Int128 threshold() const { return threshold_; }
  /// A count from which on a key is shown with at least this confidence.
  Integer shown_from(const Confidence& confidence) const;

  static std::vector<Int128> coordinates(Input x) { return {x}; }
  static std::string describe(const Output& shown);

 private:
  friend class Door;
  ThresholdedGaussian(Options options, Variance variance, Int128 threshold);

  template <random::BitSource B>
  Output draw(const Input& x, B& bits) const;

  Options options_;
  Variance variance_;
  Int128 threshold_;
};

}  // namespace discreet::mechanism
