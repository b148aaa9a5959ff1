// SPDX-License-Identifier: Apache-2.0
// Comparing what two walks measured with what a mechanism claims. Everything called "low" is a
// certified bound on the compiled code, not an estimate; everything called "high" says over what it
// was taken. Proofs: exact.md.
//
// Words: p(o) is the finished mass of outcome o and u the unresolved mass, so that for every set S
// of outcomes, seen or not,   p(S) <= Pr[S] <= p(S) + u.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/theorems.h"
#include "audit/walk.h"
#include "privacy/cost.h"

namespace discreet::audit {

/// One outcome: what the walk finished there, and what the mechanism's theorem says.
struct Bracket {
  Rational finished;
  std::optional<Range> theorem;
};

struct Distribution {
  std::map<std::string, Bracket> outcomes;  ///< by printable outcome
  Rational unresolved;
  std::uint64_t tapes = 0;
};

/// print(outcome) must tell outcomes apart; theorem(outcome) is an optional<Range>.
template <class Outcome, class Print, class Theorem>
Distribution distribution(const Walked<Outcome>& walked, const Print& print,
                          const Theorem& theorem) {
  Distribution result{.outcomes = {}, .unresolved = walked.unresolved(), .tapes = walked.runs};
  for (const auto& [outcome, mass] : walked.mass) {
    const bool fresh =
        result.outcomes.emplace(print(outcome), Bracket{walked.probability(mass), theorem(outcome)})
            .second;
    DISCREET_CHECK(fresh);
  }
  return result;
}

/// `low` is certain. `high` is the same quantity over the resolved outcomes only; absent when it is
/// infinite, nothing is resolved, or it is below `low`: then an unresolved outcome decides.
struct Loss {
  Rational low;
  std::optional<Rational> high;
};

/// The least epsilon for which both Pr[S] <= e^epsilon Pr'[S] + delta and the converse hold for all
/// S.
///   low   max over S of ln((p(S) - delta) / (p'(S) + u')), both ways
///   high  max over resolved o of ln((p(o) + u) / p'(o)), both ways: for delta = 0
/// An outcome is resolved when its finished mass is at least 32 times the unresolved mass, in
/// both.
Loss measure_epsilon(const Distribution& a, const Distribution& b, const Rational& delta = 0);

/// The least delta for which (epsilon, delta) holds, both ways. Both ends are certain:
///   s - e^epsilon u'  <=  delta  <=  s + u,   s = sum of max(0, p - e^epsilon p')
struct DeltaBracket {
  Rational low;
  Rational high;
};
DeltaBracket measure_delta(const Distribution& a, const Distribution& b, const Rational& epsilon);

/// A certain lower bound of the Renyi divergence of an order above 1, the larger of the two ways;
/// with delta, of the least one of P given E from P' given E', over all events that are at least
/// 1 - delta likely. S, the set of measure_epsilon's lower end, counts as one outcome:
///   ln((p(S) - delta)^alpha (p'(S) + u')^(1 - alpha) + sum over others of p^alpha p'^(1 - alpha))
///   / (alpha - 1) + ln(1 - delta)
/// No upper bound is given: the unresolved tail may carry any amount. Low orders look less far into
/// the tail. Requires: 4 order is whole.
Rational measure_renyi(const Distribution& a, const Distribution& b, const Rational& order,
                       const Rational& delta = 0);

/// How the walk compares with the theorem's probabilities.
struct Fit {
  bool known = false;     ///< a theorem was given
  Rational distance_low;  ///< certified total-variation distance; 0 when the theorem fits
  std::string worst;      ///< the outcome that is furthest out; empty when all fit
};
Fit measure_fit(const Distribution& d);

/// What is to be said of a claim.
struct Verdict {
  bool ok = true;
  bool violated = false;  ///< not ok, and that is a proof
  std::string text;       ///< "holds", "unresolved: ...", or each thing that is certainly broken
  std::string measured;   ///< the loss, in the notion of the claim
  std::string delta;      ///< delta's bracket at the claimed epsilon, or "-"
  /// How much of a price is certainly used up: the lower end of `measured` over the claim; with two
  /// numbers in both, the larger share.
  std::optional<Rational> share = std::nullopt;
};

/// The most unresolved mass that a side may have for a verdict "holds". Without a bound a walk that
/// ran out of depth would contradict nothing, and so pass.
inline const Rational kUnresolvedMax = Rational::ratio(1, 50);

/// Looks for a contradiction between these two distributions and what the claim and the theorem
/// say of them:
///   epsilon given  the certified lower end of delta at epsilon exceeds the claimed delta; or, if
///                  that is 0, the certified lower end of epsilon exceeds the claimed one
///   rho given      the certified lower end of the divergence at order 5/4, 3/2 or 2, for the
///                  claimed delta, exceeds rho times the order; or that of delta at one of a few epsilons
///                  exceeds the conversion's delta + e^-((epsilon - rho)^2 / 4 rho)
///   theorem given  an outcome's probability lies outside its bracket, on either side
/// "violated" is a proof. "holds" says that no contradiction was found and that each side left at
/// most kUnresolvedMax unresolved; it is no proof of the claim: how much room is left between the
/// lower end and the claim stands in `measured`. With more unresolved and no contradiction the
/// verdict is "unresolved", which is not ok.
Verdict judge(const Cost& claimed, const Distribution& a, const Distribution& b);

/// Holds a certain lower bound of epsilon, found in another way, against a pure claim.
void use_another_epsilon(const Cost& claimed, const Rational& epsilon, Verdict& verdict);

/// The same for the claim that both have one distribution: it is contradicted when their
/// total-variation distance is certainly positive, or one does not fit its theorem.
Verdict judge_equality(const Distribution& a, const Distribution& b);

}  // namespace discreet::audit
