// SPDX-License-Identifier: Apache-2.0
// Joins of local relations.
//
// Theorem. Let J be local or public and R a relation that is joined to it by the equalities E and
// a condition on the joined row.
//   (1) R public: inner, left, semi and anti joins of J with R are local (public, if J is).
//   (2) R local, J public: the inner join is local. Left, semi and anti joins are refused: whether
//       a public row meets somebody's row depends on everybody.
//   (3) R and J local: each of the four is local if E has an equality of one identity (identity.h)
//       between R and a local table of J. Else it is refused, or is a pair_join.h.
//
// Proof. (1) and (2) each row of the join comes from one row of the local side, and whether it is
// there depends on that row and public rows; it has that row's owner. (3) By the theorem of
// identity.h a row j of J meets only rows r of R with the same owner; rows of nobody meet rows of
// nobody, and stay nobody's. So which rows j meets is a function of j and R_owner(j): J(C+u) join
// R(C+u) splits into rows over R(C), J(C), and rows over R_u, J_u. For the left join a row j
// without a match, for semi and anti joins whether there is a match, are functions of the same. In
// a left join's row fields of R are NULL or of the same owner, so that its identifiers keep their
// identity; NULL equals nothing.
//
// Rows of one unit: J's number times R's; a semi or anti join leaves J's.
#pragma once

#include "plan/locality.h"

namespace discreet::plan {

/// Whether an equality ties the table to a local one before it. `before`: what those are.
bool keeps_owner(const Source& source, std::size_t index, const std::vector<Locality>& before,
                 const policy::Policy& policy);

/// The rule for table `index`. `joined` is J, `before` its tables.
/// Fails with: kRefused, naming the equalities that would keep the owner.
Result<Locality> join_local(const Source& source, std::size_t index, const Locality& joined,
                            const std::vector<Locality>& before, const Locality& table,
                            const policy::Policy& policy);

}  // namespace discreet::plan
