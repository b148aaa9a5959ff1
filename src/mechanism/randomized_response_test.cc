// SPDX-License-Identifier: Apache-2.0
#include "mechanism/randomized_response.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/tails.h"
#include "mechanism/tape_for_tests.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::randomized_response_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

RandomizedResponse by_epsilon(const char* epsilon) {
  return RandomizedResponse::make({.epsilon = epsilon_of(epsilon)}).value();
}
RandomizedResponse by_bias(const char* bias) {
  return RandomizedResponse::with_bias(rational(bias)).value();
}

Tabulated<bool> tabulate_reply(const RandomizedResponse& response, bool bit) {
  const Sensitive<bool> sealed(bit);
  return tabulate<1>(24,
                     [&](auto& tape) { return Door::replay(response, sealed, tape).outcome(); });
}

TEST(RandomizedResponse, KeepsWithExactlyItsProbabilityOnEveryTape) {
  for (const RandomizedResponse& response :
       {by_epsilon("1"), by_epsilon("1/10"), by_epsilon("7"), by_bias("1/3")}) {
    for (const bool bit : {false, true}) {
      const Tabulated<bool> table = tabulate_reply(response, bit);
      EXPECT_LE(table.cut_off, power_of_two(-23));
      const Interval keep = response.keep_probability()(128);
      EXPECT_LE(table.low(bit), keep.high());
      EXPECT_GE(table.high(bit), keep.low());
      // Planted: the bias of lecture 4 as it was transcribed, twice too large, is seen.
      const Rational wrong = keep.high() * Rational(2) - rational("1/2");
      EXPECT_GT(wrong, table.high(bit));
    }
  }
}

TEST(RandomizedResponse, KeepAndFlipAreTwoSidesOfOneCoin) {
  for (const RandomizedResponse& response : {by_epsilon("3"), by_bias("0.4")}) {
    const Interval sum = response.keep_probability()(256) + response.flip_probability()(256);
    EXPECT_LE(sum.low(), Rational(1));
    EXPECT_GE(sum.high(), Rational(1));
    EXPECT_LT(sum.high() - sum.low(), power_of_two(-250));
  }
}

// Heads: the true bit; tails: another coin. All four outcomes of two coins, counted.
TEST(AlmostRandom, IsTheTwoCoinsOfTheLecture) {
  const RandomizedResponse response = RandomizedResponse::almost_random();
  for (const bool bit : {false, true}) {
    const auto two_coins = tabulate<1>(2, [&](auto& tape) {
      const bool heads = tape.take(1) == 1;
      const bool other = tape.take(1) == 1;
      return heads ? bit : other;
    });
    const Tabulated<bool> ours = tabulate_reply(response, bit);
    EXPECT_EQ(ours.cut_off, Rational(0));
    EXPECT_EQ(ours.mass, two_coins.mass);
    EXPECT_EQ(ours.low(bit), rational("3/4"));
  }
  EXPECT_EQ(response.epsilon().value(), rational("1.098612288668109692"));  // ln 3, rounded up
}

TEST(RandomizedResponse, EpsilonOfABiasIsNeverBelowTheTruth) {
  for (const char* bias : {"1e-20", "0.001", "1/4", "0.4999999999", "123/1000"}) {
    const RandomizedResponse response = by_bias(bias);
    const Rational ratio = (rational("1/2") + rational(bias)) / (rational("1/2") - rational(bias));
    const Rational e = response.epsilon().value();
    EXPECT_FALSE(certainly_less(exp(Interval::around(e, 256)), Interval::around(ratio, 256)));
    EXPECT_TRUE(certainly_less(exp(Interval::around(e - rational("1.01e-18"), 256)),
                               Interval::around(ratio, 256)));
  }
}

TEST(RandomizedResponse, RefusesABiasOutsideTheOpenHalf) {
  for (const char* bias : {"0", "-1/4", "1/2", "1"}) {
    const auto refused = RandomizedResponse::with_bias(rational(bias));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("between 0 and 1/2"), std::string::npos);
  }
}

TEST(RandomizedResponse, StandsTheExtremesOfEpsilon) {
  for (const char* epsilon : {"1e-900", "1099511627776"}) {
    const RandomizedResponses responses(by_epsilon(epsilon));
    const auto replies =
        Door::release(responses, Sensitive(Bytes(1000, 1)), cli::OwnValues::for_use_of(responses));
    ASSERT_TRUE(replies);
    const auto kept = std::count(replies->value().begin(), replies->value().end(), 1);
    EXPECT_TRUE(epsilon_of(epsilon) < epsilon_of("1") || kept == 1000);
  }
}

TEST(RandomizedResponse, CostsOneEpsilonHoweverManyPeopleReply) {
  const RandomizedResponses responses(by_epsilon("2"));
  EXPECT_EQ(responses.cost(), pure_cost(epsilon_of("2")));
  EXPECT_EQ(responses.noise().text, "randomized-responses(epsilon=2)");
  EXPECT_EQ(by_bias("1/4").noise().text, "randomized-response(bias=0.25)");
  EXPECT_NE(responses.noise(), by_epsilon("2").noise());
}

TEST(RandomizedResponses, FlipEachBitByItsOwnCoinOnEveryTape) {
  const RandomizedResponses responses(by_bias("1/4"));
  const Sensitive sealed(Bytes{1, 0});
  const auto table =
      tabulate<1>(8, [&](auto& tape) { return Door::replay(responses, sealed, tape).outcome(); });
  EXPECT_EQ(table.low({1, 0}), rational("9/16"));
  EXPECT_EQ(table.low({0, 0}), rational("3/16"));
  EXPECT_EQ(table.low({1, 1}), rational("3/16"));
  EXPECT_EQ(table.low({0, 1}), rational("1/16"));
}

// The block path on real bits. The number kept is binomial; seven deviations: false alarm < 10^-11.
TEST(RandomizedResponses, BlocksKeepTheRightShare) {
  const RandomizedResponses responses(by_bias("1/4"));
  constexpr int kBits = 4'000'000;
  Bytes answers(kBits);
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = i % 3 == 0 ? 1 : 0;
  const auto replies =
      Door::release(responses, Sensitive(answers), cli::OwnValues::for_use_of(responses));
  ASSERT_TRUE(replies);
  int kept = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_LE(replies->value()[i], 1);
    kept += replies->value()[i] == answers[i] ? 1 : 0;
  }
  const auto plausible = [](int count, double share) {
    const double deviation = std::sqrt(kBits * share * (1 - share));
    return std::abs(count - kBits * share) < 7 * deviation;
  };
  EXPECT_TRUE(plausible(kept, 0.75));
  EXPECT_FALSE(plausible(kept, 0.7475));  // planted: a coin that is off by a quarter of a percent
}

TEST(RandomizedResponses, TakeEmptyAndOddArrays) {
  const RandomizedResponses responses(by_epsilon("1"));
  for (const std::size_t n : {0, 1, 63, 1025}) {
    const auto replies =
        Door::release(responses, Sensitive(Bytes(n, 7)), cli::OwnValues::for_use_of(responses));
    ASSERT_TRUE(replies);
    EXPECT_EQ(replies->value().size(), n);
  }
  EXPECT_EQ(RandomizedResponses::coordinates({0, 9}), (std::vector<Int128>{0, 1}));
  EXPECT_EQ(RandomizedResponses::describe({0, 1, 1}), "011");
}

}  // namespace
}  // namespace discreet::mechanism::randomized_response_test
