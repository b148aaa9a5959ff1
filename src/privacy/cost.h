// SPDX-License-Identifier: Apache-2.0
// What one use of a mechanism costs, in every notion in which it is proved. The ledger's namespace
// names one notion and takes that entry; an absent entry means that the mechanism has no guarantee
// there, never that it is free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "privacy/quantity.h"

namespace discreet {

/// Who counts as a neighbour. A guarantee always says which one it is for.
enum class Neighbours {
  kAddRemove,   ///< one privacy unit is added or removed
  kReplaceOne,  ///< one privacy unit is replaced; the number of units is public
};

std::string to_string(Neighbours neighbours);

/// Theorem carried: the mechanism is (epsilon, delta)-DP if epsilon is given, and
/// delta-approximately rho-zCDP if rho is given, both with the same delta.
struct Cost {
  std::optional<Epsilon> epsilon;
  std::optional<Rho> rho;
  Delta delta = Delta::trusted(0);

  friend bool operator==(const Cost&, const Cost&) = default;
};

/// epsilon-DP, hence (epsilon^2/2)-zCDP [Bun-Steinke 2016, Prop. 1.4].
Cost pure_cost(const Epsilon& epsilon);

/// What it costs where `moves` units change at once, if `one` holds for each of them.
///
/// Theorem (group privacy). With k = moves, epsilon becomes k epsilon and delta becomes
/// delta (1 + e^epsilon + ... + e^((k-1) epsilon)), rounded up. Without a delta rho becomes k^2 rho
/// [Bun-Steinke 2016, Prop. 1.9]; with one it is (k epsilon)^2/2, or none if there is no epsilon.
/// Where delta would reach 1 nothing is guaranteed: no entry is there.
/// Proof of the delta: Pr_0[S] <= e^eps Pr_1[S] + delta along a chain of k neighbours.
/// Requires: moves >= 1.
Cost group_cost(const Cost& one, std::int64_t moves);

/// An upper bound on 1 + e^epsilon + ... + e^((moves-1) epsilon) that grows with epsilon; none if
/// it is beyond 2^90.
std::optional<Rational> group_delta_factor(const Rational& epsilon, std::int64_t moves);

/// "epsilon 1/2" or "rho 0.1, delta 1e-6": the tightest of what is proved, for people.
std::string to_string(const Cost& cost);

}  // namespace discreet
