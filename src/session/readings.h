// SPDX-License-Identifier: Apache-2.0
// Released integers as numbers with intervals, and cells as text.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plan/checker.h"
#include "privacy/quantity.h"
#include "session/answer.h"
#include "session/draw.h"
#include "sql/query.h"

namespace discreet::session {

/// Half-widths of the measurements at confidence 1 - beta/shares: the same for all groups, and not
/// cheap, so each is computed once. A quantile has none (0): its error is one of rank, and its
/// interval follows from the rows counted around it (rank_interval.h).
class HalfWidths {
 public:
  /// Refers to `checked`.
  HalfWidths(const plan::Checked& checked, const Confidence& confidence)
      : checked_(checked), confidence_(confidence) {}

  double of(std::size_t step, std::size_t shares);

 private:
  const plan::Checked& checked_;
  Confidence confidence_;
  std::map<std::pair<std::size_t, std::size_t>, double> known_;
};

/// The groups of an answer, readable: each measurement's interval at confidence 1 - beta/shares.
/// The result refers to `checked` and `drawn`.
std::vector<sql::Group> readable(const plan::Checked& checked, const Drawn& drawn,
                                 const Confidence& confidence);

/// A cell of the answer as text, in as many digits as its interval gives sense to.
AnswerCell cell_of(const sql::Cell& cell, const sql::Output& output);

/// Whether the noise of a value is more than half of the value.
bool is_small(const sql::Cell& cell, const sql::Output& output);

}  // namespace discreet::session
