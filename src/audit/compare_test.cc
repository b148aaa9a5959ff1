// SPDX-License-Identifier: Apache-2.0
#include "audit/compare.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "audit/cases.h"

namespace discreet::audit::compare_test {
namespace {

Rational ratio(int n, int d) { return Rational::ratio(n, d); }

/// Masses over `whole`; what is missing is unresolved.
Distribution masses(std::initializer_list<std::pair<const char*, int>> parts, int whole) {
  Distribution d{.outcomes = {}, .unresolved = 1, .tapes = 1};
  for (const auto& [name, part] : parts) {
    d.outcomes.emplace(name, Bracket{ratio(part, whole), std::nullopt});
    d.unresolved = d.unresolved - ratio(part, whole);
  }
  return d;
}

Cost pure(const char* epsilon) { return pure_cost(Epsilon::parse(epsilon).value()); }
Cost approximate(const char* epsilon, const char* delta) {
  return {.epsilon = Epsilon::parse(epsilon).value(),
          .rho = std::nullopt,
          .delta = Delta::parse(delta).value()};
}

const Distribution kYes = masses({{"yes", 3}, {"no", 1}}, 4);
const Distribution kNo = masses({{"yes", 1}, {"no", 3}}, 4);

TEST(Compare, MeasuresAlmostRandomAsLogThree) {
  const Loss loss = measure_epsilon(kYes, kNo);
  EXPECT_EQ(loss.low.to_decimal(6, Round::kDown), "1.09861");
  EXPECT_EQ(loss.high->to_decimal(6, Round::kDown), "1.09861");
  EXPECT_LT(loss.low, *loss.high);
}

TEST(Compare, AcceptsTheTrueEpsilonAndRejectsOneJustBelow) {
  EXPECT_TRUE(judge(pure("1.0986123"), kYes, kNo).ok);
  const Verdict verdict = judge(pure("1.0986122"), kYes, kNo);
  EXPECT_FALSE(verdict.ok);
  EXPECT_NE(verdict.text.find("violated: epsilon is at least 1.098"), std::string::npos);
}

TEST(Compare, CallsAnImpossibleOutcomeInfinite) {
  const Distribution sure = masses({{"yes", 1}}, 1);
  EXPECT_EQ(judge(pure("1000"), sure, kNo).measured, "epsilon infinite to ?");
  EXPECT_FALSE(judge(pure("1000"), sure, kNo).ok);
  EXPECT_TRUE(judge(approximate("1.4", "0.75"), sure, kNo).ok);
  EXPECT_FALSE(judge(approximate("1.4", "0.74"), sure, kNo).ok);
}

TEST(Compare, NeverCertifiesMoreThanTheUnresolvedMassAllows) {
  // The unresolved half of the second could be all "yes": nothing is proved.
  const Distribution half = masses({{"no", 1}}, 2);
  const Distribution yes = masses({{"yes", 1}}, 2);
  EXPECT_EQ(measure_epsilon(yes, half).low, Rational(0));
  EXPECT_EQ(measure_delta(yes, half, Rational(1)).high, Rational(1));
  const Verdict verdict = judge(pure("0.001"), yes, half);
  EXPECT_FALSE(verdict.ok);
  EXPECT_EQ(verdict.text, "unresolved: the walk left 0.5 of the tapes, more than 0.02");
}

TEST(Compare, GivesNoVerdictWhenNothingWasWalked) {
  const Distribution empty = masses({}, 1);
  const Cost rho{
      .epsilon = std::nullopt, .rho = Rho::parse("0.001").value(), .delta = Delta::trusted(0)};
  for (const Verdict& verdict :
       {judge(pure("0.000001"), empty, empty), judge(approximate("1", "0.1"), empty, empty),
        judge(rho, empty, empty), judge_equality(empty, empty)}) {
    EXPECT_FALSE(verdict.ok || verdict.violated);
    EXPECT_EQ(verdict.text, "unresolved: the walk left 1 of the tapes, more than 0.02");
  }
}

TEST(Compare, BoundsTheUnresolvedMassOfEachSide) {
  const Distribution full = masses({{"yes", 50}, {"no", 50}}, 100);
  const Distribution just = masses({{"yes", 50}, {"no", 48}}, 100);
  const Distribution over = masses({{"yes", 50}, {"no", 47}}, 100);
  EXPECT_EQ(just.unresolved, kUnresolvedMax);
  EXPECT_TRUE(judge(pure("1"), full, just).ok);
  EXPECT_TRUE(judge(pure("1"), just, full).ok);
  EXPECT_FALSE(judge(pure("1"), full, over).ok);
  EXPECT_FALSE(judge(pure("1"), over, full).ok);
  EXPECT_FALSE(judge_equality(full, over).ok);
}

TEST(Compare, AProofOfViolationStandsWhateverIsUnresolved) {
  const Distribution yes = masses({{"yes", 90}}, 100);
  const Distribution no = masses({{"no", 90}}, 100);
  EXPECT_TRUE(judge(pure("1"), yes, no).violated);
}

TEST(Compare, GathersOutcomesThatProveLittleAlone) {
  // Alone each of 1, 2, 3 proves ln(5 / (1 + 1)); together they prove ln(15 / (3 + 1)).
  const Distribution a = masses({{"1", 5}, {"2", 5}, {"3", 5}, {"z", 4}}, 20);
  const Distribution b = masses({{"1", 1}, {"2", 1}, {"3", 1}, {"z", 16}}, 20);
  EXPECT_EQ(measure_epsilon(a, b).low.to_decimal(4, Round::kDown), "1.321");
  EXPECT_EQ(measure_epsilon(b, a).low.to_decimal(4, Round::kDown), "1.321");
}

TEST(Compare, BracketsDelta) {
  const DeltaBracket delta = measure_delta(kYes, kNo, Rational(0));
  EXPECT_EQ(delta.low, ratio(1, 2));
  EXPECT_EQ(delta.high, ratio(1, 2));
}

TEST(Compare, MeasuresRenyiDivergence) {
  // Order 2: ln(9/16 * 4/1 + 1/16 * 4/3) = ln(7/3).
  EXPECT_EQ(measure_renyi(kYes, kNo, 2).to_decimal(6, Round::kDown), "0.847297");
  // Order 5/4: 4 ln(3/4 3^(1/4) + 1/4 3^(-1/4)).
  EXPECT_EQ(measure_renyi(kYes, kNo, ratio(5, 4)).to_decimal(5, Round::kDown), "0.65192");
  // Order 2 beside delta 1/20: ln(0.7^2 4/1 + 1/16 4/3) + ln(19/20).
  EXPECT_EQ(measure_renyi(kYes, kNo, 2, ratio(1, 20)).to_decimal(5, Round::kDown), "0.66328");
}

TEST(Compare, TakesDeltaAwayBeforeItMeasuresEpsilon) {
  EXPECT_EQ(measure_epsilon(kYes, kNo, ratio(1, 4)).low.to_decimal(6, Round::kDown), "0.693147");
  EXPECT_EQ(measure_epsilon(kYes, kNo, ratio(3, 4)).low, Rational(0));
}

TEST(Compare, SaysHowMuchOfThePriceIsUsedUp) {
  EXPECT_EQ(judge(pure("2.1972246"), kYes, kNo).share->to_decimal(4, Round::kDown), "0.4999");
  EXPECT_EQ(judge(approximate("0.8", "0.5"), kYes, kNo).share->to_decimal(4, Round::kDown),
            "0.3872");  // of delta; epsilon at delta 1/2 is 0
  EXPECT_FALSE(judge_equality(kYes, kYes).share.has_value());
}

TEST(Compare, RejectsTooSmallARho) {  // order 5/4 proves 0.5215
  Cost claim{
      .epsilon = std::nullopt, .rho = Rho::parse("0.55").value(), .delta = Delta::trusted(0)};
  EXPECT_TRUE(judge(claim, kYes, kNo).ok);
  claim.rho = Rho::parse("0.52").value();
  EXPECT_FALSE(judge(claim, kYes, kNo).ok);
}

TEST(Compare, RejectsTooSmallADeltaBesideRho) {
  const Distribution sure = masses({{"yes", 1}}, 1);
  const Distribution mostly = masses({{"yes", 9}, {"no", 1}}, 10);
  Cost claim{
      .epsilon = std::nullopt, .rho = Rho::parse("0.01").value(), .delta = Delta::trusted(0)};
  EXPECT_FALSE(judge(claim, sure, mostly).ok);
  claim.delta = Delta::parse("0.05").value();
  EXPECT_FALSE(judge(claim, sure, mostly).ok);
  claim.delta = Delta::parse("0.1").value();
  EXPECT_TRUE(judge(claim, sure, mostly).ok);
}

TEST(Compare, FindsADistributionThatIsNotTheTheorems) {
  Distribution d = kYes;
  d.outcomes.at("yes").theorem = Range{ratio(3, 4), ratio(3, 4)};
  EXPECT_TRUE(measure_fit(d).worst.empty());
  EXPECT_TRUE(measure_fit(d).known);
  d.outcomes.at("no").theorem = Range{ratio(249, 1000), ratio(249, 1000)};
  EXPECT_EQ(measure_fit(d).worst, "no");
  EXPECT_EQ(measure_fit(d).distance_low.to_decimal(3, Round::kDown), "0.000999");
  EXPECT_FALSE(judge(pure("2"), d, kNo).ok);
}

// The certified bound never exceeds the truth, wherever the walk was cut off.
RC_GTEST_PROP(Compare, NeverCertifiesMoreThanTheTruth, ()) {
  const int yes = *rc::gen::inRange(1, 1000);
  const int no = *rc::gen::inRange(1, 1000);
  const int cut_yes = *rc::gen::inRange(0, yes);
  const int cut_no = *rc::gen::inRange(0, 1000 - yes);
  const Distribution truth = masses({{"y", yes}, {"n", 1000 - yes}}, 1000);
  const Distribution other = masses({{"y", no}, {"n", 1000 - no}}, 1000);
  const Distribution cut = masses({{"y", yes - cut_yes}, {"n", 1000 - yes - cut_no}}, 1000);
  RC_ASSERT(measure_epsilon(cut, other).low <= *measure_epsilon(truth, other).high);
  const DeltaBracket whole = measure_delta(truth, other, ratio(1, 10));
  const DeltaBracket part = measure_delta(cut, other, ratio(1, 10));
  RC_ASSERT(part.low <= whole.high);
  RC_ASSERT(part.high >= whole.low);
  for (const Rational& order : {ratio(5, 4), Rational(2)}) {
    RC_ASSERT(measure_renyi(cut, other, order) <=
              measure_renyi(truth, other, order) + power_of_two(-100));
  }
  // Beside delta: no event that is likely enough leaves less.
  const int left_out = *rc::gen::inRange(0, yes);
  const Distribution given = masses({{"y", yes - left_out}, {"n", 1000 - yes}}, 1000 - left_out);
  RC_ASSERT(measure_renyi(cut, other, 2, ratio(left_out, 1000)) <=
            measure_renyi(given, other, 2) + power_of_two(-100));
}

}  // namespace
}  // namespace discreet::audit::compare_test
