// SPDX-License-Identifier: Apache-2.0
// The exact audit of local randomizers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "audit/cases.h"
#include "local/client/survey.h"

namespace discreet::audit {

using Payload = std::vector<std::uint8_t>;

enum class LocalStep {
  kReport,         ///< a whole report
  kPermanentBits,  ///< RAPPOR's first step
};

/// A survey and some answers to it.
struct LocalProgram {
  local::Survey survey;
  std::vector<local::Answer> answers = {};
  std::vector<std::string> words = {};  ///< the answers, for people
  LocalStep step = LocalStep::kReport;
  std::size_t draws_max = 0;  ///< of one run, after which it is unresolved; 0: no bound
};

/// All outputs to one answer.
Distribution local_distribution(const LocalProgram& program, const local::Answer& answer);

/// The worst pair of answers against what the survey says that answering costs.
Pair audit_local(const LocalProgram& program, const Progress& progress);

/// A planted fault: odds above e^epsilon.
Verdict odds_rounded_up(bool faulty, const Progress& progress);

}  // namespace discreet::audit
