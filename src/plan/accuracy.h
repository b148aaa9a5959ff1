// SPDX-License-Identifier: Apache-2.0
// How far off an answer may be, before it is asked: from the plan's noise alone. And the other way
// round: the least epsilon for an error that one can live with.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "plan/checker.h"

namespace discreet::plan {

/// How far a released measurement may lie from what was measured, for each group by itself, with
/// the confidence asked for.
struct ExpectedError {
  std::optional<Rational> half_width;  ///< in the argument's own units; not of a quantile
  std::optional<Rational> ranks;       ///< of a quantile: by how many rows its rank may be off
};
ExpectedError expected_error(const Step& step, const Confidence& confidence);

/// What a released integer of a step says in the argument's units: the sum of (argument - centre),
/// of its square, a count, or a quantile.
Rational in_units(const Step& step, const Rational& integer);

/// The least epsilon, of four significant digits between 10^-9 and 9999, for which the checked plan
/// is good enough. `good` must not turn bad as epsilon grows.
/// Fails with: what Checker::check says at the largest epsilon; kInvalidInput when even that is not
/// good enough.
Result<Epsilon> least_epsilon(const Plan& plan, const policy::Policy& policy,
                              const std::function<bool(const Checked&)>& good);

/// The same for one step's half width (of a quantile: its ranks). Requires: step is one of them.
Result<Epsilon> least_epsilon(const Plan& plan, const policy::Policy& policy, std::size_t step,
                              const Rational& error, const Confidence& confidence);

}  // namespace discreet::plan
