// SPDX-License-Identifier: Apache-2.0
// Identifiers: columns that tell whose row it is. What an identifier tells is its identity: the
// unit itself, or the row of a table, by a key that the policy declares unique there, whose owner
// is the row's owner.
//
// Theorem. If two rows have the same value (not NULL, as it is stored) in columns of one identity,
// they have the same owner, or neither has one.
// Proof. The unit itself: the value is the owner. A key k of table T: each row's owner is that of
// the row of T whose k is the value. For a row of T that is because k is unique in T; for a row
// whose path starts with a step to T.k because what is left of the path is T's own path (checked
// here, not believed). There is one such row, or none. A subquery's identifier is a stored value of
// one of its rows' private tables, whose row has the owner of the subquery's row (local_join.h).
//
// Where T.k is T's unit column both identities are the same, and the unit's is taken.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace discreet::plan {

struct Identity {
  std::string table;  ///< empty: the unit itself
  std::string key;    ///< of the table, or the units' namespace
  friend bool operator==(const Identity&, const Identity&) = default;
};

/// What a column of a table tells; most tell nothing. `column` may be any text.
std::vector<Identity> identities_of(const TableUse& use, const std::string& column,
                                    const policy::Policy& policy);

/// Whether an equality of the two keeps the owner.
bool shares_identity(const TableUse& left, const std::string& left_column, const TableUse& right,
                     const std::string& right_column, const policy::Policy& policy);

/// Whether it is the unit's own name.
bool is_unit_itself(const TableUse& use, const std::string& column, const policy::Policy& policy);

/// The columns of a table that tell whose row it is, in a fixed order.
std::vector<std::string> identifiers_of(const TableUse& use, const policy::Policy& policy);

/// Whether its rows have owners. Of a subquery: whether one of its tables' have.
bool is_private(const TableUse& use, const policy::Policy& policy);

/// The table of a source whose rows tell the unit with the fewest steps, not one that a left join
/// may leave out; none where all are public. And in which column: the last one of its path.
std::optional<std::size_t> unit_table_of(const Source& source, const policy::Policy& policy);
std::string unit_column_of(const TableUse& use, const policy::Policy& policy);

/// The field of a part with this name; nullptr when there is none.
const Field* find_field(const Part& part, const std::string& name);

}  // namespace discreet::plan
