// SPDX-License-Identifier: Apache-2.0
#include "local/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "mechanism/randomized_response.h"

namespace discreet::local::estimate_test {
namespace {

Rational parse(const std::string& text) { return Rational::parse(text).value(); }
Confidence confidence(const char* text) { return Confidence::parse(text).value(); }
Epsilon epsilon(const char* text) { return Epsilon::parse(text).value(); }

Estimate estimate(const ResponseRule& rule, std::uint64_t ones, std::uint64_t count,
                  const char* c = "0.95") {
  return estimate_share(rule, {.ones = ones, .count = count}, confidence(c)).value();
}

/// The exact law of the number of ones among n replies when `truths` of the n bits are 1 and each
/// is kept with probability `keep`.
std::vector<Rational> law_of_ones(int n, int truths, const Rational& keep) {
  std::vector<Rational> law = {1};
  for (int i = 0; i < n; ++i) {
    const Rational one = i < truths ? keep : Rational(1) - keep;
    std::vector<Rational> next(law.size() + 1, Rational(0));
    for (std::size_t k = 0; k < law.size(); ++k) {
      next[k] = next[k] + law[k] * (Rational(1) - one);
      next[k + 1] = next[k + 1] + law[k] * one;
    }
    law = std::move(next);
  }
  return law;
}

/// The exact probability that |estimate - share| < half_width * shrink.
Rational coverage(int n, int truths, const Rational& alpha, const char* c, const Rational& shrink) {
  const ResponseRule rule = ResponseRule::by_bias(alpha).value();
  const auto law = law_of_ones(n, truths, Rational::ratio(1, 2) + alpha);
  const Rational share = Rational::ratio(truths, n);
  Rational covered = 0;
  for (int k = 0; k <= n; ++k) {
    const Estimate e =
        estimate(rule, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(n), c);
    if ((e.share - share).abs() < e.half_width * shrink)
      covered = covered + law[static_cast<std::size_t>(k)];
  }
  return covered;
}

// L0: n = 10^6, epsilon = 1, 95 %. The lecture prints a half width made with a base-10 logarithm.
TEST(MedicalSurvey, HalfWidthIs0_00294) {
  const Estimate e = estimate(ResponseRule::by_epsilon(epsilon("1")), 400'000, 1'000'000);
  EXPECT_EQ(e.half_width.to_decimal(3, Round::kUp), "0.00294");
  EXPECT_GT(e.half_width, parse("0.002938"));
  EXPECT_LT(e.half_width, parse("0.002939"));
  // (1+e)/(e-1) * (0.4 - 1/(1+e))
  const double expected = (1 + M_E) / (M_E - 1) * (0.4 - 1 / (1 + M_E));
  EXPECT_NEAR(e.share.to_double(Round::kDown), expected, 1e-12);
  EXPECT_LT(e.low, e.share);
  EXPECT_LT(e.share, e.high);
}

TEST(Estimate, IsUnbiasedForEveryDataSet) {
  for (const char* alpha : {"1/4", "1/100", "0.49"}) {
    const ResponseRule rule = ResponseRule::by_bias(parse(alpha)).value();
    for (int n : {1, 5, 8}) {
      for (int truths = 0; truths <= n; ++truths) {
        const auto law = law_of_ones(n, truths, Rational::ratio(1, 2) + parse(alpha));
        Rational mean = 0;
        for (int k = 0; k <= n; ++k) {
          mean = mean + law[static_cast<std::size_t>(k)] * estimate(rule,
                                                                    static_cast<std::uint64_t>(k),
                                                                    static_cast<std::uint64_t>(n))
                                                               .share;
        }
        // The gain is rounded to 256 bits, so unbiased up to that.
        EXPECT_LT((mean - Rational::ratio(truths, n)).abs(), power_of_two(-200));
      }
    }
  }
}

TEST(Estimate, CoversTheTruthAtLeastAsOftenAsItSays) {
  for (const char* alpha : {"1/4", "1/100", "0.45"}) {
    for (int n : {1, 10, 100}) {
      for (int truths : {0, n / 3, n}) {
        for (const char* c : {"0.5", "0.95", "0.999"}) {
          EXPECT_GE(coverage(n, truths, parse(alpha), c, 1), parse(c))
              << alpha << " " << n << " " << truths << " " << c;
        }
      }
    }
  }
}

// The lecture's 0.89 in place of 1.358 (a base-10 logarithm): exact coverage falls below 95 %.
TEST(Estimate, CoverageTestCatchesTheBaseTenLogarithm) {
  const Rational shrink = Rational::ratio(6590, 10000);  // sqrt(1/ln 10), rounded up
  EXPECT_LT(coverage(100, 50, parse("1/100"), "0.95", shrink), parse("0.95"));
}

TEST(Estimate, ByEpsilonAgreesWithByBias) {
  // keep = e^eps/(1+e^eps) = 3/4 at eps = ln 3, which lies between these two.
  const auto low = ResponseRule::by_epsilon(epsilon("1.0986122886681096"));
  const auto high = ResponseRule::by_epsilon(epsilon("1.0986122886681097"));
  const Rational almost = estimate(ResponseRule::almost_random(), 3, 4).share;
  EXPECT_EQ(almost, 1);
  EXPECT_GT(estimate(low, 3, 4).share, almost);  // less kept, more stretched
  EXPECT_LT(estimate(high, 3, 4).share, almost);
  EXPECT_EQ(estimate(ResponseRule::by_bias(parse("1/4")).value(), 1, 4).share,
            estimate(ResponseRule::almost_random(), 1, 4).share);
}

// The estimator undoes the coin that the mechanism throws: gain * (2 keep - 1) = 1.
TEST(Estimate, UndoesTheMechanismsCoin) {
  using mechanism::RandomizedResponse;
  const std::pair<ResponseRule, RandomizedResponse> pairs[] = {
      {ResponseRule::by_epsilon(epsilon("1")),
       RandomizedResponse::make({.epsilon = epsilon("1")}).value()},
      {ResponseRule::by_epsilon(epsilon("1/1000")),
       RandomizedResponse::make({.epsilon = epsilon("1/1000")}).value()},
      {ResponseRule::by_bias(parse("1/3")).value(),
       RandomizedResponse::with_bias(parse("1/3")).value()},
      {ResponseRule::almost_random(), RandomizedResponse::almost_random()},
  };
  for (const auto& [rule, coin] : pairs) {
    const Interval keep = coin.keep_probability()(256);
    const Interval one = rule.gain(256) * (keep + keep - Interval::around(1, 256));
    EXPECT_LE(one.low(), 1) << coin.parameter();
    EXPECT_GE(one.high(), 1) << coin.parameter();
    EXPECT_LT(one.high() - one.low(), power_of_two(-200)) << coin.parameter();
  }
}

TEST(Estimate, LastsFromTinyToHugeEpsilon) {
  for (const char* e : {"1e-300", "1e-9", "1e9", "1099511627776"}) {
    const Estimate got = estimate(ResponseRule::by_epsilon(epsilon(e)), 1, 2);
    EXPECT_EQ(got.share, Rational::ratio(1, 2)) << e;
    EXPECT_GT(got.half_width, 0) << e;
    EXPECT_TRUE(got.low < got.share && got.share < got.high) << e;
  }
  const Estimate certain = estimate(ResponseRule::by_epsilon(epsilon("1e9")), 3, 4);
  EXPECT_LT((certain.share - parse("0.75")).abs(), power_of_two(-200));
  EXPECT_EQ(estimate(ResponseRule::almost_random(), UINT64_MAX, UINT64_MAX).share, parse("1.5"));
}

TEST(Estimate, RefusesWhatIsNoSurvey) {
  const ResponseRule rule = ResponseRule::almost_random();
  EXPECT_EQ(estimate_share(rule, {.ones = 0, .count = 0}, default_confidence()).error().code,
            Code::kInvalidInput);
  EXPECT_EQ(estimate_share(rule, {.ones = 2, .count = 1}, default_confidence()).error().code,
            Code::kInvalidInput);
  for (const char* alpha : {"0", "-1/4", "1/2", "1"}) {
    EXPECT_EQ(ResponseRule::by_bias(parse(alpha)).error().message,
              "the bias must lie strictly between 0 and 1/2, such as 1/4; got '" +
                  parse(alpha).to_string() + "'");
  }
}

}  // namespace
}  // namespace discreet::local::estimate_test
