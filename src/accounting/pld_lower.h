// SPDX-License-Identifier: Apache-2.0
// Lower bounds by privacy-loss distributions that are as monotone as the truth: a lower bound for
// part of a list is one for the whole list.
//
// The step of the grid is chosen by the answer, never by the list. Level n has the step 2^n and
// speaks only of answers between K 2^n and K 2^{n+1}: it says nothing of smaller ones, and "at
// least K 2^{n+1}" of larger ones. On one level every use lies on the grid in one way, whatever
// else is in the list, so what the level says never falls when uses are added; nor does the
// greatest of what all levels say.
//
// A list with a loss that has atoms is asked on further grids of the level: on a decimal step,
// because people write decimal epsilons, whose atoms then lie on the grid; for an epsilon that does
// not fit it, on a step that divides it. More uses bring more such grids, never fewer. Proof:
// accounting/pld.md, section 5
#pragma once

#include <vector>

#include "accounting/use.h"

namespace discreet::accounting {

/// A lower bound on the epsilon at `delta`, rounded down to 19 bits. `upper` is any upper bound on
/// it (infinite is allowed): it says where to begin, not what comes out.
/// Requires: check(uses); 0 < delta < 1.
double pld_epsilon_lower(const std::vector<Use>& uses, double delta, double upper);

/// A lower bound on the delta at `epsilon` >= 0.
double pld_delta_lower(const std::vector<Use>& uses, double epsilon, double upper);

}  // namespace discreet::accounting
