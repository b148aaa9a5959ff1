// SPDX-License-Identifier: Apache-2.0
// e^-x between two integers, by integer arithmetic alone: the quick way to flip coins of e^-x.
#pragma once

#include <cstdint>

#include "random/real_coin.h"

namespace discreet::random {

/// 64 digits of e^-x for every x in [x_low, x_low + slack] / 2^64.
/// Requires: slack <= 2^63.
/// Theorem: the bracket holds floor(2^64 e^-x), and high - low <= 20 + slack. Proof:
/// exp_bracket.md.
Bracket exp_bracket(std::uint64_t x_low, std::uint64_t slack);

}  // namespace discreet::random
