// SPDX-License-Identifier: Apache-2.0
// How far one unit can move the vector of a measurement over all groups.
//
// Theorem (checker.md, §3). Let a unit have rows in at most l of K groups, and let what it adds to
// one group's number be at most `apart` in size, and two units' parts in one group differ by at
// most `spread`. Then, with t = max(0, 2l - K) (0 when K is unknown),
//                     L1                             L2^2
//   add or remove     l apart                        l apart^2
//   replace one       2(l-t) apart + t spread        max(2(l-t) apart^2 + t spread^2, l spread^2)
#pragma once

#include <cstdint>
#include <optional>

#include "numeric/rational.h"
#include "privacy/cost.h"

namespace discreet::plan {

/// How many groups a unit can have rows in.
struct Reach {
  std::int64_t groups = 1;      ///< l
  std::optional<Integer> keys;  ///< K, where it is known; l <= K
  Neighbours neighbours = Neighbours::kAddRemove;
};

/// What a unit can do in one group, in integer units.
struct Move {
  Integer apart;
  Integer spread;  ///< apart <= spread <= 2 apart
};

/// At most `rows` numbers, each between low and high, are added up in a group; NULLs add nothing.
Move move_of_sum(std::int64_t rows, const Integer& low, const Integer& high);

/// At least 1, so that no measurement goes without noise.
Integer l1(const Reach& reach, const Move& move);
Integer l2_squared(const Reach& reach, const Move& move);

/// In how many keys two neighbours' unit counts can differ, each by one.
std::int64_t keys_moved(const Reach& reach);

}  // namespace discreet::plan
