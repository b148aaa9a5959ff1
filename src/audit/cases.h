// SPDX-License-Identifier: Apache-2.0
// The table of the exact audit: one case for each mechanism of mechanism/mechanisms.h, on
// parameters small enough for all tapes to be walked.
#pragma once

#include <span>
#include <vector>

#include "audit/compare.h"
#include "mechanism/door.h"

namespace discreet::audit {

/// Two walks, and what is claimed of them.
struct Pair {
  std::string mechanism;
  std::string neighbours;
  std::optional<Cost> claimed;  ///< absent: that both have one distribution
  Distribution a;
  Distribution b;
  /// A certain lower bound of epsilon that was found in another way than by comparing these two.
  std::optional<Rational> epsilon = std::nullopt;
};
Verdict judge(const Pair& pair);

struct Case {
  std::string_view name;
  Pair (*walk)(const Progress&);
  /// Why no pair can use up 9/10 of the price; empty where this one does.
  std::string_view reason = {};
};

std::vector<Case> all_cases();

std::vector<Case> noise_cases();     ///< numbers plus noise
std::vector<Case> response_cases();  ///< bits randomized at home
std::vector<Case> choice_cases();    ///< one or some of many
std::vector<Case> keys_cases();      ///< which keys may be shown
std::vector<Case> sums_cases();      ///< series of clipped sums
std::vector<Case> tables_cases();    ///< tables published together, daily counts
std::vector<Case> source_cases();    ///< on bits that may be bent
std::vector<Case> local_cases();     ///< what runs in people's homes
std::vector<Case> sampler_cases();   ///< the lecture's sampler against the fast one

/// How the progress of one of `parts` equal parts becomes that of the whole.
Progress part_of(const Progress& whole, int part, int parts);

/// All tapes of `mechanism` on one input. theorem(input, outcome) is an optional<Range>.
template <int kWidth, class M, class Theorem>
Distribution walk_mechanism(const M& mechanism, const typename M::Input& input,
                            const WalkOptions& options, const Theorem& theorem) {
  const Sensitive<typename M::Input> sealed{typename M::Input(input)};
  const auto walked = Walk(options).run<kWidth>([&](Tape<kWidth>& tape) {
    return mechanism::Door::replay(mechanism, sealed, tape).outcome();
  });
  return distribution(
      walked, [](const auto& outcome) { return M::describe(outcome); },
      [&](const auto& outcome) { return theorem(input, outcome); });
}

/// Two neighbours, and how to name them.
template <class Input>
struct Inputs {
  Input a;
  Input b;
  std::string text;
};

/// Walks `mechanism` on both inputs; the claim is its own price.
template <int kWidth, class M, class Theorem>
Pair audit(const M& mechanism, const Inputs<typename M::Input>& inputs, int depth,
           const Theorem& theorem, const Progress& progress) {
  Distribution a = walk_mechanism<kWidth>(
      mechanism, inputs.a, {.depth = depth, .progress = part_of(progress, 0, 2)}, theorem);
  Distribution b = walk_mechanism<kWidth>(
      mechanism, inputs.b, {.depth = depth, .progress = part_of(progress, 1, 2)}, theorem);
  return {mechanism.noise().text, inputs.text, mechanism.cost(), std::move(a), std::move(b)};
}

}  // namespace discreet::audit
