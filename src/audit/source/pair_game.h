// SPDX-License-Identifier: Apache-2.0
// The game between a Santha-Vazirani source and two sets of tapes: the source bends each bit, in
// the light of the earlier ones, so that Pr[T] is large against Pr[U]. Values are exact when N is
// Rational.
//
//   value(leaf) = 1_T - lambda 1_U
//   value(node) = max over p in [(1-gamma)/2, (1+gamma)/2] of
//                   p value(0-child) + (1-p) value(1-child)
//
// The best ratio is the lambda at which the root's value is 0.
//
// Found as a fixed point: play for lambda, take the ratio that this play reaches as the next
// lambda. It rises, and there are finitely many plays, so it ends at the maximum (Dinkelbach).
#pragma once

#include "mechanism/sv_certificate.h"

namespace discreet::audit {

/// What a play reaches.
template <class N>
struct Odds {
  N t = N(0);
  N u = N(0);
};

/// What the leaves are worth: tapes in both sets, in T alone, in U alone. A game that goes on after
/// the first answer puts the second one's odds here.
template <class N>
struct Leaves {
  Odds<N> both{N(1), N(1)};
  Odds<N> only_t{N(1), N(0)};
  Odds<N> only_u{N(0), N(1)};
};

template <class N>
class PairGame {
 public:
  using Pair = mechanism::SvCertificate::Pair;

  /// Two intervals over 2^scale.
  PairGame(const Pair& pair, int scale, N gamma, Leaves<N> leaves = {})
      : pair_(pair),
        scale_(scale),
        high_((N(1) + gamma) / N(2)),
        low_((N(1) - gamma) / N(2)),
        leaves_(std::move(leaves)) {}

  /// The best play for this lambda.
  Odds<N> play(const N& lambda) const { return play(lambda, 0, scale_); }

  /// The best play of all, by its ratio.
  Odds<N> best() const {
    N lambda(0);
    Odds<N> odds = play(N(1));
    for (int round = 0; round < 100 && odds.t > lambda * odds.u * growth(); ++round) {
      lambda = odds.t / odds.u;
      odds = play(lambda);
    }
    return odds;
  }

 private:
  /// Floating point must rise by more than its rounding.
  static N growth();

  Odds<N> play(const N& lambda, Uint128 from, int log2_size) const {
    const Uint128 to = from + (Uint128{1} << log2_size);
    const auto outside = [&](Uint128 low, Uint128 high) { return to <= low || from >= high; };
    const auto inside = [&](Uint128 low, Uint128 high) { return from >= low && to <= high; };
    const bool in_t = inside(pair_.t0, pair_.t1);
    const bool in_u = inside(pair_.u0, pair_.u1);
    if ((in_t || outside(pair_.t0, pair_.t1)) && (in_u || outside(pair_.u0, pair_.u1))) {
      if (in_t && in_u) return leaves_.both;
      if (in_t) return leaves_.only_t;
      return in_u ? leaves_.only_u : Odds<N>{};
    }
    const Odds<N> left = play(lambda, from, log2_size - 1);
    const Odds<N> right = play(lambda, from + (Uint128{1} << (log2_size - 1)), log2_size - 1);
    const bool to_left = left.t - lambda * left.u >= right.t - lambda * right.u;
    const N& p = to_left ? high_ : low_;
    const N& r = to_left ? low_ : high_;
    return {p * left.t + r * right.t, p * left.u + r * right.u};
  }

  Pair pair_;
  int scale_;
  N high_;
  N low_;
  Leaves<N> leaves_;
};

template <>
inline double PairGame<double>::growth() {
  return 1 + 1e-13;
}
template <>
inline Rational PairGame<Rational>::growth() {
  return 1;
}

/// The exact supremum over all gamma-sources of Pr[M(x) = z] / Pr[M(x') = z], over all z and
/// neighbours; by this game, which shares no code with the certificate.
Rational exact_sv_ratio(const random::SvCells& cells, const Rational& gamma);

/// Two answers one after the other from one source that remembers: a ratio that an adversary
/// certainly reaches (exact odds of a play that was found by search).
struct MemoryAttack {
  Rational ratio;  ///< of the pair of answers
  int prefix = 0;  ///< how far out the second answer lies, in leading equal bits
};
MemoryAttack two_answer_attack(const random::SvCells& cells, const Rational& gamma, int prefix_max);

/// The same where what comes second has nothing to do with the person: it is seen whether the next
/// `bits` bits of the source are all 0. It reaches
///   Pr[first answer and zeros | D] / Pr[first answer and zeros | D'].
Rational bystander_attack(const random::SvCells& cells, const Rational& gamma, int bits);

}  // namespace discreet::audit
