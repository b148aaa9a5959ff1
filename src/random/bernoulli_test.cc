// SPDX-License-Identifier: Apache-2.0
#include "random/bernoulli.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "random/exp_bracket.h"
#include "random/real_coin.h"
#include "random/reference.h"
#include "random/system_bits.h"
#include "random/tape_for_tests.h"

namespace discreet::random::bernoulli_test {
namespace {

Rational parse(const char* text) { return Rational::parse(text).value(); }

template <class Found>
void expect_probability(const Found& found, const Real& p, const Rational& unresolved_max) {
  const Interval truth = p(200);
  EXPECT_TRUE(agrees(found, true, truth.low(), truth.high()));
  EXPECT_LE(found.unresolved, unresolved_max);
}

TEST(RealCoin, HasExactlyItsProbabilityOnAllTapesOfEveryWidth) {
  for (const char* x : {"-1", "-1/3", "-5", "-1/1000"}) {
    const RealCoin coin(exp_real(parse(x)));
    const auto flip = [&](auto& tape) { return coin.flip(tape); };
    expect_probability(enumerate<1>(20, flip), exp_real(parse(x)), power_of_two(-20));
    expect_probability(enumerate<3>(18, flip), exp_real(parse(x)), power_of_two(-18));
    expect_probability(enumerate<6>(24, flip), exp_real(parse(x)), power_of_two(-24));
  }
}

TEST(RealCoin, EndsExactlyWhenItsProbabilityDoes) {
  for (const char* p : {"1/2", "3/8", "5/8"}) {
    const RealCoin coin(real(parse(p)));
    const auto found = enumerate<1>(4, [&](auto& tape) { return coin.flip(tape); });
    EXPECT_EQ(found.unresolved, Rational(0));
    EXPECT_TRUE(agrees(found, true, parse(p), parse(p)));
  }
}

TEST(RealCoin, OfProbabilityOneAlmostSurelyShowsHeads) {
  const RealCoin coin(real(Rational(1)));
  const auto found = enumerate<4>(12, [&](auto& tape) { return coin.flip(tape); });
  EXPECT_FALSE(found.at_least.contains(false));
}

// 64 bits of both agree: only then are more digits of the probability worked out.
TEST(RealCoin, ComparesPastSixtyFourDigits) {
  const Real p = exp_real(Rational(-1));
  const RealCoin coin(p);
  const Integer digits = digits_of(p, 72);
  const std::uint64_t next = Integer(digits & 255).get_ui();
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    if (byte == next) continue;
    std::vector<bool> tape;
    for (int i = 7; i >= 0; --i) tape.push_back((byte >> i & 1) != 0);
    TestTape<8> bits(tape);
    EXPECT_EQ(coin.flip_with(coin.prefix(), bits), byte < next);
  }
}

TEST(ExpBracket, HoldsTheTrueDigitsAndIsNarrow) {
  rc::check([](std::uint64_t x, std::uint8_t slack) {
    const Bracket bracket = exp_bracket(x, slack);
    RC_ASSERT(bracket.high - bracket.low <= std::uint64_t{20} + slack);
    for (const std::uint64_t shift : {std::uint64_t{0}, std::uint64_t{slack}}) {
      const Integer at =
          Integer(static_cast<unsigned long>(x)) + Integer(static_cast<unsigned long>(shift));
      const std::uint64_t truth =
          digits_of(exp_real(-(Rational(at) * power_of_two(-64))), 64).get_ui();
      RC_ASSERT(bracket.low <= truth && truth <= bracket.high);
    }
  });
  for (const std::uint64_t x : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    const Bracket bracket = exp_bracket(x, 1);
    const Real truth =
        exp_real(-(Rational(Integer(static_cast<unsigned long>(x))) * power_of_two(-64)));
    const std::uint64_t digits = digits_of(truth, 64).get_ui();
    EXPECT_TRUE(bracket.low <= digits && digits <= bracket.high) << x;
  }
}

TEST(Bernoulli, IsExactOnAllTapes) {
  for (const char* p : {"0", "1", "1/2", "3/4", "1/3", "5/7", "999/1000"}) {
    const auto found = enumerate<2>(16, [&](auto& tape) { return bernoulli(parse(p), tape); });
    EXPECT_TRUE(agrees(found, true, parse(p), parse(p))) << p;
    EXPECT_LE(found.unresolved, power_of_two(-16)) << p;
  }
}

TEST(BernoulliExp, IsExactOnAllTapes) {
  for (const char* x :
       {"1/2", "1", "3/2", "7/3", "1/1000", "999999999999999999999/1000000000000000000000"}) {
    const auto flip = [&](auto& tape) { return bernoulli_exp(parse(x), tape); };
    expect_probability(enumerate<3>(24, flip), exp_real(-parse(x)), power_of_two(-12));
    expect_probability(enumerate<1>(20, flip), exp_real(-parse(x)), power_of_two(-12));
  }
}

TEST(BernoulliExp, AgreesWithTheReferenceSeries) {
  for (const char* x : {"1/2", "1/10", "9/10"}) {
    const auto fast = enumerate<1>(18, [&](auto& tape) { return bernoulli_exp(parse(x), tape); });
    const auto slow =
        enumerate<1>(18, [&](auto& tape) { return reference_bernoulli_exp(parse(x), tape); });
    const Rational low = fast.at_least.at(true);
    EXPECT_TRUE(agrees(slow, true, low, low + fast.unresolved)) << x;
    EXPECT_LE(slow.unresolved, parse("0.01")) << slow.unresolved.to_string();
  }
}

// A fault in each of the two places where one can hide: the exponent and the comparison.
TEST(BernoulliExp, MutantsAreRejected) {
  const Interval truth = exp_real(parse("-1/2"))(200);
  const auto scaled =
      enumerate<3>(24, [&](auto& tape) { return bernoulli_exp(parse("1001/2000"), tape); });
  EXPECT_FALSE(agrees(scaled, true, truth.low(), truth.high()));
  const auto off_by_one = enumerate<3>(24, [&](auto& tape) {
    const Bracket right = bracket_of(exp_real(parse("-1/2")));
    const Bracket wrong{right.low + (std::uint64_t{1} << 44),
                        right.high + (std::uint64_t{1} << 44)};
    return uniform_is_below(0, 0, wrong, [](int) { return Integer(0); }, tape);
  });
  EXPECT_FALSE(agrees(off_by_one, true, truth.low(), truth.high()));
}

TEST(BernoulliExp, IsQuickForHugeExponents) {
  SystemBits& bits = *SystemBits::this_thread().value();
  const Rational huge = power_of_two(70) + parse("1/3");
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(bernoulli_exp(huge, bits));
  EXPECT_TRUE(bernoulli_exp(Rational(0), bits));
}

TEST(ExpCoin, AgreesWithBernoulliExpWhateverTheSizeOfItsRate) {
  for (const char* rate : {"1/3", "0", "2", "1/30000000000000000000000000000000"}) {
    for (const std::uint64_t d : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4}}) {
      const ExpCoin coin(parse(rate));
      const auto found = enumerate<3>(21, [&](auto& tape) { return coin.flip(d, tape); });
      expect_probability(found, exp_real(-(parse(rate) * Rational(static_cast<std::int64_t>(d)))),
                         parse("0.01"));
    }
  }
}

