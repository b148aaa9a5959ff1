// SPDX-License-Identifier: Apache-2.0
// People who answer: one at home, with a memory; or many invented ones, for examples and
// rehearsals.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "local/client/answering.h"
#include "local/client/memory.h"

namespace discreet::local {

/// `answer` with this system's random bits.
Result<Answered> answer_at_home(const Survey& survey, std::string_view text, Memory& memory,
                                const Token& token = {});

/// One report each, as one batch; nobody's budget is kept. Below 2^32 answers.
/// Fails with: kNoEntropy.
Result<std::string> simulate(const Survey& survey, std::span<const Answer> answers);

}  // namespace discreet::local
