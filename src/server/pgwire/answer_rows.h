// SPDX-License-Identifier: Apache-2.0
// An answer as rows for a client: its columns, with the ends of their intervals where they are
// wanted. Internal to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/pgwire/message.h"
#include "server/pgwire/rows.h"
#include "server/pgwire/statement.h"
#include "session/session.h"

namespace discreet::server::pgwire {

struct ShownColumn {
  std::string name;
  TypeId type = kText;
  std::size_t source = 0;  ///< column of the sheet
  Part part = Part::kValue;
};

/// `wanted` are those that the question names; `all`: each column with an interval is followed by
/// its ends. Fails with: kInvalidInput for the end of a column that has no interval.
Result<std::vector<ShownColumn>> shown_columns(const std::vector<session::AnswerColumn>& columns,
                                               const std::vector<IntervalColumn>& wanted, bool all);

/// An end without a bound is NULL.
std::vector<Cells> shown_rows(const session::AnswerSheet& sheet,
                              const std::vector<ShownColumn>& columns);

/// An explanation as lines of text.
std::vector<std::string> lines_of(const session::Explanation& explanation);

/// Where the command line's words are named, the same in SQL's.
Fault with_hint(const Error& error);

}  // namespace discreet::server::pgwire
