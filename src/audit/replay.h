// SPDX-License-Identifier: Apache-2.0
// Replay: one question on the owner's data and on a neighbour of it, with the mechanisms' outputs
// frozen, looking for anything that differs and should not.
//
//   DISCREET_ASSIGN(const Neighbour neighbour, parse_neighbour("remove:patient_id=7"));
//   DISCREET_ASSIGN(const ReplayReport report, replay_question(policy, question, neighbour, log));
//
// What is compared: whether it is answered and with which error; the plan and what the engine is
// sent; the price; and, for each mechanism of the plan, how far the two inputs lie apart in the
// distance in which its sensitivity is declared. Keys that are found privately are drawn once, on
// the first data set, and used on both: a mechanism's output, frozen.
//
// Findings depend on the data and are not private: they are the owner's alone. No value is printed,
// no noise is drawn on a neighbour, and the tape is forgotten with the run.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "policy/policy.h"
#include "sql/query.h"

namespace discreet::audit {

/// The rows whose `column` reads `value` are removed from every table that has such a column.
struct Neighbour {
  std::string column;
  std::string value;
};

/// "remove:patient_id=7". Fails with: kInvalidInput.
Result<Neighbour> parse_neighbour(const std::string& text);

struct ReplayQuestion {
  std::string sql;
  sql::Options options;
};

struct ReplayCheck {
  std::string what;
  bool ok = true;
  std::string finding = {};  ///< empty when ok
};

struct ReplayReport {
  std::vector<ReplayCheck> checks;
  bool ok = true;
};

/// `policy` has its listed values filled in.
/// Fails with: kNotFound when no table has the column; kUnsupported for sources that cannot be
/// copied; what the engine says.
Result<ReplayReport> replay_question(const policy::Policy& policy, const ReplayQuestion& question,
                                     const Neighbour& neighbour, const engine::OwnerLog& log);

}  // namespace discreet::audit
