// SPDX-License-Identifier: Apache-2.0
// A question as a text that tells any two different questions apart: the ledger's key of a stored
// answer.
#pragma once

#include <string>
#include <vector>

#include "privacy/quantity.h"
#include "sql/query.h"

namespace discreet::session {

/// Everything that the stored answer depends on, but for data, coins and what the policy says
/// (which the charge's hash covers). Injective: every part says where it ends.
std::string question_text(const sql::Query& query, const Confidence& confidence);

/// Of the text and of what is made of it. A change of either raises it, keeps the function that
/// made the old text, and adds its key to question_keys(): what was bought under it is found there.
inline constexpr int kQuestionKeyVersion = 1;

struct QuestionKeys {
  std::string key;                 ///< under which an answer is stored
  std::vector<std::string> older;  ///< of earlier versions, newest first; none so far
};
QuestionKeys question_keys(const sql::Query& query, const Confidence& confidence);

}  // namespace discreet::session
