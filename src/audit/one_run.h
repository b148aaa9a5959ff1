// SPDX-License-Identifier: Apache-2.0
// Auditing a training in one run: many canaries, each in or out by its own coin; somebody who sees
// the model guesses which. How many guesses are right bounds epsilon from below.
//
// Theorem [Steinke-Nasr-Jagielski 2023, Theorem 5.2]. Let the training be (epsilon, delta)-DP for
// one of m canaries added or removed, and let B be Binomial(g, e^epsilon/(1+e^epsilon)). Whatever
// the guesser does, and however many canaries it passes over, of g guesses at least v are right
// with probability at most
//     Pr[B >= v] + 2 m delta max over i of Pr[v > B >= v - i] / i.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace discreet::audit {

struct Guesses {
  std::uint64_t right = 0;
  std::uint64_t all = 0;
  std::uint64_t canaries = 0;  ///< with those that were passed over
};

/// The largest epsilon that so many right guesses refute, beside `delta`: wrong with a chance of at
/// most `beta`. 0 when they refute none.
double one_run_epsilon(const Guesses& guesses, double beta, double delta = 0);

/// The quarter with the largest scores is guessed to be in, that with the least to be out; the rest
/// is passed over. Requires: as many scores as bits.
Guesses guess_by_score(const std::vector<double>& scores, const std::vector<bool>& in);

}  // namespace discreet::audit
