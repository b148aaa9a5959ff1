// SPDX-License-Identifier: Apache-2.0
// Composition by privacy-loss distributions: the tightest there is for mechanisms fixed in advance,
// with a certified bracket.
//
// Theorem. Let M_i be dominated by the pair (P_i, Q_i). Then delta(eps) of their adaptive
// composition is at most that of the product pair, E[(1 - e^{eps - L})+] with L the sum of
// independent losses (Zhu, Dong, Wang 2022, Thm 10); and no less for the worst mechanisms with
// these pairs. Both neighbours' directions are composed, and the larger counts.
//
// Certified: the upper bound dominates and the lower bound is dominated by construction
// (accounting/grid.h), and all numerical errors are counted (accounting/convolve.h). Proof:
// accounting/pld.md
#pragma once

#include <string>
#include <vector>

#include "accounting/use.h"

namespace discreet::accounting {

/// lower <= truth <= upper.
struct Bounds {
  double lower = 0;
  double upper = 0;
  std::string theorem;  ///< what gave the upper bound
};

struct PldOptions {
  double gap = 8e-4;  ///< wanted (upper - lower) / upper
  int rounds = 4;     ///< at most so many refinements of the grid
};

/// Brackets the epsilon at `delta`. Uses whose mechanism has no loss distribution
/// (DiscreteGaussian) make it infinite. Requires: check(uses); 0 < delta < 1.
Bounds pld_epsilon(const std::vector<Use>& uses, double delta, const PldOptions& options = {});

/// Brackets the delta at `epsilon` >= 0.
Bounds pld_delta(const std::vector<Use>& uses, double epsilon, const PldOptions& options = {});

}  // namespace discreet::accounting
