// SPDX-License-Identifier: Apache-2.0
// The loss of a mechanism by its parameters, to a named side; and about how large that loss is, in
// closed form, so that a stronger mechanism never looks smaller than a weaker one.
#pragma once

#include <optional>

#include "accounting/convolve.h"
#include "accounting/loss.h"
#include "accounting/use.h"

namespace discreet::accounting {

/// The loss, with parameters rounded towards more loss (kUpper) or less (kLower); nothing where
/// there is none that could be put on a grid.
///
/// On the lower side, and with a step > 0, an epsilon at which the loss has an atom is lowered to a
/// multiple of the step: a smaller epsilon is a weaker mechanism, and the atoms then lie on the
/// grid.
std::optional<Loss> loss_of(const Mechanism& mechanism, Side side, double step = 0);

/// About the variance of the loss. Never falls when the mechanism gets stronger (a larger epsilon
/// or q, a smaller noise multiplier).
double variance_of(const Mechanism& mechanism);

/// About how far apart the losses are that have all but `tail` of the mass. Never falls when the
/// mechanism gets stronger or the tail smaller.
double reach_of(const Mechanism& mechanism, double tail);

/// The epsilon at which a mechanism's loss has an atom: its atoms are multiples of it, where there
/// are any.
std::optional<Rational> atom_unit(const Mechanism& mechanism);

bool is_sampled(const Mechanism& mechanism);

}  // namespace discreet::accounting
