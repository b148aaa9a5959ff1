// SPDX-License-Identifier: Apache-2.0
// A count that is released every day: what the checker makes of a policy's `daily:`.
//
// Theorem (mechanism/prefix_table.md §2, Verbs::day_count). A unit counts on its first w days only,
// with at most m rows on each, by a rule that sees that unit's rows alone. As long as rows are only
// added to the source, adding or removing a unit changes at most w days of the stream, by at most m
// each; replacing one at most 2w days (w old, w new). All days together cost the charge's one line.
#pragma once

#include "mechanism/codes.h"
#include "mechanism/prefix_stream.h"
#include "plan/checker.h"

namespace discreet::plan {

/// A column of days as the number of days since its declared range begins: what an engine hands
/// over, in steps above the low end, is that number.
Expr days_from_start(const policy::Table& table, const std::string& column);

/// The rows are one column, the day; the charge is the whole stream's.
struct CheckedDaily : CheckedRows {
  policy::Daily daily;
  mechanism::PrefixStream::Terms terms;
  bool event_level = false;  ///< the policy says that each row is a unit of its own

  /// Which rows count on day t, from 0.
  mechanism::DayRule rule(std::int64_t t) const;
};

}  // namespace discreet::plan
