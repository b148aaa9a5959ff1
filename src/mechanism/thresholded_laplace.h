// SPDX-License-Identifier: Apache-2.0
// Thresholded Laplace: the noisy count of a key that the owner did not list, or nothing. The
// threshold is so high that the key of a single unit almost never appears.
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

/// What a mechanism with a threshold gave out, for recordings: the number, or "absent".
std::string describe_shown(const std::optional<Int128>& shown);

/// Mechanism    M(0) = nothing; M(x) = x + Z if that is at least tau, else nothing.
///              Z discrete Laplace of scale Delta/epsilon; tau the least integer above Delta with
///              Pr[Delta + Z >= tau] <= delta: the mass *at* tau counts.
/// Domain       x: what the units with the key add up to, at least 1 if there is one; below 0
///              counts as 0, and beyond 2^126 as 2^126 - 1 (saturation.h).
/// Neighbours   |x - x'| <= Delta, a whole number.               Measure  (epsilon, delta)-DP.
/// Theorem      (epsilon, delta)-DP, hence delta-approximately (epsilon^2/2)-zCDP.
/// Proof        thresholded_laplace.md §2: two present keys are covered by the noise, a present
///              and an absent one by delta.
/// Privacy map  Delta -> (epsilon, delta). For ONE key: a unit that may have k keys pays k times,
///              as the caller composes; that includes delta.
/// Accuracy     Pr[shown and |shown - x| > half width] <= 1 - confidence. A shown count is biased
///              upward near tau; shown_from() says which counts surely appear.
/// Randomness   OS entropy only; a coin for an absent key is drawn too, so that work does not tell.
/// Fails with   nothing on data.
/// Side channel the sampler's; see CAVEATS.
/// Source       [Korolova et al. 2009]; off-by-one thresholds: opendp#2922, google PR#101.
/// Trust        proved.
/// Checked by   thresholded_laplace_test (tau by intervals, all tapes, the off-by-one mutant).
class ThresholdedLaplace {
 public:
  using Input = Int128;
  using Output = std::optional<Int128>;

  struct Options {
    Epsilon epsilon;
    Delta delta;
    Sensitivity sensitivity;  ///< what one unit can add to one key; a whole number
  };

  /// Fails with: kInvalidInput when delta is 0, the sensitivity not whole, or the scale
  /// sensitivity/epsilon outside [2^-40, 2^40].
  static Result<ThresholdedLaplace> make(Options options);

  NoiseSpec noise() const;
  Cost cost() const;
  std::optional<Accuracy> accuracy(const Confidence& confidence) const;

  /// tau: what is shown is never below it.
  Int128 threshold() const { return threshold_; }
  /// A count from which on a key is shown with at least this confidence.
  Integer shown_from(const Confidence& confidence) const;

  static std::vector<Int128> coordinates(Input x) { return {x}; }
  static std::string describe(const Output& shown) { return describe_shown(shown); }

 private:
  friend class Door;
  ThresholdedLaplace(Options options, Scale scale, Int128 threshold);

  template <random::BitSource B>
  Output draw(const Input& x, B& bits) const;

  Options options_;
  Scale scale_;
  Int128 threshold_;
};

}  // namespace discreet::mechanism
