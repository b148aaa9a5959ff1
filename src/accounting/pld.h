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
// (accounting/grid.h), and all numerical errors are counted (accounting/convolve.h).
//
// Laws: `upper` never falls when uses are added, of mechanisms in the list or new ones, nor when
// delta (or epsilon) falls, to the last bit, wherever `steady` is true: a longer list never gets a
// finer grid, and what numerical errors could undo is added. `lower` never falls either
// (pld_lower.h). Proof: accounting/pld.md
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

/// As `theorem` names it.
inline constexpr const char* kPldTheorem = "privacy-loss distributions [ZDW22, DGKKM22]";

struct PldUpper {
  double upper = 0;
  bool steady = true;  ///< numerical errors were within what the law of monotony allows for
};

/// An upper bound on the epsilon at `delta`. Uses whose mechanism has no loss distribution
/// (DiscreteGaussian) make it infinite. Requires: check(uses); 0 < delta < 1.
PldUpper pld_epsilon_upper(const std::vector<Use>& uses, double delta);

/// The least of a fixed ladder of deltas whose pld_epsilon_upper is at most `epsilon` >= 0.
PldUpper pld_delta_upper(const std::vector<Use>& uses, double epsilon);

/// With the lower bounds of pld_lower.h.
Bounds pld_epsilon(const std::vector<Use>& uses, double delta);
Bounds pld_delta(const std::vector<Use>& uses, double epsilon);

}  // namespace discreet::accounting
