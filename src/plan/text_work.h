// SPDX-License-Identifier: Apache-2.0
// How many texts a question makes of one row. A function of a text sees and makes at most 65,536
// characters (expression.md), but a question may hold thousands of them, nested or side by side:
// one person's long text, made again by each, would fill the memory, and a question that fails for
// that tells that the person is there.
#pragma once

#include "plan/plan.h"

namespace discreet::plan {

inline constexpr std::size_t kTextsMadeMax = 64;

/// Concatenations, lower, upper, trim and substrings in all of its expressions, subqueries
/// included.
std::size_t texts_made(const Plan& plan);

/// Fails with: kUnsupported when there are more than kTextsMadeMax.
Result<void> check_text_work(const Plan& plan);

}  // namespace discreet::plan
