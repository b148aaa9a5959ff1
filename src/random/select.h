// SPDX-License-Identifier: Apache-2.0
// Exact selection of one candidate by score.
//
// Both take scores over the whole range of int64 (differences fit 64 bits unsigned, so nothing
// overflows) and any positive rational weight; a million candidates are fine.
//
// Side channel: the number of coins, and so the time, depends on the scores (CAVEATS).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "numeric/rational.h"
#include "random/bit_source.h"

namespace discreet::random {

/// Candidate i with probability proportional to e^(weight * scores[i]), exactly. With weight =
/// epsilon / (2 Delta) this is the exponential mechanism's choice.
/// Requires: scores is not empty, weight >= 0.
/// Cost: a uniform candidate is kept with probability e^(-weight (max - its score)), so at most
/// scores.size() tries are expected.
template <BitSource B>
std::size_t exponential_select(std::span<const std::int64_t> scores, const Rational& weight,
                               B& bits);

/// Walks the candidates in a uniformly random order and takes the first whose coin of
/// e^(-weight (max - its score)) shows heads. Another distribution than the above, with a larger
/// expected score, and its own price in zCDP.
/// Requires: scores is not empty, weight >= 0. Cost: at most scores.size() tries.
template <BitSource B>
std::size_t permute_and_flip(std::span<const std::int64_t> scores, const Rational& weight, B& bits);

}  // namespace discreet::random

#include "random/select_inl.h"
