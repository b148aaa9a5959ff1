// SPDX-License-Identifier: Apache-2.0
// Questions on coins that may be bent: what has a certificate over all Santha-Vazirani sources of
// the policy's gamma, and the noise for it. All else is refused.
//
// Theorem. Let check_bent_coins() pass. Then the question has one measurement f and no keys, and
// |f(D) - f(D')| <= l1(reach, move) for neighbours D, D' (checker.md, section 3: one group). Which
// rows of a unit are kept depends on bits that were read before the answer's; SvLaplace's theorem
// holds given any such bits. So for every gamma-source R and every z:
//   Pr_R[answer(D) = z] <= e^epsilon Pr_R[answer(D') = z].
// It is about this answer alone: the ledger lets no second one happen (ledger/state.h).
#pragma once

#include "mechanism/sv_laplace.h"
#include "plan/noise.h"

namespace discreet::plan {

/// Fails with: kRefused, naming what could be asked instead; never on fair coins.
Result<void> check_bent_coins(const Plan& plan, const policy::Policy& policy);

/// "...: <what> has no certificate; ask ..."
Error no_certificate(const Rational& gamma, const std::string& what);

/// Requires: terms.gamma, and a measurement that check_bent_coins() lets pass.
/// Fails with: kInvalidInput when epsilon is outside what the mechanism is certified for.
Result<mechanism::SvLaplace> bent_noise(const Terms& terms, const Measurement& measurement,
                                        const Lowered& lowered, const Move& move,
                                        const Epsilon& epsilon);

}  // namespace discreet::plan
