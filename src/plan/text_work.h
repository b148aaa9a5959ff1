// SPDX-License-Identifier: Apache-2.0
// What a question does with one row's texts. A text may be very long and a question may hold
// thousands of functions, nested or side by side: one person's long text, made again by each, would
// fill the memory or take minutes, and that tells that the person is there. So what the functions
// see of a row is bounded for all of them together, by a number that depends on the question alone
// (expression.md).
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace discreet::plan {

inline constexpr std::size_t kTextsMadeMax = 64;

/// Concatenations, lower, upper, trim and substrings in all of its expressions, subqueries
/// included.
std::size_t texts_made(const Plan& plan);

/// Fails with: kUnsupported when there are more than kTextsMadeMax.
Result<void> check_text_work(const Plan& plan);

/// How many characters of a row's texts all functions that make texts see together.
inline constexpr std::int64_t kCharactersSeen = 16'384;

/// Shares them out among the plan's functions that make texts; a concatenation of n counts n - 1
/// times. Each is told how many it sees of a text: that is its Expr::value, which is no part of the
/// question's canonical text.
void share_characters(Plan& plan);

/// What it was told; kCharactersSeen if it was told nothing. Requires: it makes a text.
std::int64_t characters_seen(const Expr& expr);

/// What a LIKE looks at grows with its pattern, also where nothing is made.
inline constexpr std::size_t kPatternBytesMax = 4'096;
inline constexpr std::size_t kPatternBytesLeast = 16;

/// Requires: a Checked's plan. The bytes of all patterns of LIKE and ILIKE, each at least kPatternBytesLeast; a LENGTH counts
/// as one of these.
std::size_t pattern_bytes(const Plan& plan);

/// Fails with: kUnsupported when they are more than kPatternBytesMax. Not a part of
/// check_text_work(), so that answers that were bought before stay free.
Result<void> check_pattern_work(const Plan& plan);

}  // namespace discreet::plan
