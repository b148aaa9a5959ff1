// SPDX-License-Identifier: Apache-2.0
#include "audit/walk.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <utility>

#include "random/tries.h"

namespace discreet::audit::walk_test {
namespace {

/// 1 with probability 1/3, from fair coins: compare with 0.010101... in binary.
template <class B>
int third(B& bits) {
  for (std::uint64_t digit = 0;; digit ^= 1) {
    const std::uint64_t bit = bits.take(1);
    if (bit != digit) return bit < digit ? 1 : 0;
  }
}

/// The number of heads before the first tail.
template <class B>
int heads(B& bits) {
  int count = 0;
  while (bits.take(1) == 1) ++count;
  return count;
}

TEST(WalkedTape, HandsOutItsBitsFirstBitMostSignificant) {
  WalkedTape<3> tape(Uint128{0b1011'0001} << 120, 8);
  EXPECT_EQ(tape.take(1), 1u);
  EXPECT_EQ(tape.take(3), 0b011u);
  EXPECT_EQ(tape.take(4), 0b0001u);
  EXPECT_EQ(tape.used(), 8);
  EXPECT_ANY_THROW(tape.take(1));
  EXPECT_EQ(tape.used(), 8);
}

TEST(WalkedTape, TakesWholeWordsOf64Bits) {
  const Uint128 fraction = (Uint128{0x0123456789abcdef} << 64) | (Uint128{1} << 63);
  WalkedTape<6> tape(fraction, kTapeMax);
  EXPECT_EQ(tape.take(64), 0x0123456789abcdefu);
  EXPECT_EQ(tape.take(2), 2u);
  EXPECT_EQ(tape.take(60), 0u);
  EXPECT_ANY_THROW(tape.take(1));
}

TEST(Walk, GivesDyadicProbabilitiesExactly) {
  const auto walked = Walk({.depth = 10}).run<1>([](Tape<1>& tape) { return heads(tape); });
  ASSERT_EQ(walked.mass.size(), 10u);
  for (const auto& [count, mass] : walked.mass) {
    EXPECT_EQ(walked.probability(mass), power_of_two(-count - 1));
  }
  EXPECT_EQ(walked.unresolved(), power_of_two(-10));
  EXPECT_EQ(walked.runs, 11u);
}

TEST(Walk, BracketsAThird) {
  const auto walked = Walk({.depth = 40}).run<1>([](Tape<1>& tape) { return third(tape); });
  const Rational third_exactly = Rational::ratio(1, 3);
  EXPECT_LE(walked.probability(walked.mass.at(1)), third_exactly);
  EXPECT_GE(walked.probability(walked.mass.at(1)) + walked.unresolved(), third_exactly);
  EXPECT_EQ(walked.unresolved(), power_of_two(-40));
}

/// Uniform below n, below 2^k: more is rejected.
template <class B>
std::uint64_t uniform(std::uint64_t n, int k, B& bits) {
  for (random::Tries tries(bits);; tries.again()) {
    const std::uint64_t draw = bits.take(k);
    if (draw < n) return draw;
  }
}

const Rational kRounding = power_of_two(-30);

TEST(Walk, SendsRejectionsBackToWhereTheLoopBegan) {
  const auto walked = Walk({.depth = 2}).run<1>([](Tape<1>& tape) { return uniform(3, 2, tape); });
  EXPECT_EQ(walked.runs, 4u);
  ASSERT_EQ(walked.mass.size(), 3u);
  for (const auto& [draw, mass] : walked.mass) {
    EXPECT_LE(walked.probability(mass), Rational::ratio(1, 3));
    EXPECT_GE(walked.probability(mass), Rational::ratio(1, 3) - kRounding);
  }
  EXPECT_LE(walked.unresolved(), 3 * kRounding);
}

// What is rejected in the second loop says nothing about the first: the first draw stays uniform,
// though the second is rejected more often after a 0.
TEST(Walk, SpreadsARejectionOverItsOwnLoopOnly) {
  const auto walked = Walk({.depth = 6}).run<1>([](Tape<1>& tape) {
    const std::uint64_t first = uniform(3, 2, tape);
    return std::pair(first, uniform(first == 0 ? 5 : 16, first == 0 ? 3 : 4, tape));
  });
  ASSERT_EQ(walked.mass.size(), 5u + 16u + 16u);
  for (const auto& [draws, mass] : walked.mass) {
    const Rational right = Rational::ratio(1, draws.first == 0 ? 15 : 48);
    EXPECT_LE(walked.probability(mass), right);
    EXPECT_GE(walked.probability(mass), right - kRounding);
  }
}

// A loop around a loop: the outer one's rejections are sent back through the inner one's.
TEST(Walk, SendsRejectionsBackThroughLoopsWithin) {
  const auto walked = Walk({.depth = 2}).run<1>([](Tape<1>& tape) {
    for (random::Tries tries(tape);; tries.again()) {
      const std::uint64_t draw = uniform(3, 2, tape);
      if (draw < 2) return draw;
    }
  });
  ASSERT_EQ(walked.mass.size(), 2u);
  EXPECT_GE(walked.probability(walked.mass.at(1)), Rational::ratio(1, 2) - kRounding);
  EXPECT_LE(walked.probability(walked.mass.at(1)), Rational::ratio(1, 2));
}

TEST(Walk, LeavesACutLoopsRestUnresolved) {
  const auto walked = Walk({.depth = 4}).run<1>([](Tape<1>& tape) {
    for (random::Tries tries(tape);; tries.again()) {
      if (tape.take(1) == 0) continue;                                // 1/2 is rejected
      return tape.take(1) == 0 ? 7 : static_cast<int>(tape.take(9));  // 1/4 is cut off
    }
  });
  EXPECT_GE(walked.probability(walked.mass.at(7)), Rational::ratio(1, 2) - kRounding);
  EXPECT_LE(walked.probability(walked.mass.at(7)), Rational::ratio(1, 2));
}

TEST(Walk, CountsAProgramThatReadsNothing) {
  const auto walked = Walk({.depth = 5}).run<2>([](Tape<2>&) { return std::string("always"); });
  EXPECT_EQ(walked.runs, 1u);
  EXPECT_EQ(walked.probability(walked.mass.at("always")), Rational(1));
  EXPECT_EQ(walked.unresolved(), Rational(0));
}

TEST(Walk, LeavesWideReadsPastTheDepthUnresolved) {
  const auto walked = Walk({.depth = 20}).run<6>([](Tape<6>& tape) {
    return tape.take(1) == 0 ? std::uint64_t{7} : tape.take(64);
  });
  EXPECT_EQ(walked.probability(walked.mass.at(7)), power_of_two(-1));
  EXPECT_EQ(walked.unresolved(), power_of_two(-1));
  EXPECT_EQ(walked.runs, 2u);
}

TEST(Walk, StopsAtItsCapAndCallsTheRestUnresolved) {
  const auto walked =
      Walk({.depth = 30, .runs_max = 100}).run<6>([](Tape<6>& tape) { return tape.take(20); });
  EXPECT_EQ(walked.runs, 100u);
  EXPECT_EQ(walked.unresolved(), Rational(1) - Rational(100) * power_of_two(-20));
}

TEST(Walk, WeighsABiasedCoinExactly) {
  const Coin coin{.ones = 33, .bits = 6};
  const auto walked =
      Walk({.depth = 12, .coin = coin}).run<1>([](Tape<1>& tape) { return heads(tape); });
  EXPECT_EQ(walked.probability(walked.mass.at(0)), Rational::ratio(31, 64));
  EXPECT_EQ(walked.probability(walked.mass.at(2)), Rational::ratio(33 * 33 * 31, 64 * 64 * 64));
}

TEST(Walk, ProgressNeverFalls) {
  int last = 0;
  int calls = 0;
  const auto walked = Walk({.depth = 20,
                            .progress =
                                [&](int permille) {
                                  EXPECT_GE(permille, last);
                                  EXPECT_LE(permille, 1000);
                                  last = permille;
                                  ++calls;
                                }})
                          .run<4>([](Tape<4>& tape) { return tape.take(14); });
  EXPECT_EQ(walked.runs, 1u << 14);
  EXPECT_EQ(calls, 15);
}

TEST(WalkDeathTest, RefusesAProgramThatIsNotAFunctionOfItsTape) {
  int run = 0;
  EXPECT_EXIT(
      (void)Walk({.depth = 8}).run<1>([&](Tape<1>& tape) { return ++run == 1 ? tape.take(4) : 0; }),
      testing::ExitedWithCode(70), "used");
}

// A uniform choice below n by rejection: each value gets the same mass, whatever n and the width.
RC_GTEST_PROP(Walk, GivesEachValueOfAUniformChoiceTheSameMass, ()) {
  const auto n = static_cast<std::uint64_t>(*rc::gen::inRange(1, 30));
  const auto walked = Walk({.depth = 10}).run<5>([n](Tape<5>& tape) {
    std::uint64_t draw = tape.take(5);
    while (draw >= n) draw = tape.take(5);
    return draw;
  });
  RC_ASSERT(walked.mass.size() == n);
  for (const auto& [value, mass] : walked.mass) RC_ASSERT(mass == walked.mass.at(0));
}

}  // namespace
}  // namespace discreet::audit::walk_test
