// SPDX-License-Identifier: Apache-2.0
// An answer as a document: the table that an analyst sees, every number with its interval, and what
// it cost. It is stored in the ledger as JSON text, byte for byte what is sent; tables, CSV and
// plots are drawn from it. Other analysts get the same bytes, so it does not say who asked first,
// in which words, or when.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace discreet::session {

/// Of a stored answer. Format 1 carries no number: what read() cannot take is refused.
inline constexpr int kAnswerFormat = 1;

/// One place in the table. Numbers are decimal text, so that nothing is lost on the way.
struct AnswerCell {
  std::optional<std::string> value;  ///< none: NULL
  bool is_number = false;
  std::optional<std::string> low;  ///< none: unbounded on that side, or no interval (keys)
  std::optional<std::string> high;
  friend bool operator==(const AnswerCell&, const AnswerCell&) = default;
};

struct AnswerColumn {
  std::string name;
  bool is_key = false;
  bool has_interval = false;
  policy::Type type = policy::Type::kText;
  friend bool operator==(const AnswerColumn&, const AnswerColumn&) = default;
};

/// How the rows may be drawn.
enum class Drawing { kNone, kHistogram, kBoxPlot };

/// A note of an answer in which an average or variance is NULL; whether it is there follows from the
/// released numbers.
inline constexpr const char* kNoteOfNoRows =
    "an average or variance is NULL where there may be no rows: the interval of their number holds "
    "0";

struct AnswerSheet {
  std::vector<AnswerColumn> columns;
  std::vector<std::vector<AnswerCell>> rows;
  /// small[r]: the noise of row r is more than half of a value in it: too small a group to be
  /// useful. Judged from released values only.
  std::vector<bool> small;
  /// clipped[r]: why values of row r are likely to have been cut off at a bound; empty when nothing
  /// that was released says so.
  std::vector<std::string> clipped;
  /// released[r]: the measurements of row r, exact, in their own units; what the numbers were
  /// computed from.
  std::vector<std::vector<std::string>> released;
  Drawing drawing = Drawing::kNone;

  std::string units;       ///< the namespace that paid
  std::string neighbours;  ///< add-remove or replace-one
  std::string snapshot;
  std::string confidence;
  std::string epsilon;  ///< the price, in the namespace's notion
  std::string delta;
  std::string notion;
  std::vector<std::string> noise;  ///< one text per charge line
  std::vector<std::string> notes;  ///< what was rewritten, clipped, bounded
  friend bool operator==(const AnswerSheet&, const AnswerSheet&) = default;
};

/// One line of JSON.
std::string to_json(const AnswerSheet& sheet);

/// Fails with: kCorrupt.
Result<AnswerSheet> parse_answer(const std::string& json);

}  // namespace discreet::session
