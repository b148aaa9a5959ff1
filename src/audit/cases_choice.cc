// SPDX-License-Identifier: Apache-2.0
// Mechanisms that choose among candidates by score.
#include <algorithm>

#include "audit/cases.h"
#include "mechanism/exponential.h"
#include "mechanism/permute_and_flip.h"
#include "mechanism/quantiles.h"
#include "mechanism/top_k.h"

namespace discreet::audit {
namespace {

using Scores = std::vector<std::int64_t>;

const Epsilon kEpsilon = Epsilon::trusted(1);
const Sensitivity kOne = Sensitivity::trusted(1);
const Rational kWeight = Rational::ratio(1, 2);  // epsilon / (2 sensitivity)

// One score falls while the others rise: the pair that needs the most epsilon.
const Inputs<Scores> kFour{{1, 0, 0, 0}, {0, 1, 1, 1}, "scores 1 0 0 0 | 0 1 1 1"};
const Inputs<Scores> kThree{{1, 0, 0}, {0, 1, 1}, "scores 1 0 0 | 0 1 1"};

AuditRow exponential(const Progress& progress) {
  const auto mechanism = mechanism::Exponential::make(
      {.epsilon = kEpsilon, .sensitivity = kOne, .candidates = kFour.a.size()});
  const auto theorem = [](const Scores& scores, std::size_t chosen) -> std::optional<Range> {
    return exponential_probabilities(scores, kWeight)[chosen];
  };
  return audit<1>(mechanism.value(), kFour, 26, theorem, progress);
}

AuditRow permute_and_flip(const Progress& progress) {
  const auto mechanism = mechanism::PermuteAndFlip::make(
      {.epsilon = kEpsilon, .sensitivity = kOne, .candidates = kFour.a.size()});
  const auto theorem = [](const Scores& scores, std::size_t chosen) -> std::optional<Range> {
    return permute_and_flip_probabilities(scores, kWeight)[chosen];
  };
  return audit<1>(mechanism.value(), kFour, 26, theorem, progress);
}

/// The first by its weight among all, the second among those left.
AuditRow top_k(const Progress& progress) {
  const auto mechanism = mechanism::TopK::make(
      {.epsilon = Epsilon::trusted(2), .sensitivity = kOne, .candidates = kThree.a.size(), .k = 2});
  const auto theorem = [](const Scores& scores,
                          const std::vector<std::size_t>& chosen) -> std::optional<Range> {
    Scores left = scores;
    const Range first = exponential_probabilities(left, kWeight)[chosen[0]];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen[0]));
    const std::size_t at = chosen[1] - (chosen[1] > chosen[0] ? 1 : 0);
    return first * exponential_probabilities(left, kWeight)[at];
  };
  return audit<1>(mechanism.value(), kThree, 24, theorem, progress);
}

/// The score of a point: minus its distance from being a median, in half rows.
std::int64_t median_score(const mechanism::Runs& runs, std::int64_t v) {
  std::int64_t below = 0;
  std::int64_t above = 0;
  std::int64_t rows = 0;
  for (const auto& [value, count] : runs) {
    below += value < v ? count : 0;
    above += value > v ? count : 0;
    rows += count;
  }
  return -std::max<std::int64_t>({0, 2 * below - rows, 2 * above - rows});
}

/// A row is added above the median: the point below loses, those between gain.
AuditRow quantiles(const Progress& progress) {
  using Keys = std::vector<mechanism::Runs>;
  constexpr std::int64_t kHigh = 3;
  const auto mechanism =
      mechanism::Quantiles::make({.epsilon = kEpsilon, .fraction = kWeight, .high = kHigh});
  const auto theorem = [](const Keys& keys, const Scores& answer) -> std::optional<Range> {
    Scores scores;
    for (std::int64_t v = 0; v <= kHigh; ++v) scores.push_back(median_score(keys[0], v));
    return exponential_probabilities(scores, kWeight)[static_cast<std::size_t>(answer[0])];
  };
  return audit<1>(mechanism.value(),
                  Inputs<Keys>{{{{0, 1}, {1, 1}, {kHigh, 1}}},
                               {{{0, 1}, {1, 1}, {kHigh, 2}}},
                               "median of 0 1 3 | 0 1 3 3"},
                  20, theorem, progress);
}

}  // namespace

std::vector<Case> choice_cases() {
  return {{"exponential", exponential},
          {"permute-and-flip", permute_and_flip},
          {"top-k", top_k},
          {"quantiles", quantiles}};
}

}  // namespace discreet::audit
