// SPDX-License-Identifier: Apache-2.0
// What may be shown, as JSON text: answers, plans, curves, policies, ledgers. One form of each for
// everybody: HTTP sends it, and Python reads it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "ledger/ledger.h"
#include "policy/policy.h"
#include "server/api/in_flight.h"
#include "session/ledger_terms.h"
#include "session/session.h"

namespace discreet::server::api {

/// Whose eyes a ledger is shown to. An analyst sees what is their own; how much others spent is not
/// for them, so what is left for all together, which may be less, is not shown either.
struct Viewer {
  std::string name;
  bool sees_all = false;                      ///< the owner, the auditor
  std::optional<InFlight::Shown> shown = {};  ///< an analyst's, while something of theirs runs
};

std::string answer_document(const session::Answered& answered);           // questions.cc
std::string explanation_document(const session::Explanation& explained);  // questions.cc
/// `fields` are those of /api/v1/curve by name.
Result<std::string> curve_document(session::Session& session,
                                   const std::map<std::string, std::string>& fields,
                                   const std::string& analyst);                 // questions.cc
std::string catalog_document(const policy::Policy& policy);                     // catalog.cc
std::string budget_document(const ledger::State& state, const Viewer& viewer);  // spending.cc
/// [{"what": .., "fix": ..}]
Json differences_json(const std::vector<session::Difference>& differences);  // operate.cc
/// The newest `last` records.
Result<std::string> history_document(ledger::Ledger& ledger, const Viewer& viewer,
                                     std::size_t last);  // spending.cc

}  // namespace discreet::server::api
