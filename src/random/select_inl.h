// SPDX-License-Identifier: Apache-2.0
// Bodies of random/select.h.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/check.h"
#include "random/bernoulli.h"
#include "random/select.h"
#include "random/tries.h"
#include "random/uniform.h"

namespace discreet::random {

/// max - score, without overflow: at most 2^64 - 1.
inline std::uint64_t shortfall(std::int64_t max, std::int64_t score) {
  return static_cast<std::uint64_t>(max) - static_cast<std::uint64_t>(score);
}

template <BitSource B>
std::size_t exponential_select(std::span<const std::int64_t> scores, const Rational& weight,
                               B& bits) {
  DISCREET_CHECK(!scores.empty());
  const std::int64_t max = *std::max_element(scores.begin(), scores.end());
  const ExpCoin keep(weight);
  for (Tries tries(bits);; tries.again()) {
    const std::size_t candidate = uniform_below(std::uint64_t{scores.size()}, bits);
    if (keep.flip(shortfall(max, scores[candidate]), bits)) return candidate;
  }
}

template <BitSource B>
std::size_t permute_and_flip(std::span<const std::int64_t> scores, const Rational& weight,
                             B& bits) {
  DISCREET_CHECK(!scores.empty());
  const std::int64_t max = *std::max_element(scores.begin(), scores.end());
  const ExpCoin keep(weight);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t next = 0;; ++next) {
    DISCREET_CHECK(next < order.size());  // the best candidate's coin has probability 1
    std::swap(order[next], order[next + uniform_below(std::uint64_t{order.size() - next}, bits)]);
    if (keep.flip(shortfall(max, scores[order[next]]), bits)) return order[next];
  }
}

}  // namespace discreet::random
