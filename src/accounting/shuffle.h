// SPDX-License-Identifier: Apache-2.0
// Amplification by shuffling: n people randomize at home, a shuffler forgets who sent what, and the
// reports together are far more private. Neighbours: one person's value is replaced.
//
// Theorem (Feldman, McMillan, Talwar 2021, "clones"). If every report is epsilon0-DP, also
// one that depends on earlier reports, then the shuffled reports are no easier to tell apart than P
// and Q:
//   C ~ Bin(n-1, e^-epsilon0),  A ~ Bin(C, 1/2),  D ~ Bern(e^epsilon0 / (e^epsilon0 + 1)),
//   P = (A + D, C - A + 1 - D),  Q = (A + 1 - D, C - A + D).
// Theorem (same, Thm 3.1). For epsilon0 <= ln(n / (16 ln(4/delta))) the pair is (eps,
// delta)-indistinguishable with
//   eps = ln(1 + (e^e0 - 1)/(e^e0 + 1) (8 sqrt(e^e0 ln(4/delta) / n) + 8 e^e0 / n)).
// Theorem (notions.md, "Shuffled responses"). For binary randomized response the same pair holds
// with the larger clone probability 2/(e^e0 + 1).
//
// Not offered: the sharper general bound of 2023, whose published proof has an erratum.
#pragma once

#include "accounting/pld.h"
#include "numeric/rational.h"
#include "privacy/quantity.h"

namespace discreet::accounting {

struct Shuffle {
  std::uint64_t people;  ///< 2 to 10^9
  Rational epsilon0;     ///< of each report; 2^-40 to 2^10
};

/// Fails with: kInvalidInput, naming the field.
Result<void> check(const Shuffle& shuffle);

/// The closed form, rounded up, or epsilon0 where it does not apply or says more. Requires:
/// check(shuffle); 0 < delta < 1.
double shuffled_epsilon_closed(const Shuffle& shuffle, const Rational& delta);

/// The numerical form: brackets what the pair (P, Q) gives, so `upper` is a guarantee for every
/// epsilon0-DP report. `lower` is about the pair: no better guarantee follows from this theorem.
Bounds shuffled_delta(const Shuffle& shuffle, const Rational& epsilon);
Bounds shuffled_epsilon(const Shuffle& shuffle, const Rational& delta);

/// Binary randomized response: `upper` holds whatever the others' bits are; `lower` is what some
/// neighbours show. Up to 2 10^6 people the two are, as a rule, within 1e-4 of epsilon or 2e-3 of
/// delta of each other; beyond, `upper` is the clones'.
/// Cost: n = 10^4: milliseconds; n = 10^6: about a second.
Bounds shuffled_response_delta(const Shuffle& shuffle, const Rational& epsilon);
Bounds shuffled_response_epsilon(const Shuffle& shuffle, const Rational& delta);

/// The clones' pair with the larger probability, which holds for binary randomized response only.
Bounds clones_of_responses_delta(const Shuffle& shuffle, const Rational& epsilon);
Bounds clones_of_responses_epsilon(const Shuffle& shuffle, const Rational& delta);

/// Exactly, for given others: `ones` of the n-1 others hold a one. Brackets the delta of the
/// shuffled reports (their number of ones is sufficient), the worse of the two directions.
/// Requires: n <= 10^5; ones < n.
Bounds shuffled_response_delta_at(const Shuffle& shuffle, std::uint64_t ones,
                                  const Rational& epsilon);

}  // namespace discreet::accounting
