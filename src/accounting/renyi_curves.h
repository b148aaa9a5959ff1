// SPDX-License-Identifier: Apache-2.0
// The Renyi divergence of each mechanism at given orders, as upper bounds. Theorems: renyi.h
#pragma once

#include <span>
#include <vector>

#include "accounting/use.h"

namespace discreet::accounting {

/// Requires: the orders are greater than 1 and ascending; the mechanism's parameters pass check().
std::vector<double> renyi_curve(const Mechanism& mechanism, std::span<const double> orders);

}  // namespace discreet::accounting
