// SPDX-License-Identifier: Apache-2.0
// How much work one unit can cause. A join multiplies a unit's rows before they are bounded, so a
// unit with many rows could take a question's time or memory, and a filter would tell whose they
// were. So where a question multiplies rows, each of its scans keeps at most c rows of a unit
// (`rows_per_unit`), and a public number W bounds the joined rows of a unit, on the way too.
//
// Lemma 1 (a cut scan is local). Let T be local, F a condition on one row, and T' the rows of T
// where F holds, of each unit the first c in an order of (contents, occurrence) that is fixed
// before any row is seen; rows of nobody are left out. Then T' is local (locality.h).
// Proof. T'(C + u) takes from each unit's rows of T(C + u) = T(C) + T_u by a rule that sees that
// unit's rows alone: for units of C as before, for u a function of u's rows. Ties are rows that are
// equal in all that the question reads, so the multiset is determined.  []
// So all theorems about questions hold for cut tables as they do for tables. Rows of nobody
// are left out of each such scan, whatever they could meet: whether a row has an owner no other unit
// changes. What is known of the data (engine/lowering/relation.h, ScanFacts) makes a scan cheaper
// and never changes its rows.
//
// Lemma 2 (W). Let tables t_1 .. t_k be joined in some order, f_1 the most rows of a unit in t_1
// and f_i the most rows of t_i that can meet one joined row of t_1 .. t_(i-1): 1 along a key that
// the policy declares unique, the largest multiplicity of the compared columns in a public table,
// else the rows of a unit. A unit has at most f_1 ... f_k joined rows, whatever the order; so the
// least product over all orders bounds them.
// Proof. By induction; the joined rows do not depend on the order.  []
// A database chooses its own order: W is the largest of these bounds over all sets of tables that
// are connected by conditions. EXISTS and NOT EXISTS with conditions beyond equalities count as the
// pairs that are looked at.
//
// What is computed of a row takes time too, also where nothing is joined: a row counts several
// times, by the operations of the question (of a joined row, by its measurements and keys as well);
// LIKE and functions of texts weigh most. Where all that is read of a unit counts too often, scans
// are cut as well. Conditions that look at one row are asked before the cut, but only until they
// have taken kPartsBeforeCut: the others are asked of what is left.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace discreet::plan {

/// A public fact: the most rows of a public table that have the same values in all of these
/// columns, none NULL; without columns: all its rows.
using Multiplicity = std::function<Result<std::int64_t>(const std::string& table,
                                                        const std::vector<std::string>& columns)>;

/// What is kept of a private table wherever the question reads it.
struct ScanCut {
  std::int64_t rows = 0;            ///< of each unit
  std::vector<std::string> values;  ///< columns whose value the question reads, sorted
  std::vector<std::string> names;   ///< columns that it compares as they are stored, sorted
  friend bool operator==(const ScanCut&, const ScanCut&) = default;
};

struct JoinedRows {
  /// W. None where nothing is cut: a unit causes as many joined rows as it has; or where the facts
  /// about public tables are not known.
  std::optional<std::int64_t> most;
  bool is_known = true;                 ///< the facts were given, or are not needed
  std::int64_t joined = 0;              ///< of W, those of all tables together
  std::int64_t work = 1;                ///< that one of these takes: so often it counts
  std::map<std::string, ScanCut> cuts;  ///< by table; empty: a unit's rows are all read

  bool is_cut() const { return !cuts.empty(); }
};

/// Where `rows_per_unit` is not declared a table's cut is policy::kRowsPerUnit, or less, down to
/// kRowsPerUnitLeast, if otherwise W would be above the policy's `joined_rows_per_unit`, or `joined`
/// times `work` above that over kLimitOverAim: a unit that causes 50,000 joined rows takes at most
/// some 50 ms on small tables (`./dev soak work`); or the rows that are read, times what is computed
/// of each, above it over kLimitOverRead.
inline constexpr std::int64_t kRowsPerUnitLeast = 40;
inline constexpr std::int64_t kLimitOverAim = 20;
inline constexpr std::int64_t kLimitOverRead = 10;
inline constexpr std::int64_t kPartsBeforeCut = 160;

/// Requires: a source that check_source() takes. Without `facts` tables are cut as if they were
/// multiplied, and W is not known. Fails with: what `facts` says.
Result<JoinedRows> joined_rows(const Plan& plan, const policy::Policy& policy,
                               const Multiplicity& facts);

/// W, where no unit has more rows of a table than `size` says. Fails with: what `facts` says.
Result<std::int64_t> most_joined_rows(
    const Plan& plan, const policy::Policy& policy, const Multiplicity& facts,
    const std::function<std::int64_t(const std::string& table)>& size);

/// Whether a question may run. Fails with: kRefused, naming W, the limit and the remedy.
Result<void> check_joined_rows(const JoinedRows& rows, const policy::Policy& policy);

/// Whether a condition on one row of a scan that is cut is asked before. `room`: kPartsBeforeCut
/// less what the conditions before it took.
bool asked_before_cut(const Expr& condition, std::int64_t& room);

/// One sentence for people: what is cut and what W is. Empty: nothing is multiplied.
std::string to_text(const JoinedRows& rows);

}  // namespace discreet::plan
