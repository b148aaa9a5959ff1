// SPDX-License-Identifier: Apache-2.0
// A count that is released every day: what the checker makes of a policy's `daily:`.
//
// Theorem (mechanism/counted_days.md, mechanism/prefix_table.md §2). A unit counts on at most w days
// of the stream, with at most m rows on each, by a rule that sees that unit's rows and on how many
// days it was counted so far. Whatever rows appear, change or vanish between days: adding or
// removing a unit changes at most w days of the stream, by at most m each; replacing one at most 2w
// days (w old, w new). All days together cost the charge's one line. Where each row is a unit, a row
// is what it says: one with another day is another row, so a row counts on one day.
#pragma once

#include <string>
#include <vector>

#include "mechanism/codes.h"
#include "mechanism/prefix_stream.h"
#include "plan/checker.h"

namespace discreet::plan {

/// A column of days as the number of days since its declared range begins: what an engine hands
/// over, in steps above the low end, is that number.
Expr days_from_start(const policy::Table& table, const std::string& column);

/// One thing that a daily question is made of: a name and a value in the policy's words.
struct QuestionField {
  std::string name;
  std::string value;
  friend bool operator==(const QuestionField&, const QuestionField&) = default;
};

/// The rows are one column, the day; the charge is the whole stream's.
struct CheckedDaily : CheckedRows {
  policy::Daily daily;
  mechanism::PrefixStream::Terms terms;
  bool event_level = false;  ///< the policy says that each row is a unit of its own

  /// Which rows count on day t, from 0.
  mechanism::DayRule rule(std::int64_t t) const;

  /// All that its numbers depend on but for rows and coins. Not among them, because they cannot
  /// change which rows count, whose they are or what a number means: the snapshot's label, budgets,
  /// analysts, the ledger, views, other tables, other columns, the table's `bounds`, `rows_per_unit`
  /// and `rows_max` (no join multiplies its rows), the values of blocks (the whole namespace pays),
  /// ends of the day's range beyond the stream's days (what is clamped to them is on none of these),
  /// how the engine is reached (user, password, TLS, memory), the folder that sources are in.
  std::vector<QuestionField> question() const;
};

}  // namespace discreet::plan
