// SPDX-License-Identifier: Apache-2.0
#include "audit/source/pair_game.h"

#include <algorithm>

namespace discreet::audit {
namespace {

using SvPair = mechanism::SvCertificate::Pair;

mechanism::SvCertificate pairs_of(const random::SvCells& cells, const Rational& gamma) {
  return {cells, mechanism::SvGamma::of(gamma).value()};
}

/// The smallest block that holds both, as the whole: what is before it changes no ratio.
SvPair without_prefix(SvPair pair, int& scale) {
  const auto half = [&] { return Uint128{1} << (scale - 1); };
  while (scale > 1) {
    if (std::max(pair.t1, pair.u1) <= half()) {
      --scale;
    } else if (std::min(pair.t0, pair.u0) >= half()) {
      const Uint128 cut = half();
      pair = {pair.t0 - cut, pair.t1 - cut, pair.u0 - cut, pair.u1 - cut};
      --scale;
    } else {
      break;
    }
  }
  return pair;
}

template <class N>
N power_of(N base, int exponent) {
  N out(1);
  for (int i = 0; i < exponent; ++i) out = out * base;
  return out;
}

/// The largest Pr[T2], with its Pr[U2]; the least Pr[U2] with its Pr[T2]; and the play for lambda.
/// A second answer behind `prefix` further bits: a source that wants it multiplies all by
/// ((1+gamma)/2)^prefix, one that does not by ((1-gamma)/2)^prefix.
template <class N>
struct Second {
  PairGame<N> game;
  N high;
  N low;

  N most_t() const { return high * game.play(N(0)).t; }
  N least_u(const N& huge) const { return low * game.play(huge).u; }
  Odds<N> both(const N& lambda) const {
    const Odds<N> odds = game.play(lambda);
    const N& scale = odds.t > lambda * odds.u ? high : low;
    return {scale * odds.t, scale * odds.u};
  }
};

/// The odds of the pair of answers, for a first one and a second one. The source aims at T1 x T2
/// against U1 x U2: where the first tape is in T1 alone it makes T2 likely, where it is in U1 alone
/// it makes U2 unlikely.
template <class N>
Odds<N> play_two(const SvPair& first, int scale, const Second<N>& second, const N& gamma) {
  const N huge = N(1 << 30);
  N lambda(1);
  Odds<N> odds;
  for (int round = 0; round < 60; ++round) {
    const Leaves<N> leaves{.both = second.both(lambda),
                           .only_t = {second.most_t(), N(0)},
                           .only_u = {N(0), second.least_u(huge)}};
    odds = PairGame<N>(first, scale, gamma, leaves).play(lambda);
    const N next = odds.t / odds.u;
    if (!(next > lambda * (N(1) + N(1) / N(1 << 30)))) break;
    lambda = next;
  }
  return odds;
}

}  // namespace

Rational exact_sv_ratio(const random::SvCells& cells, const Rational& gamma) {
  const mechanism::SvCertificate all = pairs_of(cells, gamma);
  Rational best(1);
  const double bend = gamma.to_double(Round::kDown);
  double roughly = 1;
  // Which pairs matter is found in floating point, generously; what they are worth is exact.
  std::vector<double> ratios;
  for (const SvPair& pair : all.pairs()) {
    int scale = all.scale();
    const SvPair inner = without_prefix(pair, scale);
    const Odds<double> odds = PairGame<double>(inner, scale, bend).best();
    ratios.push_back(odds.t / odds.u);
    roughly = std::max(roughly, ratios.back());
  }
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    if (ratios[i] < roughly * (1 - 1e-9)) continue;
    int scale = all.scale();
    const SvPair inner = without_prefix(all.pairs()[i], scale);
    const Odds<Rational> odds = PairGame<Rational>(inner, scale, gamma).best();
    best = std::max(best, odds.t / odds.u);
  }
  return best;
}

MemoryAttack two_answer_attack(const random::SvCells& cells, const Rational& gamma,
                               int prefix_max) {
  const mechanism::SvCertificate all = pairs_of(cells, gamma);
  const double bend = gamma.to_double(Round::kDown);
  struct Choice {
    SvPair pair;
    int scale;
  };
  std::vector<Choice> choices;
  for (const SvPair& pair : all.pairs()) {
    int scale = all.scale();
    const SvPair inner = without_prefix(pair, scale);
    choices.push_back({inner, scale});
  }
  // The far second answer is the same cell behind more equal bits, so one cell is enough there.
  double best = 0;
  Choice first = choices.front();
  Choice second = choices.front();
  for (const Choice& a : choices) {
    for (const Choice& b : choices) {
      const Second<double> game{PairGame<double>(b.pair, b.scale, bend),
                                power_of((1 + bend) / 2, prefix_max),
                                power_of((1 - bend) / 2, prefix_max)};
      const Odds<double> odds = play_two(a.pair, a.scale, game, bend);
      if (odds.t / odds.u <= best) continue;
      best = odds.t / odds.u;
      first = a;
      second = b;
    }
  }
  const Second<Rational> exact{PairGame<Rational>(second.pair, second.scale, gamma),
                               power_of((1 + gamma) * Rational::ratio(1, 2), prefix_max),
                               power_of((1 - gamma) * Rational::ratio(1, 2), prefix_max)};
  const Odds<Rational> odds = play_two(first.pair, first.scale, exact, gamma);
  return {odds.t / odds.u, prefix_max};
}

Rational bystander_attack(const random::SvCells& cells, const Rational& gamma, int bits) {
  const mechanism::SvCertificate all = pairs_of(cells, gamma);
  // Where the first tape is in T alone the source makes the zeros likely, else unlikely.
  const auto game = [&]<class N>(const SvPair& pair, const N& bend) {
    int scale = all.scale();
    const SvPair inner = without_prefix(pair, scale);
    const N likely = power_of((N(1) + bend) / N(2), bits);
    const N unlikely = power_of((N(1) - bend) / N(2), bits);
    return PairGame<N>(
        inner, scale, bend,
        {.both = {unlikely, unlikely}, .only_t = {likely, N(0)}, .only_u = {N(0), unlikely}});
  };
  const double bend = gamma.to_double(Round::kDown);
  double best = 0;
  SvPair chosen = all.pairs().front();
  for (const SvPair& pair : all.pairs()) {
    const Odds<double> odds = game(pair, bend).best();
    if (odds.t <= best * odds.u) continue;
    best = odds.t / odds.u;
    chosen = pair;
  }
  const Odds<Rational> odds = game(chosen, gamma).best();
  return odds.t / odds.u;
}

}  // namespace discreet::audit
