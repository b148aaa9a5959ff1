// SPDX-License-Identifier: Apache-2.0
// Mechanisms that choose among candidates by score.
#include "audit/cases.h"
#include "mechanism/exponential.h"
#include "mechanism/permute_and_flip.h"
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

}  // namespace

std::vector<Case> choice_cases() {
  return {{"exponential", exponential}, {"permute-and-flip", permute_and_flip}, {"top-k", top_k}};
}

}  // namespace discreet::audit
