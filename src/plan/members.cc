// SPDX-License-Identifier: Apache-2.0
#include "plan/members.h"

#include <algorithm>

#include "base/check.h"
#include "plan/grid.h"
#include "plan/noise.h"

namespace discreet::plan {

Result<std::optional<Members>> members_of(const Owner& owner, const policy::Policy& policy) {
  if (!owner.units->within) return std::optional<Members>();
  const policy::Within& within = *owner.units->within;
  if (owner.pair) {
    return Error{Code::kUnsupported,
                 "rows of two people cannot be asked about where people are within larger units (" +
                     in_quotes(within.space) + "); join along the unit"};
  }
  const auto named = policy::split_at_dot(within.column);
  const policy::Table* const table = named ? policy.find(named->first) : nullptr;
  DISCREET_CHECK(table != nullptr && table->unit && table->unit->steps.empty());
  return std::optional(Members{table->name, table->unit->column, named->second, within.members});
}

void charge_larger(const Owner& owner, const std::optional<Members>& members, ChargedUnits& units) {
  if (!members) return;
  units.moves = kMovesOfAMember;
  units.also = {{.name = owner.units->within->space,
                 .neighbours = owner.units->neighbours,
                 .blocks = {},
                 .moves = members->most}};
}

Result<Offer> offer_of(const Epsilon& epsilon, const Delta& delta,
                       const std::optional<Members>& members) {
  if (!members) return Offer{epsilon, delta};
  const std::int64_t moves = std::max(kMovesOfAMember, members->most);
  DISCREET_ASSIGN(const Epsilon share, Epsilon::of(share_below(epsilon.value() / Rational(moves))));
  if (delta.value().sign() == 0) return Offer{share, delta};
  // No line has more than the whole share, and the factor grows with it; the ledger rounds up to
  // 10^-18, which is left for it.
  const auto factor = group_delta_factor(share.value(), moves);
  const Rational room = delta.value() - power_of_ten(-18);
  if (!factor || room.sign() <= 0) {
    return invalid_input("no delta is left for one of " + std::to_string(moves) +
                         " members of a larger unit; offer more delta, or less epsilon");
  }
  DISCREET_ASSIGN(const Delta part, Delta::of(share_below(room / *factor)));
  return Offer{share, part};
}

}  // namespace discreet::plan
