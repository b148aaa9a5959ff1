// SPDX-License-Identifier: Apache-2.0
// The rules for (epsilon, delta) itself: composition, groups of people, disjoint parts of the data,
// and the two neighbour relations.
#pragma once

#include <optional>
#include <vector>

#include "accounting/pld.h"
#include "accounting/use.h"
#include "accounting/zcdp.h"
#include "privacy/cost.h"

namespace discreet::accounting {

/// A guarantee. delta = 1 says that there is none.
struct EpsilonDelta {
  Rational epsilon;
  Rational delta;
};

/// What one use guarantees with an epsilon alone and the delta it comes with; absent for Gaussians.
/// A Laplace mechanism on a Poisson sample has ln(1 + q (e^epsilon - 1)), rounded up.
std::optional<EpsilonDelta> guarantee_of(const Mechanism& mechanism);

/// Basic composition: epsilons and deltas add, adaptively too [Dwork, Rothblum, Vadhan 2010; Dwork,
/// Lei 2009]. Exact sums, rounded up past denominators of 512 bits. Absent if some use has no such
/// guarantee.
std::optional<EpsilonDelta> basic(const std::vector<Use>& uses);

/// Advanced composition: the least of three bounds at slack delta' = (delta - d) / (1 - d),
/// d = 1 - product of (1 - delta_i), rounded up.
///   [DRV10]  sum eps_i (e^eps_i - 1) + sqrt(2 ln(1/delta') sum eps_i^2)
///   [KOV15]  sum eps_i tanh(eps_i/2) + sqrt(2 ln(1/delta') sum eps_i^2)
///   [KOV15]  the same with ln(e + sqrt(sum eps_i^2) / delta') instead of ln(1/delta')
/// The second is proved in notions.md; the third is Thm 3.5 of that paper.
///
/// Infinite if nothing of delta is left, absent if some use has no guarantee.
/// Requires: 0 < delta < 1.
std::optional<double> advanced_epsilon(const std::vector<Use>& uses, const Rational& delta);
/// The first of the three alone, for comparison.
std::optional<double> drv_epsilon(const std::vector<Use>& uses, const Rational& delta);

/// Optimal composition of k uses of one (epsilon, delta) mechanism [KOV15 Thm 3.3]: brackets the
/// delta' at which k randomized responses are (epsilon', delta')-DP, by the finite sum; no
/// mechanism with these guarantees is worse. Requires: 1 <= k <= 10^6.
Bounds optimal_delta(const EpsilonDelta& each, std::uint64_t k, const Rational& epsilon);
/// Brackets the least epsilon' at `delta`; both ends are infinite if the uses' own deltas leave
/// nothing of it.
Bounds optimal_epsilon(const EpsilonDelta& each, std::uint64_t k, const Rational& delta);
// Different guarantees: the optimum is that of the product of their randomized responses [Murtagh,
// Vadhan 2016, Thm 1.5]. Its sum has 2^k terms; the loss distributions of Generic uses are these
// responses', so pld.h brackets it.

/// k people at once: (k eps, delta (e^{k eps} - 1) / (e^eps - 1)), the delta rounded up, at most 1
/// [Vadhan 2017, Lemma 2.2].
EpsilonDelta group(const EpsilonDelta& one, std::uint64_t k);
/// k people at once: k^2 rho [BS16 Prop. 1.9]. Absent if something is set aside: for approximate
/// zCDP no such rule is claimed.
std::optional<Zcdp> group(const Zcdp& one, std::uint64_t k);

/// Replacing a person is removing one and adding another: two people of the add/remove relation.
/// The converse is false: a guarantee for replace-one says nothing about the number of people.
EpsilonDelta replace_one(const EpsilonDelta& add_remove);
std::optional<Zcdp> replace_one(const Zcdp& add_remove);

/// Uses on disjoint parts of the data, where a public rule sends each unit to one part.
/// Add/remove: a unit is in one part, so the largest epsilon and the largest delta [McSherry 2009].
/// Replace-one: the unit may leave one part and enter another, so the two largest added. This needs
/// each cost to hold in its part for a unit added, removed *and* replaced; where it holds for
/// add/remove alone, take replace_one(parallel(costs, kAddRemove)). Requires: not empty.
EpsilonDelta parallel(const std::vector<EpsilonDelta>& parts, Neighbours neighbours);
Zcdp parallel(const std::vector<Zcdp>& parts, Neighbours neighbours);

}  // namespace discreet::accounting
