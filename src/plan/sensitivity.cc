// SPDX-License-Identifier: Apache-2.0
#include "plan/sensitivity.h"

#include <algorithm>

namespace discreet::plan {
namespace {

Integer at_least_one(const Integer& value) { return value < 1 ? Integer(1) : value; }

// The least number of groups that the old and the new unit must share.
Integer shared(const Reach& reach) {
  if (!reach.keys) return 0;
  const Integer overlap = 2 * Integer(reach.groups) - *reach.keys;
  return overlap > 0 ? overlap : Integer(0);
}

}  // namespace

Move move_of_sum(std::int64_t rows, const Integer& low, const Integer& high) {
  const Integer below = low < 0 ? low : Integer(0);
  const Integer above = high > 0 ? high : Integer(0);
  const Integer r(rows);
  return {r * std::max(Integer(abs(low)), Integer(abs(high))), r * (above - below)};
}

Integer l1(const Reach& reach, const Move& move) {
  const Integer l(reach.groups);
  if (reach.neighbours == Neighbours::kAddRemove) return at_least_one(l * move.apart);
  const Integer t = shared(reach);
  return at_least_one(2 * (l - t) * move.apart + t * move.spread);
}

Integer l2_squared(const Reach& reach, const Move& move) {
  const Integer l(reach.groups);
  const Integer apart = move.apart * move.apart;
  if (reach.neighbours == Neighbours::kAddRemove) return at_least_one(l * apart);
  const Integer t = shared(reach);
  const Integer spread = move.spread * move.spread;
  return at_least_one(std::max(Integer(2 * (l - t) * apart + t * spread), Integer(l * spread)));
}

std::int64_t keys_moved(const Reach& reach) {
  return reach.neighbours == Neighbours::kAddRemove ? reach.groups : 2 * reach.groups;
}

}  // namespace discreet::plan
