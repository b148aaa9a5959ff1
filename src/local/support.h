// SPDX-License-Identifier: Apache-2.0
// A report supports some of the choices. Pr[a report supports x] is p if its sender holds x, and q
// if not, whatever else they hold: all that the estimators of shares need to know of a mechanism.
#pragma once

#include <cstdint>
#include <vector>

#include "local/client/parameters.h"

namespace discreet::local {

class Aggregate;

struct Support {
  double p = 0;
  double q = 0;

  /// n Var[estimate] of a choice that a share `share` of the people hold.
  double variance(double share) const {
    return (share * p * (1 - p) + (1 - share) * q * (1 - q)) / ((p - q) * (p - q));
  }
};

/// Requires: a mechanism for choices.
Support support_of(const Parameters& parameters);

/// Proved: n Var[sum of the estimates of `members` choices] is at most this, for every data set
/// (estimates.md, "Sums of shares").
double sum_variance(const Parameters& parameters, std::uint64_t members);

/// How many reports support each choice.
std::vector<double> supports(const Aggregate& aggregate);

/// The fast Walsh-Hadamard transform, in place; the size is a power of two.
void hadamard_transform(std::vector<double>& values);

/// For each of the first `domain` points of the projective space, the sum of `counts` over the
/// points of its hyperplane.
std::vector<double> hyperplane_sums(const Parameters& parameters,
                                    const std::vector<std::uint64_t>& counts);

}  // namespace discreet::local
