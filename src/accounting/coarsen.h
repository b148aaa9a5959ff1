// SPDX-License-Identifier: Apache-2.0
// Long lists of different mechanisms made short: parameters are moved a little, to the side that is
// named, until few different ones are left. So 10^5 different mechanisms cost no more to account
// for than a few.
//
// Theorem. A mechanism with more noise, a smaller epsilon or a smaller sampling probability is a
// post-processing or a mixture with nothing of the other, so its delta(eps) is nowhere larger,
// alone and composed. Proof: notions.md, "More noise"
#pragma once

#include <vector>

#include "accounting/use.h"

namespace discreet::accounting {

/// Equal mechanisms as one use, those that see nobody (q = 0) left out.
std::vector<Use> merge_equal(const std::vector<Use>& uses);

/// All Gaussians as one, with 1/sigma^2 the sum of theirs, rounded to the named side; the others as
/// they are, in their order.
std::vector<Use> one_gaussian(const std::vector<Use>& uses, Round cost);

/// The mechanism with its parameters moved, by less than a factor 1.005^(2^fold), to the powers of
/// that factor, to where it costs no more.
Mechanism weakened(const Mechanism& mechanism, int fold);

/// Parameters moved by a factor of less than 1.005^(2^fold), each mechanism at least as costly as
/// what it stands for (Round::kUp) or at most as costly (Round::kDown); with the least fold, up to
/// `fold_max`, that gives `distinct` different ones. All Gaussians become one, exactly. Short lists
/// are only merged.
std::vector<Use> coarsened(const std::vector<Use>& uses, Round cost, std::size_t distinct,
                           int fold_max);

}  // namespace discreet::accounting
