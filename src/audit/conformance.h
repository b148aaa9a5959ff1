// SPDX-License-Identifier: Apache-2.0
// A checklist in the spirit of NIST SP 800-226 (its words are not quoted): what an operator is
// asked about a system that claims differential privacy, and what this one can show. Every line
// says where its answer comes from: a check that runs now on this program, a fact of the owner's
// policy, a test that every build must pass, or the operator, who alone can answer it.
#pragma once

#include <string>
#include <vector>

#include "audit/exact.h"
#include "policy/policy.h"

namespace discreet::audit {

enum class Evidence { kCheckedNow, kPolicy, kBuildTest, kOperator };

std::string to_string(Evidence evidence);

enum class Standing { kHolds, kAttention, kFails };

std::string to_string(Standing standing);

struct ConformanceLine {
  int number = 0;
  std::string layer;
  std::string question;
  std::string answer;
  Evidence evidence = Evidence::kOperator;
  Standing standing = Standing::kHolds;
};

/// Runs the checks: a second or two.
std::vector<ConformanceLine> conformance(const policy::Policy& policy,
                                         const Progress& progress = {});

}  // namespace discreet::audit
