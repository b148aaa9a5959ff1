// SPDX-License-Identifier: Apache-2.0
// What a list of uses costs, for one person or for several at once.
//
// Theorem. If k people change, an answer of sensitivity s for one of them moves by at most k s
// (triangle inequality), so noise of the same size has a k-th of its multiplier; an epsilon becomes
// k epsilon; and (epsilon, delta) becomes (k epsilon, delta (e^{k epsilon} - 1)/(e^epsilon - 1))
// [Vadhan 2017, Lemma 2.2]. The last holds for the whole composition too, which is how sampled
// mechanisms are treated.
//
// The lower bound is that of k people where the list is only noise of a shape that k people can
// really move by k s (Gaussian, Laplace, discrete Laplace), and that of one person otherwise.
#pragma once

#include <optional>
#include <vector>

#include "accounting/account.h"
#include "cli/account_question.h"

namespace discreet::cli {

inline constexpr std::uint64_t kPeopleMax = 1'000'000;

/// The uses as k people see them; absent if some use is sampled or the result would be out of
/// range.
std::optional<std::vector<accounting::Use>> uses_for_people(
    const std::vector<accounting::Use>& uses, std::uint64_t k);

/// Puts the question. Requires: check(uses); 1 <= question.people <= kPeopleMax.
/// Fails with: kInvalidInput if the notion says nothing about these uses.
Result<accounting::Bounds> ask(const std::vector<accounting::Use>& uses, const Question& question);

/// The answer with its theorem, what was asked, and the uses.
/// Fails with: kInvalidInput, as `ask`.
Result<report::Sheet> answer_sheet(const std::vector<accounting::Use>& uses,
                                   const Question& question);

}  // namespace discreet::cli
