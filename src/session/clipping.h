// SPDX-License-Identifier: Apache-2.0
// Whether values were probably cut off at a declared bound, judged by what was released and nothing
// else: looking closer would cost. A mean or a quantile that lies at an end of the range, or a last
// bin that towers over its neighbour, says that values beyond the end are likely; the answer, and
// its interval, are then those of the cut values.
#pragma once

#include <string>
#include <vector>

#include "plan/checker.h"
#include "sql/query.h"

namespace discreet::session {

/// One text for each line; empty where nothing released says so. `groups` are those that `lines`
/// were arranged from.
std::vector<std::string> clipping(const sql::Query& query, const plan::Checked& checked,
                                  const std::vector<sql::Line>& lines,
                                  const std::vector<sql::Group>& groups);

/// What the policy says about ranges that were bought, for the columns that the question measures.
std::vector<std::string> bought_ranges(const plan::Checked& checked);

}  // namespace discreet::session
