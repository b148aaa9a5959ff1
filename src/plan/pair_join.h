// SPDX-License-Identifier: Apache-2.0
// Rows of two owners: A join B where nothing says that both rows are one unit's (self-joins,
// many-to-many). Cutting the joined rows down unit by unit would not do: which rows of one unit
// stay would depend on what stays of another, and removing one person can cascade through all
// (a path of 1,000 people, each joined to the next, with one row each: every second row flips).
// So each side is cut before the join, by its own unit, and then by the join's columns:
//     A'  = of each unit at most k rows of A, by a rule that sees that unit's rows alone
//     A'' = of each value of the join's columns at most f rows of A', the first in an order of
//           their contents that is fixed before
// and the same for B. The joined rows are those of A'' and B''.
//
// Theorem. If A and B are local, adding or removing a unit changes at most
//     s = 2 k_A f_B + 2 k_B f_A      (one of the two terms if only one side has that namespace)
// joined rows (added and removed ones together, as multisets).
//
// Proof. A' loses or gains at most k_A rows, all u's; the other units' rows stay (A is local, the
// rule sees one unit). Among the rows with one value of the join's columns t are u's; the first f
// with and without them differ in at most t rows that go and t that come up for them. The t add up
// to at most k_A, so A'' changes by at most 2 k_A rows. With D = A''(C+u) - A''(C) as signed
// multisets, |D| <= 2 k_A, and E the same for B,
//     A''B''(C+u) - A''B''(C) = D B''(C+u) + A''(C) E,
// and a row meets at most f_B rows of any B'', or f_A of any A''. Semi-naive, as for products.
//
// A measurement whose rows bring integers within [-m, m] moves by at most s m over all groups
// together; so do different values with m = 1. A unit count has no such meaning here, and keys
// must be listed: both are refused. A replaced unit is one removed and one added: 2 s rows.
#pragma once

#include "plan/locality.h"

namespace discreet::plan {

struct PairStability {
  std::int64_t rows = 0;  ///< s
  Integer rows_max;       ///< how many joined rows there can be in all
};

/// Whether a plan asks for this rule: it gives a side limits.
bool is_pair(const Source& source);

/// Checks a source of exactly two limited subqueries.
/// Fails with: kRefused, kUnsupported, kInvalidInput.
Result<PairStability> check_pair(const Source& source, const std::vector<Locality>& sides,
                                 const policy::Policy& policy);

}  // namespace discreet::plan
