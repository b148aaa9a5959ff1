// SPDX-License-Identifier: Apache-2.0
// A question as a text that tells any two different questions apart: the ledger's key of a stored
// answer.
#pragma once

#include <string>

#include "privacy/quantity.h"
#include "sql/query.h"

namespace discreet::session {

/// Everything that the stored answer depends on, but for data, coins and what the policy says
/// (which the charge's hash covers). Injective: every part says where it ends.
std::string question_text(const sql::Query& query, const Confidence& confidence);

}  // namespace discreet::session
