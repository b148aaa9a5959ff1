// SPDX-License-Identifier: Apache-2.0
// Released integers as numbers with intervals, and cells as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plan/checker.h"
#include "privacy/quantity.h"
#include "session/answer.h"
#include "session/draw.h"
#include "sql/query.h"

namespace discreet::session {

/// The groups of an answer, readable: each measurement's interval at confidence 1 - beta/shares.
/// The result refers to `checked` and `drawn`.
std::vector<sql::Group> readable(const plan::Checked& checked, const Drawn& drawn,
                                 const Confidence& confidence);

/// A cell of the answer as text, in as many digits as its interval gives sense to.
AnswerCell cell_of(const sql::Cell& cell, const sql::Output& output);

/// Whether the noise of a value is more than half of the value.
bool is_small(const sql::Cell& cell, const sql::Output& output);

}  // namespace discreet::session
