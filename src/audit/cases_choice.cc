// SPDX-License-Identifier: Apache-2.0
// Mechanisms that choose among candidates by score.
#include <algorithm>
#include <limits>

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

/// `best` candidates lose a point each while the others win one: the pair that needs the most
/// epsilon, and nearly all of it when the others are many.
Inputs<ChoiceScores> scores_around(std::size_t best, std::size_t others, std::int64_t low) {
  Inputs<ChoiceScores> inputs{ChoiceScores(best, low + 1), ChoiceScores(best, low),
                              "scores of " + std::to_string(best) + ": 1, of " +
                                  std::to_string(others) + ": 0 | turned around"};
  if (low > 0) inputs.text += ", at the top of int64";
  if (low < 0) inputs.text += ", at the bottom of int64";
  inputs.a.resize(best + others, low);
  inputs.b.resize(best + others, low + 1);
  return inputs;
}

/// Only differences matter.
ChoiceScores above(const ChoiceScores& scores, std::int64_t low) {
  ChoiceScores out;
  for (const std::int64_t score : scores) out.push_back(score - low);
  return out;
}

Pair exponential_on(std::int64_t low, const Progress& progress) {
  const Inputs<ChoiceScores> inputs = scores_around(1, 31, low);
  const auto mechanism = mechanism::Exponential::make(
      {.epsilon = kEpsilon, .sensitivity = kOne, .candidates = inputs.a.size()});
  const auto theorem = [low](const ChoiceScores& scores,
                             std::size_t chosen) -> std::optional<Range> {
    return exponential_probabilities(above(scores, low), kWeight)[chosen];
  };
  return audit<1>(mechanism.value(), inputs, 20, theorem, progress);
}

Pair exponential(const Progress& progress) { return exponential_on(0, progress); }
Pair exponential_high(const Progress& progress) {
  return exponential_on(std::numeric_limits<std::int64_t>::max() - 1, progress);
}

Pair flip_on(std::int64_t low, const Progress& progress) {
  const Inputs<ChoiceScores> inputs = scores_around(1, 3, low);
  const auto mechanism = mechanism::PermuteAndFlip::make(
      {.epsilon = kEpsilon, .sensitivity = kOne, .candidates = inputs.a.size()});
  const auto theorem = [low](const ChoiceScores& scores,
                             std::size_t chosen) -> std::optional<Range> {
    return permute_and_flip_probabilities(above(scores, low), kWeight)[chosen];
  };
  return audit<1>(mechanism.value(), inputs, 26, theorem, progress);
}

Pair permute_and_flip(const Progress& progress) { return flip_on(0, progress); }
Pair permute_and_flip_low(const Progress& progress) {
  return flip_on(std::numeric_limits<std::int64_t>::min(), progress);
}

/// The first by its weight among all, the second among those left.
Pair top_k(const Progress& progress) {
  const Inputs<ChoiceScores> inputs = scores_around(2, 30, 0);
  const auto mechanism = mechanism::TopK::make(
      {.epsilon = Epsilon::trusted(2), .sensitivity = kOne, .candidates = inputs.a.size(), .k = 2});
  const auto theorem = [](const ChoiceScores& scores,
                          const std::vector<std::size_t>& chosen) -> std::optional<Range> {
    ChoiceScores left = scores;
    const Range first = exponential_probabilities(left, kWeight)[chosen[0]];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen[0]));
    const std::size_t at = chosen[1] - (chosen[1] > chosen[0] ? 1 : 0);
    return first * exponential_probabilities(left, kWeight)[at];
  };
  return audit<1>(mechanism.value(), inputs, 26, theorem, progress);
}

using Keys = std::vector<mechanism::Runs>;

mechanism::Runs clamped(const mechanism::Runs& runs, std::int64_t high) {
  mechanism::Runs out;
  for (const auto& [value, count] : runs) {
    out.emplace_back(std::clamp<std::int64_t>(value, 0, high), count);
  }
  return out;
}

