// SPDX-License-Identifier: Apache-2.0
#include "random/health.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "numeric/rational.h"

namespace discreet::random::health_test {
namespace {

// SplitMix64: a fixed stream that looks uniform.
class Healthy {
 public:
  explicit Healthy(std::uint64_t seed) : state_(seed) {}
  std::uint64_t word() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(word()); }
  std::vector<std::uint8_t> bytes(std::size_t count) {
    std::vector<std::uint8_t> out(count);
    for (std::uint8_t& b : out) b = byte();
    return out;
  }

 private:
  std::uint64_t state_;
};

Rational power(const Rational& base, unsigned exponent) {
  Rational result(1);
  for (unsigned i = 0; i < exponent; ++i) result = result * base;
  return result;
}

// Pr[Bin(trials, p) >= least]. With p = a/d, c = d - a and t[k] = C(n,k) a^k c^(n-k) it is
// 1 - (t[0] + .. + t[least-1]) / d^n, and t[k+1] = t[k] a (n-k) / (c (k+1)).
Rational upper_tail(unsigned trials, const Rational& p, unsigned least) {
  const Integer a = p.numerator();
  const Integer c = p.denominator() - a;
  Integer term;
  mpz_pow_ui(term.get_mpz_t(), c.get_mpz_t(), trials);
  Integer sum = 0;
  for (unsigned k = 0; k < least; ++k) {
    sum += term;
    term = term * (a * (trials - k)) / (c * (k + 1));
  }
  Integer all;
  mpz_pow_ui(all.get_mpz_t(), p.denominator().get_mpz_t(), trials);
  return Rational(1) - Rational::ratio(sum, all);
}

// Whether 1 + critbinom(window, p, 1 - alpha) = cutoff: Bin exceeds cutoff - 1 with at most alpha,
// and cutoff - 2 with more.
bool is_proportion_cutoff(unsigned cutoff, unsigned window, const Rational& p,
                          const Rational& alpha) {
  return upper_tail(window, p, cutoff) <= alpha && upper_tail(window, p, cutoff - 1) > alpha;
}

// The least root of x^2 = 1/2 from both sides, to 60 bits: 2^-H for H = 1/2. The cut-off grows with
// p, so if it is right at both ends it is right between them.
std::array<Rational, 2> inverse_square_root_of_two() {
  Integer root;
  const Integer radicand = Integer(1) << 119;
  mpz_sqrt(root.get_mpz_t(), radicand.get_mpz_t());
  return {Rational::ratio(root, Integer(1) << 60), Rational::ratio(root + 1, Integer(1) << 60)};
}

TEST(Health, CutoffsOfTheProductAreTheStandardsFormula) {
  EXPECT_EQ(HealthTests::kRepetitionCutoff, 6u);
  EXPECT_TRUE(is_proportion_cutoff(HealthTests::kProportionCutoff, HealthTests::kProportionWindow,
                                   power_of_two(-8), power_of_two(-40)));
}

TEST(Health, TheSameFormulaGivesTheStandardsOtherValues) {
  struct Row {
    unsigned twice_h;
    int alpha_log2;
    unsigned repetition;
    unsigned window;
    unsigned proportion;
  };
  const Row rows[] = {
      {2, 20, 21, 1024, 589}, {2, 30, 31, 1024, 609}, {2, 40, 41, 1024, 625},
      {16, 20, 4, 512, 13},   {16, 30, 5, 512, 16},   {16, 40, 6, 512, 19},
      {8, 20, 6, 512, 62},    {8, 30, 9, 512, 71},    {8, 40, 11, 512, 78},
      {1, 20, 41, 1024, 793}, {1, 30, 61, 1024, 810}, {1, 40, 81, 1024, 824},
  };
  for (const Row& row : rows) {
    const unsigned log2 = static_cast<unsigned>(row.alpha_log2);
    EXPECT_EQ(1 + (2 * log2 + row.twice_h - 1) / row.twice_h, row.repetition);
    const Rational alpha = power_of_two(-row.alpha_log2);
    std::vector<Rational> chances;
    if (row.twice_h == 1) {
      for (const Rational& p : inverse_square_root_of_two()) chances.push_back(p);
    } else {
      chances.push_back(power_of_two(-static_cast<int>(row.twice_h / 2)));
    }
    for (const Rational& p : chances) {
      EXPECT_TRUE(is_proportion_cutoff(row.proportion, row.window, p, alpha))
          << "H = " << row.twice_h << "/2, alpha = 2^-" << row.alpha_log2;
    }
  }
}

// The standard counts the sample that opens the window, so the exact chance of a false alarm is a
// little above alpha: what the header says.
TEST(Health, AHealthyWindowFailsWithLessThanTwoToTheMinus37) {
  const Rational chance = upper_tail(HealthTests::kProportionWindow - 1, power_of_two(-8),
                                     HealthTests::kProportionCutoff - 1);
  EXPECT_LT(chance, power_of_two(-37));
  EXPECT_GT(chance, power_of_two(-38));
  EXPECT_EQ(power(power_of_two(-8), HealthTests::kRepetitionCutoff - 1), power_of_two(-40));
}

TEST(Health, AHealthyStreamPasses) {
  HealthTests tests{};
  EXPECT_TRUE(tests.feed(Healthy(1).bytes(1 << 22)));
  EXPECT_TRUE(tests.started());
}

TEST(Health, StartUpNeeds1024Samples) {
  Healthy source(2);
  HealthTests tests{};
  EXPECT_TRUE(tests.feed(source.bytes(1023)));
  EXPECT_FALSE(tests.started());
  EXPECT_TRUE(tests.feed(source.bytes(1)));
  EXPECT_TRUE(tests.started());
}

TEST(Health, AStuckByteIsCaughtAtItsSixthOccurrenceAndNotBefore) {
  for (const int stuck : {0x00, 0x5a, 0xff}) {
    for (const std::size_t before : {0u, 1u, 511u, 512u, 5000u}) {
      HealthTests tests{};
      ASSERT_TRUE(tests.feed(Healthy(3).bytes(before)));
      // A byte that is not the stuck one, so that the run begins here.
      ASSERT_TRUE(tests.feed(std::vector<std::uint8_t>{static_cast<std::uint8_t>(stuck ^ 1)}));
      const std::vector<std::uint8_t> run(5, static_cast<std::uint8_t>(stuck));
      EXPECT_TRUE(tests.feed(run));
      EXPECT_FALSE(tests.feed(std::span(run).first(1)));
    }
  }
}

TEST(Health, TheNineteenthOccurrenceInAWindowIsCaughtAndTheEighteenthIsNot) {
  for (const std::size_t occurrences : {18u, 19u}) {
    std::vector<std::uint8_t> window;
    for (std::size_t i = 0; i < 512; ++i) {
      const bool mark = i % 25 == 0 && i / 25 < occurrences;
      window.push_back(mark ? 0 : static_cast<std::uint8_t>(1 + i % 255));
    }
    HealthTests tests{};
    EXPECT_EQ(tests.feed(window), occurrences < 19);
  }
}

TEST(Health, OccurrencesAreCountedWithinOneWindowOnly) {
  HealthTests tests{};
  // 17 in each window, at its end and its beginning.
  for (int round = 0; round < 20; ++round) {
    std::vector<std::uint8_t> window;
    for (std::size_t i = 0; i < 512; ++i) {
      window.push_back(i % 30 == 0 && i / 30 < 17 ? 0 : static_cast<std::uint8_t>(1 + i % 255));
    }
    EXPECT_TRUE(tests.feed(window));
  }
}

// One byte value with chance 1/4: a window opens with it with about 1/4, and then it comes about
// 128 times.
TEST(Health, HeavyBiasIsCaught) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Healthy source(seed);
    std::vector<std::uint8_t> biased;
    for (int i = 0; i < 1 << 15; ++i) {
      const std::uint64_t word = source.word();
      biased.push_back(word >> 62 == 0 ? 0x77 : static_cast<std::uint8_t>(word));
    }
    HealthTests tests{};
    EXPECT_FALSE(tests.feed(biased));
  }
}

// Bytes of only 16 values, and a counter of period 16.
TEST(Health, LowEntropyIsCaught) {
  Healthy source(5);
  std::vector<std::uint8_t> nibbles = source.bytes(1024);
  for (std::uint8_t& b : nibbles) b &= 0x0f;
  HealthTests tests{};
  EXPECT_FALSE(tests.feed(nibbles));
  std::vector<std::uint8_t> cycle(1024);
  for (std::size_t i = 0; i < cycle.size(); ++i) cycle[i] = static_cast<std::uint8_t>(i % 16);
  HealthTests others{};
  EXPECT_FALSE(others.feed(cycle));
}

TEST(Health, FailureIsSticky) {
  HealthTests tests{};
  EXPECT_FALSE(tests.feed(std::vector<std::uint8_t>(6, 9)));
  EXPECT_FALSE(tests.feed(Healthy(6).bytes(1 << 16)));
  EXPECT_TRUE(tests.failed());
  EXPECT_FALSE(tests.started());
}

}  // namespace
}  // namespace discreet::random::health_test