TEST(UniformBelow, IsExactForBigIntegers) {
  const auto found = enumerate<3>(18, [](auto& tape) { return uniform_below(Integer(5), tape); });
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(agrees(found, Integer(i), parse("1/5"), parse("1/5")));
  EXPECT_LE(found.unresolved, parse("0.003"));
  SystemBits& bits = *SystemBits::this_thread().value();
  const Integer n = (Integer(1) << 200) + 1;
  for (int i = 0; i < 100; ++i) EXPECT_LT(uniform_below(n, bits), n);
}

TEST(Geometric, IsExactOnAllTapes) {
  for (const char* scale : {"1", "1/2", "2", "3/2"}) {
    const Rational epsilon = Rational(1) / parse(scale);
    const auto found = enumerate<1>(20, [&](auto& tape) { return geometric(parse(scale), tape); });
    for (int g = 0; g < 4; ++g) {
      const Interval q = exp(Interval::around(-epsilon, 200));
      Interval p = Interval::around(1, 200) - q;
      for (int i = 0; i < g; ++i) p = p * q;
      EXPECT_TRUE(agrees(found, Integer(g), p.low(), p.high())) << scale << " " << g;
    }
    EXPECT_LE(found.unresolved, parse("0.05")) << scale << found.unresolved.to_string();
  }
}

}  // namespace
}  // namespace discreet::random::bernoulli_test
