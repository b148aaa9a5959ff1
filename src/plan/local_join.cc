// SPDX-License-Identifier: Apache-2.0
#include "plan/local_join.h"

#include <algorithm>

#include "base/suggest.h"
#include "plan/identity.h"

namespace discreet::plan {
namespace {

// The equalities that would tie the table to those before it.
std::string ways(const Source& source, std::size_t index, const std::vector<Locality>& before,
                 const policy::Policy& policy) {
  std::vector<std::string> known;
  const TableUse& table = source.tables[index];
  for (std::size_t i = 0; i < index; ++i) {
    const TableUse& other = source.tables[i];
    if (before[i].is_public()) continue;
    for (const std::string& x : identifiers_of(other, policy)) {
      for (const std::string& y : identifiers_of(table, policy)) {
        if (!shares_identity(other, x, table, y, policy)) continue;
        known.push_back(name_of(other) + "." + x + " = " + name_of(table) + "." + y);
      }
    }
  }
  return known.empty() ? "the policy declares no key by which they are one person's"
                       : "join it on " + one_of(known);
}

Error two_people(const Source& source, std::size_t index, const std::vector<Locality>& before,
                 const policy::Policy& policy) {
  const TableUse& use = source.tables[index];
  const std::string known = ways(source, index, before, policy);
  if (use.join == JoinKind::kSemi || use.join == JoinKind::kAnti) {
    return {Code::kRefused, "IN or EXISTS on " + in_quotes(name_of(use)) +
                                " without the unit's key among its equalities: one person could "
                                "move everybody's rows; " +
                                known};
  }
  return {Code::kRefused, "the join with table " + in_quotes(name_of(use)) +
                              " could put rows of two people together; " + known};
}

std::optional<std::int64_t> times(const std::optional<std::int64_t>& a,
                                  const std::optional<std::int64_t>& b) {
  constexpr std::int64_t kMost = 1'000'000;
  if (!a || !b || *a > kMost || *b > kMost) return std::nullopt;
  return *a * *b;
}

}  // namespace

bool keeps_owner(const Source& source, std::size_t index, const std::vector<Locality>& before,
                 const policy::Policy& policy) {
  const TableUse& use = source.tables[index];
  return std::any_of(use.on.begin(), use.on.end(), [&](const JoinOn& on) {
    const TableUse& left = source.tables[on.left_table];
    const bool seen = left.join == JoinKind::kInner || left.join == JoinKind::kLeft;
    return seen && !before[on.left_table].is_public() &&
           shares_identity(left, on.left, use, on.right, policy);
  });
}

Result<Locality> join_local(const Source& source, std::size_t index, const Locality& joined,
                            const std::vector<Locality>& before, const Locality& table,
                            const policy::Policy& policy) {
  const TableUse& use = source.tables[index];
  const bool filters = use.join == JoinKind::kSemi || use.join == JoinKind::kAnti;
  if (!table.is_public() && joined.is_public() && use.join != JoinKind::kInner) {
    return Error{Code::kRefused, "whether a public row meets a row of " + in_quotes(name_of(use)) +
                                     " depends on everybody; put the table with units first"};
  }
  const bool both = !table.is_public() && !joined.is_public();
  if (both && table.space != joined.space) {
    return Error{Code::kRefused, "units " + in_quotes(joined.space) + " and " +
                                     in_quotes(table.space) + " are different: table " +
                                     in_quotes(name_of(use)) + " cannot be joined to these"};
  }
  if (both && !keeps_owner(source, index, before, policy)) {
    return two_people(source, index, before, policy);
  }
  Locality all = joined.is_public() ? table : joined;
  if (both) {
    all.units_max = filters || use.join == JoinKind::kLeft
                        ? joined.units_max
                        : std::min(joined.units_max, table.units_max);
    all.bounds.groups_per_unit =
        std::max(joined.bounds.groups_per_unit, table.bounds.groups_per_unit);
    all.bounds.rows_per_unit_and_group =
        std::max(joined.bounds.rows_per_unit_and_group, table.bounds.rows_per_unit_and_group);
    all.rows_max = filters ? joined.rows_max : times(joined.rows_max, table.rows_max);
  } else if (!filters) {
    all.rows_max = std::nullopt;  // how many public rows a row meets is not declared
  }
  return all;
}

}  // namespace discreet::plan
