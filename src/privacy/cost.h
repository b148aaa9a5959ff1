// SPDX-License-Identifier: Apache-2.0
// What one use of a mechanism costs, in every notion in which it is proved. The ledger's namespace
// names one notion and takes that entry; an absent entry means that the mechanism has no guarantee
// there, never that it is free.
#pragma once

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

/// "epsilon 1/2" or "rho 0.1, delta 1e-6": the tightest of what is proved, for people.
std::string to_string(const Cost& cost);

}  // namespace discreet
