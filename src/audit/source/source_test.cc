// SPDX-License-Identifier: Apache-2.0
// Bent coins: the exact game against the certificate, brute force, and the compiled mechanisms.
#include <gtest/gtest.h>

#include <cmath>

#include "audit/source/pair_game.h"
#include "audit/source/randomness.h"
#include "audit/source/sv_bits.h"
#include "mechanism/laplace.h"
#include "mechanism/sv_laplace.h"
#include "numeric/interval.h"

namespace discreet::audit::source_test {
namespace {

using mechanism::SvCertificate;
using mechanism::SvGamma;
using random::SvCells;
using Pair = SvCertificate::Pair;

// The certificate rounds up, by less than 2^-30; the game is exact.
TEST(PairGame, AgreesWithTheCertificate) {
  for (const auto& [epsilon, q] : {std::pair{"0.5", 2}, {"0.1", 10}, {"0.1", 1}, {"0.05", 40}}) {
    const SvCells cells(mechanism::sv_shape(Rational::parse(epsilon).value(), q), 0, 0);
    for (const char* gamma : {"0", "0.05", "0.2"}) {
      const Rational bend = Rational::parse(gamma).value();
      const Rational exact = exact_sv_ratio(cells, bend);
      const Rational certified = SvCertificate(cells, SvGamma::of(bend).value()).ratio().value();
      EXPECT_LE(exact, certified) << epsilon << " " << q << " " << gamma;
      EXPECT_GE(exact, certified - power_of_two(-30)) << epsilon << " " << q << " " << gamma;
    }
  }
}

// All 2^7 deterministic choices of a source on trees of depth 3: none does better than the game,
// and one does as well.
TEST(PairGame, IsTheBestOfAllSources) {
  const Rational gamma = Rational::ratio(1, 3);
  for (const Pair& pair :
       {Pair{1, 4, 2, 5}, Pair{0, 3, 1, 3}, Pair{3, 8, 4, 8}, Pair{2, 3, 1, 6}}) {
    const Odds<Rational> best = PairGame<Rational>(pair, 3, gamma).best();
    Rational most;
    for (int choices = 0; choices < 128; ++choices) {
      Rational t, u;
      for (int tape = 0; tape < 8; ++tape) {
        Rational weight(1);
        int node = 1;
        for (int i = 2; i >= 0; --i) {
          const int bit = tape >> i & 1;
          const bool to_one = (choices >> (node - 1) & 1) == 1;
          weight = weight * ((bit == 1) == to_one ? 1 + gamma : 1 - gamma) * Rational::ratio(1, 2);
          node = 2 * node + bit;
        }
        const auto at = static_cast<Uint128>(tape);
        if (at >= pair.t0 && at < pair.t1) t = t + weight;
        if (at >= pair.u0 && at < pair.u1) u = u + weight;
      }
      most = std::max(most, t / u);
    }
    EXPECT_EQ(best.t / best.u, most);
  }
}

// The memory attack beats twice the certificate, and grows without bound.
TEST(PairGame, TwoAnswersDoNotAddUp) {
  const SvCells cells(mechanism::sv_shape(Rational::ratio(1, 2), 4), 0, 0);
  const Rational gamma = Rational::ratio(1, 20);
  const Rational one = SvCertificate(cells, SvGamma::of(gamma).value()).ratio().value();
  EXPECT_GT(two_answer_attack(cells, gamma, 0).ratio, one * one);
  EXPECT_GT(two_answer_attack(cells, gamma, 24).ratio, one * one * one * one);
  // Without a bend there is nothing to remember with.
  EXPECT_LE(two_answer_attack(cells, 0, 24).ratio,
            SvCertificate(cells, SvGamma{}).ratio().value() *
                SvCertificate(cells, SvGamma{}).ratio().value());
  // Nor need the second thing be about the person: later bits of the source are enough.
  EXPECT_GT(bystander_attack(cells, gamma, 8), one);
  EXPECT_GT(bystander_attack(cells, gamma, 64), one * one * one * one);
  EXPECT_EQ(bystander_attack(cells, 0, 64), exact_sv_ratio(cells, 0));
}

template <int kWidth, class M>
struct Built {
  Outcomes outcomes;
  TapeTree tree;
  static Built of(const M& mechanism, Int128 a, Int128 b, int depth) {
    Outcomes outcomes;
    const auto left = tape_leaves<kWidth>(mechanism, a, depth, outcomes);
    const auto right = tape_leaves<kWidth>(mechanism, b, depth, outcomes);
    return {outcomes, TapeTree(left, right)};
  }
  std::vector<bool> even() const {
    std::vector<bool> set;
    for (const std::string& text : outcomes.texts()) set.push_back((text.back() - '0') % 2 == 0);
    return set;
  }
};

// Lemma 4: the parity of Laplace noise under the best source beats ln((1+g)/(1-g)), and a source
// that does not know the mechanism does not.
TEST(TapeTree, ParityOfAdditiveNoiseCanBeBent) {
  const auto laplace = mechanism::Laplace::make(
      {.sensitivity = Sensitivity::trusted(1), .epsilon = Epsilon::trusted(1)});
  const auto built = Built<4, mechanism::Laplace>::of(laplace.value(), 0, 1, 16);
  const Rational gamma = Rational::ratio(1, 5);
  const auto best = built.tree.best(built.even(), gamma);
  EXPECT_GT(best.ratio, (1 + gamma) / (1 - gamma));
  EXPECT_GT(best.ratio, built.tree.under(steady_source(), built.even(), gamma).ratio);
  EXPECT_GT(best.ratio, built.tree.under(copying_source(), built.even(), gamma).ratio);
  // Fair coins are the walk's: no source at all.
  EXPECT_EQ(built.tree.under(fair_source(), built.even(), gamma).t,
            built.tree.under(steady_source(), built.even(), 0).t);
  // The strategy that was found, played again, reaches what was said.
  Strategy found;
  const auto again = built.tree.best(built.even(), gamma, &found);
  EXPECT_EQ(built.tree.under(found, built.even(), gamma).ratio, again.ratio);
}

// The compiled mechanism on tapes, bent by the best source for each answer: within what is charged,
// and near it. A shape with cells of one unit (planted) is far outside.
TEST(TapeTree, TheRobustMechanismStands) {
  const Rational gamma = Rational::ratio(1, 10);
  const auto noise = mechanism::SvLaplace::make({.sensitivity = Sensitivity::trusted(1),
                                                 .epsilon = Epsilon::trusted(1),
                                                 .gamma = gamma,
                                                 .low = 0,
                                                 .high = 4});
  Rational worst;
  for (int x = 0; x < 4; ++x) {
    for (const bool up : {true, false}) {
      const auto built =
          Built<1, mechanism::SvLaplace>::of(noise.value(), up ? x : x + 1, up ? x + 1 : x, 24);
      worst = std::max(worst, built.tree.best_outcome(built.outcomes.texts().size(), gamma));
    }
  }
  const Rational allowed = exp(Interval::around(1, 64)).high();
  EXPECT_LE(worst, allowed);
  EXPECT_GE(worst, allowed * Rational::ratio(3, 4));
  // On a source that is bent further than the certificate was made for, it does not stand.
  const auto built = Built<1, mechanism::SvLaplace>::of(noise.value(), 1, 2, 24);
  EXPECT_GT(built.tree.best_outcome(built.outcomes.texts().size(), Rational::ratio(2, 5)), allowed);
}

// Counts of a fixed seed; a fair coin's count is off by more than 5 sigma with probability 6e-7.
TEST(SvBits, LeanAsTheirStrategySays) {
  constexpr int kDraws = 40000;
  SvBits steady(steady_source(), Rational::ratio(1, 5), 3);
  SvBits fair(fair_source(), Rational::ratio(1, 5), 4);
  int ones = 0;
  int fair_ones = 0;
  for (int i = 0; i < kDraws; ++i) {
    ones += static_cast<int>(steady.take(1));
    fair_ones += static_cast<int>(fair.take(1));
  }
  EXPECT_NEAR(ones, 0.6 * kDraws, 5 * std::sqrt(0.24 * kDraws));
  EXPECT_NEAR(fair_ones, 0.5 * kDraws, 5 * std::sqrt(0.25 * kDraws));
}

TEST(Randomness, EveryPartSaysSomething) {
  for (const RandomnessPart& part : randomness_parts()) {
    if (part.name == "chosen") continue;  // a search of a second: the command's test runs it
    const auto section = part.run();
    ASSERT_TRUE(section.has_value()) << part.name;
    EXPECT_TRUE(!section->rows.empty() || section->chart.has_value()) << part.name;
    if (part.name == "health") {
      EXPECT_EQ(section->rows[2][3].text, "FAILED");  // broken: steady at 0.8
      EXPECT_EQ(section->rows[3][3].text, "passed");  // the adversary
    }
    if (part.name == "entropy") {
      for (const auto& row : section->rows) {
        EXPECT_GE(std::stod(row[2].text), std::stod(row[1].text) * 0.99) << row[0].text;
      }
    }
  }
}

}  // namespace
}  // namespace discreet::audit::source_test
