// SPDX-License-Identifier: Apache-2.0
// Which noise each measurement gets, and how much: from its sensitivity and its share of the
// question's epsilon, by the notion of the units' budget.
//
//   epsilon, pure   discrete Laplace and the exponential mechanism; shares of epsilon add up
//   zcdp            discrete Gaussian, unless the owner prefers Laplace: at the same rho its
//                   variance is at most half, since L2 <= L1; the question's epsilon stands for
//                   rho = epsilon^2/2, and shares of rho add up
//   bent coins      SvLaplace in either notion, for the one measurement that there is
//                   (bent_coins.h)
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "mechanism/gaussian_vector.h"
#include "mechanism/key_selection.h"
#include "mechanism/laplace_vector.h"
#include "mechanism/quantiles.h"
#include "mechanism/sv_laplace.h"
#include "mechanism/thresholded_groups.h"
#include "plan/lowering.h"
#include "plan/sensitivity.h"

namespace discreet::plan {

using Noise = std::variant<mechanism::LaplaceVector, mechanism::GaussianVector,
                           mechanism::Quantiles, mechanism::SvLaplace>;

/// One measurement with its noise.
struct Step {
  Measurement measurement;
  Shape shape;  ///< of the argument; a boolean's without one
  Lowered lowered;
  Noise noise;
  /// A quantile's with intervals: of how many rows lie between points around the released ones.
  std::optional<Noise> counts = {};
};

/// What a question spends, and how far one of its units reaches.
struct Terms {
  policy::Notion notion = policy::Notion::kEpsilon;
  policy::NoisePreference preference = policy::NoisePreference::kAutomatic;
  Epsilon epsilon = Epsilon::trusted(1);
  Delta delta = Delta::trusted(0);
  Reach reach;
  std::int64_t rows = 1;  ///< of a unit in a group
  /// The lines are paid for by groups of units (members.h). A group's zCDP price of a line with a
  /// delta is that of its epsilon alone: finding keys gains nothing.
  bool pays_as_group = false;
  bool both_ways = false;              ///< adding a unit may also take rows away (pair_join.h)
  Integer units_max;                   ///< a public bound on how many units there are
  std::optional<Rational> gamma = {};  ///< the coins may be bent so far
};

/// The largest number of 12 significant digits, or a few more, whose square is at most x > 0;
/// exact where the root has so few.
Rational root_below(const Rational& x);

/// The largest number of 12 significant digits, and of 18 decimals, that is at most x > 0; x itself
/// if that would be 0. The ledger rounds every line up to 18 decimals: so many of these add up to
/// no more than what was split.
Rational share_below(const Rational& x);

/// `share` is this line's part of the whole, in (0, 1].
/// Fails with: kInvalidInput, from the plan and the policy alone.
Result<Step> make_step(const Measurement& measurement, const Shape& shape, const Terms& terms,
                       const Rational& share);
Result<mechanism::KeySelection> make_selection(const Terms& terms, const Rational& share);

/// The mechanism that releases a step together with the keys, for the step's own price and the
/// question's delta; none for a step that a unit may also lower, and for quantiles (checker.md, §3,
/// Keys with a measurement).
Result<std::optional<mechanism::ThresholdedGroups>> make_threshold(const Step& step,
                                                                   const Terms& terms);

/// What a step's noise is charged, and its text.
ChargeLine line_of(const Noise& noise);

}  // namespace discreet::plan
