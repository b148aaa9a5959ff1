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

using ChoiceScores = std::vector<std::int64_t>;

const Epsilon kEpsilon = Epsilon::trusted(1);
const Sensitivity kOne = Sensitivity::trusted(1);
const Rational kWeight = Rational::ratio(1, 2);  // epsilon / (2 sensitivity)

// One score falls while the others rise: the pair that needs the most epsilon.
const Inputs<ChoiceScores> kFour{{1, 0, 0, 0}, {0, 1, 1, 1}, "scores 1 0 0 0 | 0 1 1 1"};
const Inputs<ChoiceScores> kThree{{1, 0, 0}, {0, 1, 1}, "scores 1 0 0 | 0 1 1"};

AuditRow exponential(const Progress& progress) {
  const auto mechanism = mechanism::Exponential::make(
      {.epsilon = kEpsilon, .sensitivity = kOne, .candidates = kFour.a.size()});
  const auto theorem = [](const ChoiceScores& scores, std::size_t chosen) -> std::optional<Range> {
    return exponential_probabilities(scores, kWeight)[chosen];
  };
  return audit<1>(mechanism.value(), kFour, 26, theorem, progress);
}

AuditRow permute_and_flip(const Progress& progress) {
  const auto mechanism = mechanism::PermuteAndFlip::make(
      {.epsilon = kEpsilon, .sensitivity = kOne, .candidates = kFour.a.size()});
  const auto theorem = [](const ChoiceScores& scores, std::size_t chosen) -> std::optional<Range> {
    return permute_and_flip_probabilities(scores, kWeight)[chosen];
  };
  return audit<1>(mechanism.value(), kFour, 26, theorem, progress);
}

/// The first by its weight among all, the second among those left.
AuditRow top_k(const Progress& progress) {
  const auto mechanism = mechanism::TopK::make(
      {.epsilon = Epsilon::trusted(2), .sensitivity = kOne, .candidates = kThree.a.size(), .k = 2});
  const auto theorem = [](const ChoiceScores& scores,
                          const std::vector<std::size_t>& chosen) -> std::optional<Range> {
    ChoiceScores left = scores;
    const Range first = exponential_probabilities(left, kWeight)[chosen[0]];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen[0]));
    const std::size_t at = chosen[1] - (chosen[1] > chosen[0] ? 1 : 0);
    return first * exponential_probabilities(left, kWeight)[at];
  };
  return audit<1>(mechanism.value(), kThree, 24, theorem, progress);
}

/// A row above the only value: the points up to it become medians.
AuditRow quantiles(const Progress& progress) {
  using Keys = std::vector<mechanism::Runs>;
  constexpr std::int64_t kHigh = 3;
  const auto mechanism =
      mechanism::Quantiles::make({.epsilon = kEpsilon, .fractions = {kWeight}, .high = kHigh});
  const auto theorem = [](const Keys& keys, const ChoiceScores& answer) -> std::optional<Range> {
    return quantile_probability(keys[0], 2, kHigh, 1, answer[0]);
  };
  return audit<1>(mechanism.value(),
                  Inputs<Keys>{{{{0, 2}}}, {{{0, 2}, {1, 1}}}, "median of 0 0 | 0 0 1"}, 22,
                  theorem, progress);
}

/// A median by permute-and-flip, on a smaller range.
AuditRow flipped_quantiles(const Progress& progress) {
  using Keys = std::vector<mechanism::Runs>;
  constexpr std::int64_t kHigh = 2;
  const auto mechanism =
      mechanism::Quantiles::make({.epsilon = kEpsilon,
                                  .fractions = {kWeight},
                                  .high = kHigh,
                                  .choice = mechanism::Quantiles::Choice::kPermuteAndFlip});
  const auto theorem = [](const Keys& keys, const ChoiceScores& answer) -> std::optional<Range> {
    return flipped_quantile_probability(keys[0], 2, kHigh, 1, answer[0]);
  };
  return audit<1>(mechanism.value(),
                  Inputs<Keys>{{{{0, 1}, {1, 1}, {kHigh, 1}}},
                               {{{0, 1}, {1, 1}, {kHigh, 2}}},
                               "median of 0 1 2 | 0 1 2 2"},
                  22, theorem, progress);
}

/// Two quantiles at once, and a row between them.
AuditRow several_quantiles(const Progress& progress) {
  using Keys = std::vector<mechanism::Runs>;
  constexpr std::int64_t kHigh = 2;
  const auto mechanism =
      mechanism::Quantiles::make({.epsilon = kEpsilon,
                                  .fractions = {Rational::ratio(1, 4), Rational::ratio(3, 4)},
                                  .high = kHigh,
                                  .choice = mechanism::Quantiles::Choice::kPermuteAndFlip});
  const auto theorem = [](const Keys& keys, const ChoiceScores& answer) -> std::optional<Range> {
    const Rational weight = Rational::ratio(2, 5);  // epsilon / C
    return flipped_quantile_probability(keys[0], 1, kHigh, weight, answer[0]) *
           flipped_quantile_probability(keys[0], 3, kHigh, weight, answer[1]);
  };
  return audit<1>(
      mechanism.value(),
      Inputs<Keys>{
          {{{0, 4}, {1, 3}}}, {{{0, 4}, {1, 4}}}, "quartiles of 0 0 0 0 1 1 1 | 0 0 0 0 1 1 1 1"},
      24, theorem, progress);
}

}  // namespace

std::vector<Case> choice_cases() {
  return {{"exponential", exponential},
          {"permute-and-flip", permute_and_flip},
          {"top-k", top_k},
          {"quantiles", quantiles},
          {"quantiles-flipped", flipped_quantiles},
          {"quantiles-several", several_quantiles}};
}

}  // namespace discreet::audit
