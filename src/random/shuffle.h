// SPDX-License-Identifier: Apache-2.0
// Exact shuffles and subsets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "random/bit_source.h"

namespace discreet::random {

/// Puts the items into an order that is uniform among all n! (Fisher and Yates).
/// Cost: at most 2 log2(n) + 2 bits expected for each item.
template <class T, BitSource B>
void shuffle(std::span<T> items, B& bits);

/// k different numbers below n, in increasing order; every such set is equally likely.
/// Requires: k <= n. Cost: memory and time in proportion to k (times log k), however large n is.
template <BitSource B>
std::vector<std::uint64_t> uniform_subset(std::uint64_t n, std::uint64_t k, B& bits);

}  // namespace discreet::random

#include "random/shuffle_inl.h"
