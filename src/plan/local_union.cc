// SPDX-License-Identifier: Apache-2.0
#include "plan/local_union.h"

#include <algorithm>

namespace discreet::plan {

Result<Locality> union_local(const std::vector<Locality>& parts) {
  Locality all = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Locality& part = parts[i];
    if (part.space != all.space) {
      return Error{Code::kRefused,
                   "the parts of a UNION ALL must protect the same units; one is of " +
                       (all.is_public() ? "public tables" : in_quotes(all.space)) +
                       ", another of " +
                       (part.is_public() ? "public tables" : in_quotes(part.space))};
    }
    all.units_max = all.units_max + part.units_max;
    all.bounds.groups_per_unit = std::max(all.bounds.groups_per_unit, part.bounds.groups_per_unit);
    all.bounds.rows_per_unit_and_group =
        std::max(all.bounds.rows_per_unit_and_group, part.bounds.rows_per_unit_and_group);
    if (all.rows_max && part.rows_max) {
      all.rows_max = *all.rows_max + *part.rows_max;
    } else {
      all.rows_max = std::nullopt;
    }
  }
  return all;
}

}  // namespace discreet::plan
