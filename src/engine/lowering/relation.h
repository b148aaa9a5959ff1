// SPDX-License-Identifier: Apache-2.0
// Tables, subqueries and joins of a checked plan as FROM and WHERE (plan/plan.h, "TableUse").
//
// A subquery's fields are outputs of their own names: values as expressions have them
// (expression.h), identifiers as kSteps if they are stored as whole numbers in all its parts, else
// as kText. Where somebody asks whose its rows are, the unit stands beside them as kUnitField. Rows
// of nobody are left out there, or later: what joins along identities brings them together only
// with each other.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/lowering/dialect.h"
#include "engine/lowering/sql.h"
#include "plan/joined_rows.h"
#include "plan/members.h"
#include "plan/plan.h"
#include "policy/policy.h"

namespace discreet::engine::lowering {

/// What tells whose row it is.
struct Identifier {
  Sql sql;
  bool whole = false;  ///< kSteps, else kText
};

/// The unit's path of a table, apart from the table.
struct Owners {
  Select
      pairs;  ///< a key of the path's first table, the unit whose it is; both kSteps, neither NULL
  Sql foreign;  ///< the table's column that names such a key; kSteps
};

/// What is known of the rows of a table whose scans are cut (plan/joined_rows.h). A scan has the
/// same rows, whatever is known: it only costs less where there is nothing to leave out.
struct ScanFacts {
  bool all_owned = false;  ///< no row is nobody's, which no unit can change
  /// The units with more rows in the table than are kept, as texts. Nothing: not known.
  std::optional<std::vector<std::string>> above = {};
};
using CutFacts = std::map<std::string, ScanFacts>;  ///< by table

/// So many units are named in a statement; where more have too many rows, all are looked through.
inline constexpr std::size_t kUnitsAboveMost = 10'000;

class RelationLowering {
 public:
  /// All must outlive this.
  RelationLowering(const Dialect& dialect, const policy::Policy& policy, const Schemas& schemas,
                   const plan::JoinedRows& joined, const CutFacts& facts)
      : dialect_(dialect), policy_(policy), schemas_(schemas), joined_(joined), facts_(facts) {}

  /// FROM, and WHERE with the joins that filter. `unit_table`: of the source, whose unit will be
  /// asked for. `filter`: what WHERE will say; scans that are cut ask first what they can.
  Select source(const plan::Source& source, const std::optional<std::size_t>& unit_table,
                const std::optional<plan::Expr>& filter) const;

  /// Whose the rows of a source are: joins what the path of the table needs, and leaves rows of
  /// nobody out. `column`: the unit's in the last table of the path, or kUnitField.
  Identifier unit(const plan::Source& source, std::size_t table, const std::string& column,
                  Select& select) const;

  /// The same, apart: where the path has a step, all are whole numbers that stay as they are
  /// between statements, and the question does not read the path's tables itself. Else nothing.
  std::optional<Owners> owners(const plan::Source& source, std::size_t table,
                               const std::string& column) const;

  /// That a unit is one of those of a larger unit that count (plan/members.h).
  Sql counts(const Identifier& unit, const plan::Members& members) const;

 private:
  struct Named {  ///< a column of a table, or an identifier of a subquery
    Sql sql;
    const StoredColumn* stored = nullptr;  ///< none: in the form of an Identifier
    bool whole = false;
  };
  Named named(const plan::Source& source, std::size_t table, const std::string& column) const;
  Sql equal(const Named& a, const Named& b) const;
  /// What follows from AND-ed equalities between tables, of values, and spreads them in hash tables
  /// (Dialect::keyed).
  std::vector<Sql> spread(const plan::Source& source, const plan::Expr& condition) const;
  std::vector<Sql> conditions(const plan::Source& source, std::size_t index) const;
  bool is_whole(const plan::TableUse& use, const std::string& column) const;
  /// Its own column names the unit: one person's rows have one value in it.
  bool is_unit(const plan::TableUse& use, const std::string& column) const;
  bool is_text(const plan::TableUse& subquery, const std::string& field) const;
  bool is_still(const plan::Source& source) const;
  bool unit_is_whole(const plan::Source& source) const;
  const StoredColumn& stored(const std::string& table, const std::string& column) const;

  /// A table of the policy, or of each unit's rows as many as joined_ says.
  Sql scan(const plan::Source& source, std::size_t index,
           const std::optional<plan::Expr>& filter) const;
  /// A table of a path. `unit_column`: what is read of it as the unit, if anything is.
  Sql path_table(const policy::UnitPath::Step& step, const std::string& unit_column) const;
  Sql among(const Identifier& unit, const std::vector<std::string>& units) const;
  /// Of the rows with an owner, each unit's first cut.rows, in an order of their contents.
  Sql first_rows(const plan::Source& source, std::size_t index, const plan::ScanCut& cut,
                 const Identifier& unit, Select rows) const;
  Sql subquery(const plan::TableUse& use, bool with_unit) const;
  Select part(const plan::TableUse& use, const plan::Part& part, bool with_unit) const;
  /// A side of a join of two people's rows (plan/pair_join.h).
  Sql limited(const plan::Source& source, std::size_t index) const;

  const Dialect& dialect_;
  const policy::Policy& policy_;
  const Schemas& schemas_;
  const plan::JoinedRows& joined_;
  const CutFacts& facts_;
};

}  // namespace discreet::engine::lowering
