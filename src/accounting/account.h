// SPDX-License-Identifier: Apache-2.0
// The front of the accountant: what a list of uses costs together, by the best theorem that
// applies. It always answers.
//
//   const std::vector<Use> uses = {{Gaussian{100}, 1000}, {Laplace{epsilon}, 500}};
//   if (auto ok = check(uses); !ok) ...
//   Bounds b = epsilon_of(uses, delta);   // b.lower <= the truth <= b.upper; b.theorem says why
//
// "The truth" is the cost of the worst mechanisms that have the given parameters, under the
// neighbour relation for which the parameters were stated (subsampled ones: add/remove). Mechanisms
// may be chosen adaptively, but the list is fixed in advance.
//
// Laws: (1) lower <= upper; no NaN. (2) upper is infinite only if no theorem gives a finite bound:
// for delta > 0, if the uses' own deltas leave nothing of it. (3) Neither bound falls when
// uses are added, of mechanisms that are in the list or of others, nor rises when delta or epsilon
// does, to the last bit. pld.md says what is not covered: coincidences, and certain extreme lists.
// Proofs: accounting/notions.md, accounting/pld.md sections 4 and 5
#pragma once

#include <vector>

#include "accounting/pld.h"
#include "accounting/use.h"
#include "privacy/quantity.h"

namespace discreet::accounting {

/// A way to account. Each has its own theorem.
enum class Notion {
  kBest,      ///< the least of all that apply
  kGaussian,  ///< exact Gaussian DP; only for lists of Gaussians
  kLoss,      ///< privacy-loss distributions; not for the discrete Gaussian
  kZcdp,      ///< zero-concentrated; not for subsampled mechanisms
  kRenyi,     ///< Renyi on the grid of orders; for everything
  kBasic,     ///< epsilons and deltas added; not for Gaussians
  kAdvanced,  ///< the closed form of optimal composition; not for Gaussians
};

/// "best", "gaussian", "loss", "zcdp", "renyi", "basic", "advanced".
std::string to_string(Notion notion);
/// Fails with: kInvalidInput, listing the names.
Result<Notion> parse_notion(std::string_view name);

/// Brackets the least epsilon at which the uses together are (epsilon, delta)-DP. delta = 0 is
/// allowed. Requires: check(uses).
Bounds epsilon_of(const std::vector<Use>& uses, const Delta& delta, Notion notion = Notion::kBest);

/// Brackets the least delta at `epsilon`.
/// Requires: check(uses); epsilon >= 0.
Bounds delta_of(const std::vector<Use>& uses, const Rational& epsilon,
                Notion notion = Notion::kBest);

/// Equal mechanisms made one use. The order does not matter for the cost, so this changes nothing.
std::vector<Use> merged(const std::vector<Use>& uses);

}  // namespace discreet::accounting
