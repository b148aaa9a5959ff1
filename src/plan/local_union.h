// SPDX-License-Identifier: Apache-2.0
// UNION ALL of parts.
//
// Theorem. The UNION ALL of local relations of one namespace is local; of public ones, public.
// Proof. Sums of multisets: adding u adds R_u of each part.
//
// Rows of one unit add up. UNION without ALL would be a DISTINCT over everybody and is refused
// where the rows have owners; DISTINCT within a unit is local_group.h. A public part among local
// ones is refused: its rows would be nobody's, and be left out without a word.
#pragma once

#include "plan/locality.h"

namespace discreet::plan {

/// Fails with: kRefused for parts of different units.
Result<Locality> union_local(const std::vector<Locality>& parts);

}  // namespace discreet::plan
