// SPDX-License-Identifier: Apache-2.0
// Lower bounds in closed form: what part of the list costs already. They stand in where no loss
// distribution can be computed.
//
// Theorem. Dropping uses is a post-processing, so the whole costs at least what any part costs.
// Parts with an exact answer: all Gaussians together (gaussian_dp.h); and of those that are too
// strong for a grid (loss_of.h), randomized responses with one epsilon (composition.h) and one
// Laplace, delta(eps) = 1 - e^{(eps - eps_0)/2}.
#pragma once

#include <vector>

#include "accounting/use.h"

namespace discreet::accounting {

/// A lower bound on the epsilon of the worst mechanisms at `delta`, 0 < delta < 1.
double epsilon_lower(const std::vector<Use>& uses, const Rational& delta);
/// A lower bound on their delta at `epsilon` >= 0.
double delta_lower(const std::vector<Use>& uses, const Rational& epsilon);

/// At delta = 0: the sum of the epsilons that are attained; infinite if some use has no pure
/// guarantee.
double pure_epsilon_lower(const std::vector<Use>& uses);

}  // namespace discreet::accounting
