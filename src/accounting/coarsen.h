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

/// Parameters moved by a factor of at most 1 + `most` (or a little more), each mechanism at least
/// as costly as what it stands for (Round::kUp) or at most as costly (Round::kDown); no further
/// than it takes to have `distinct` different ones. All Gaussians become one, exactly. Short lists
/// are only merged.
std::vector<Use> coarsened(const std::vector<Use>& uses, Round cost, std::size_t distinct,
                           double most);

}  // namespace discreet::accounting
