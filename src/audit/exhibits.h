// SPDX-License-Identifier: Apache-2.0
// The audits as exhibits, for a terminal, a page and programs: the command line's report and the
// server show the same.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "audit/exact.h"
#include "audit/replay.h"
#include "policy/policy.h"
#include "report/html.h"

namespace discreet::audit {

struct Finding {
  report::Exhibit exhibit;
  bool ok = true;  ///< everything that was looked at holds
};

/// How a long audit is watched and stopped; a stopped one is partial.
struct Watch {
  Progress progress = {};
  std::function<bool()> stopped = {};
  /// Told what is looked at next.
  std::function<void(const std::string&)> next = {};
};

/// The one that is asked for, or all when `only` is empty. Fails with: kNotFound.
Result<std::vector<std::string>> chosen(const std::vector<std::string>& all,
                                        const std::string& only);

// `only`: one case, mutant, mechanism or part; "" for all. Fails with: kNotFound.
Result<Finding> exact_exhibit(const std::string& only, const Watch& watch);
Result<Finding> mutant_exhibit(const std::string& only, const Watch& watch);
Result<Finding> statistical_exhibit(const std::string& only, const Watch& watch);
Result<Finding> randomness_exhibit(const std::string& only, const Watch& watch);
Result<Finding> conformance_exhibit(const policy::Policy& policy, const Watch& watch);
/// Depends on the data: the owner's alone. Fails with: as replay_question() does.
Result<Finding> replay_exhibit(const policy::Policy& policy, const ReplayQuestion& question,
                               const Neighbour& neighbour, const engine::OwnerLog& log);

}  // namespace discreet::audit
