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
struct CutFacts {
  std::map<std::string, ScanFacts> scans = {};  ///< by table
  /// No unit has more than kFewRows rows in a table that the question reads or that names its rows'
  /// owners, nor causes more joined rows: joins need not be spread (RelationLowering).
  bool few_rows = false;
};

/// So many rows of one unit can be given ids of one place in a hash table. Let a comparison there
/// take 7 ns, and let others' m rows stand in that place. Where a join builds or probes, r rows of
/// one more unit add at most 7 ns (2 r m + 1.5 r^2) to the 3.5 ns m^2 that the others take. That is
/// at most three times as much if m >= 1.87 r, and else at most 37 ns r^2: 39 ms.
inline constexpr std::int64_t kFewRows = 1'024;

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

  /// Leaves only rows of units that count among those of a larger one (plan/members.h).
  void counts(const Identifier& unit, const plan::Members& members, Select& select) const;

 private:
  struct Named {  ///< a column of a table, or an identifier of a subquery
    Sql sql;
    const StoredColumn* stored = nullptr;  ///< none: in the form of an Identifier
    bool whole = false;
    bool is_unit = false;  ///< one person's rows have one value in it; or nobody's rows
  };
  Sql identifier(const Named& name) const;
  Named named(const plan::Source& source, std::size_t table, const std::string& column) const;
  /// Of a table of the policy that is called so.
  Named named(const std::string& table, const std::string& called, const std::string& column) const;
  /// `a = b`, and where they are no names of units, what spreads them.
  std::vector<Sql> equal(const Named& a, const Named& b) const;
  /// Of equal values a condition that follows and spreads them in hash tables (Dialect::keyed).
  std::vector<Sql> spread(const Sql& a, const Sql& b, bool texts) const;
  /// Likewise, of AND-ed equalities between tables, of values.
  std::vector<Sql> spread(const plan::Source& source, const plan::Expr& condition) const;
  /// A SEMI JOIN, an ANTI JOIN, or in other words the same.
  void filter_by(FromTable met, bool has_words, Select& select) const;
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