/// One row below the range; another above it turns the points between into medians.
Pair quantiles(const Progress& progress) {
  constexpr std::int64_t kHigh = 31;
  const auto mechanism =
      mechanism::Quantiles::make({.epsilon = kEpsilon, .fractions = {kWeight}, .high = kHigh});
  const auto theorem = [](const Keys& keys, const ChoiceScores& answer) -> std::optional<Range> {
    return quantile_probability(clamped(keys[0], kHigh), 2, kHigh, 1, answer[0]);
  };
  return audit<1>(mechanism.value(),
                  Inputs<Keys>{{{{-3, 1}}}, {{{-3, 1}, {kHigh + 9, 1}}}, "median of -3 | -3 40"},
                  22, theorem, progress);
}

/// A median by permute-and-flip, on a smaller range.
Pair flipped_quantiles(const Progress& progress) {
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

/// Both quartiles, and a row far above most points: nearly all of them gain, by a quarter and three
/// quarters of a row, while 15 loses three quarters as the one quartile and 1 as much as the other.
Pair several_quantiles(const Progress& progress) {
  constexpr std::int64_t kHigh = 15;
  const auto mechanism =
      mechanism::Quantiles::make({.epsilon = kEpsilon,
                                  .fractions = {Rational::ratio(1, 4), Rational::ratio(3, 4)},
                                  .high = kHigh});
  const auto theorem = [](const Keys& keys, const ChoiceScores& answer) -> std::optional<Range> {
    const Rational weight = Rational::ratio(2, 5);  // epsilon / C
    return quantile_probability(keys[0], 1, kHigh, weight, answer[0]) *
           quantile_probability(keys[0], 3, kHigh, weight, answer[1]);
  };
  return audit<1>(mechanism.value(),
                  Inputs<Keys>{{{{0, 6}, {1, 3}}},
                               {{{0, 6}, {1, 3}, {14, 1}}},
                               "quartiles of 0 (6 times), 1 (3 times) | and 14"},
                  32, theorem, progress);
}

/// Two quantiles by permute-and-flip, and a row at the other end.
Pair several_flipped(const Progress& progress) {
  constexpr std::int64_t kHigh = 1;
  const auto mechanism =
      mechanism::Quantiles::make({.epsilon = Epsilon::trusted(2),
                                  .fractions = {Rational::ratio(1, 2), Rational::ratio(3, 4)},
                                  .high = kHigh,
                                  .choice = mechanism::Quantiles::Choice::kPermuteAndFlip});
  const auto theorem = [](const Keys& keys, const ChoiceScores& answer) -> std::optional<Range> {
    const Rational weight = Rational::ratio(4, 5);  // epsilon / C
    return flipped_quantile_probability(keys[0], 2, kHigh, weight, answer[0]) *
           flipped_quantile_probability(keys[0], 3, kHigh, weight, answer[1]);
  };
  return audit<1>(mechanism.value(),
                  Inputs<Keys>{{{{0, 3}}}, {{{0, 3}, {1, 1}}}, "two quantiles of 0 0 0 | 0 0 0 1"},
                  24, theorem, progress);
}

/// A row more in each of two keys.
Pair quantiles_of_two_keys(const Progress& progress) {
  constexpr std::int64_t kHigh = 31;
  const auto mechanism = mechanism::Quantiles::make(
      {.epsilon = Epsilon::trusted(2), .keys_per_unit = 2, .fractions = {kWeight}, .high = kHigh});
  const auto theorem = [](const Keys& keys, const ChoiceScores& answer) -> std::optional<Range> {
    return quantile_probability(keys[0], 2, kHigh, 1, answer[0]) *
           quantile_probability(keys[1], 2, kHigh, 1, answer[1]);
  };
  const mechanism::Runs one{{0, 1}};
  const mechanism::Runs two{{0, 1}, {kHigh, 1}};
  return audit<1>(mechanism.value(),
                  Inputs<Keys>{{one, one}, {two, two}, "medians of 0 and 0 | 0 31 and 0 31"}, 22,
                  theorem, progress);
}

}  // namespace

std::vector<Case> choice_cases() {
  return {{"exponential", exponential},
          {"exponential-high", exponential_high},
          {"permute-and-flip", permute_and_flip},
          {"permute-and-flip-low", permute_and_flip_low},
          {"top-k", top_k},
          {"quantiles", quantiles},
          {"quantiles-flipped", flipped_quantiles},
          {"quantiles-several", several_quantiles},
          {"quantiles-several-flipped", several_flipped},
          {"quantiles-two-keys", quantiles_of_two_keys}};
}

}  // namespace discreet::audit
