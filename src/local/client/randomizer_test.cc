// SPDX-License-Identifier: Apache-2.0
// Every outcome of every randomizer with its exact probability, from the code that ships: the ratio
// of any two answers' probabilities is at most e^epsilon, compared as rationals with a lower bound
// of e^epsilon from MPFR. Planted faults must break the same comparison.
#include "local/client/randomizer.h"

#include <gtest/gtest.h>

#include "local/branching_draws.h"
#include "local/design.h"
#include "numeric/interval.h"

namespace discreet::local::randomizer_test {
namespace {

using Output = std::vector<std::uint8_t>;
using Pmf = std::map<Output, Rational>;

Rational exp_below(std::uint64_t nano) {
  return exp(Interval::around(Rational::ratio(static_cast<unsigned long>(nano), 1000000000), 200))
      .low();
}

Rational nano_rational(std::uint64_t n) {
  return Rational::ratio(static_cast<unsigned long>(n), static_cast<unsigned long>(kNano));
}

// The largest Pr[y | x] / Pr[y | x'], or nothing when an output of one answer is impossible for
// another.
std::optional<Rational> worst_ratio(const std::vector<Pmf>& pmfs) {
  Rational worst = 0;
  for (const Pmf& a : pmfs) {
    Rational total = 0;
    for (const auto& [y, p] : a) {
      total = total + p;
      for (const Pmf& b : pmfs) {
        const auto found = b.find(y);
        if (found == b.end()) return std::nullopt;
        worst = std::max(worst, p / found->second);
      }
    }
    EXPECT_EQ(total, Rational(1));
  }
  return worst;
}

std::vector<Pmf> distributions(const Survey& survey, const std::vector<Answer>& answers,
                               const Randomizer& randomizer) {
  std::vector<Pmf> pmfs;
  // The id is public and drawn before the answer is looked at: any will do.
  const ReportId id = {7, 1, 9, 77, 3, 200, 81, 5, 13, 2, 4, 6, 99, 1, 1, 250};
  for (const Answer& answer : answers) {
    BranchingDraws draws;
    draws.bits = survey.parameters.domain;
    pmfs.push_back(draws.run([&](BranchingDraws& d) {
      Output out(payload_size(survey.parameters));
      randomizer.draw(answer, id, d, out);
      return out;
    }));
  }
  return pmfs;
}

struct Case {
  std::string name;
  Survey survey;
  std::vector<Answer> answers;
};

std::vector<Answer> indices(std::uint64_t n) {
  std::vector<Answer> all;
  for (std::uint64_t i = 0; i < n; ++i) all.push_back({.index = i});
  return all;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* epsilon : {"0.1", "1", "3"}) {
    const Epsilon e = Epsilon::parse(epsilon).value();
    const auto add = [&](Mechanism mechanism, std::uint64_t k) {
      const Survey survey =
          design_choices({.name = "q", .epsilon = e, .choices = k, .mechanism = mechanism}).value();
      all.push_back({std::string(name_of(mechanism)) + "/" + std::to_string(k) + "/" + epsilon,
                     survey, indices(k)});
    };
    add(Mechanism::kResponse, 2);
    add(Mechanism::kResponse, 9);
    add(Mechanism::kUnary, 6);
    add(Mechanism::kHash, 12);
    add(Mechanism::kHadamard, 3);
    add(Mechanism::kHadamard, 13);
    add(Mechanism::kSubset, 7);
    add(Mechanism::kProjective, 12);
    Survey window;
    window.parameters = {.mechanism = Mechanism::kPiecewise,
                         .epsilon = nano_epsilon(e).value(),
                         .odds = odds_below(nano_epsilon(e).value()),
                         .domain = 12,
                         .width = 5};
    window.answers = Answers::kNumbers;
    window.high = 1'000'000;
    all.push_back({"piecewise/" + std::string(epsilon), window, {}});
    for (const char* x : {"0", "0.13", "0.5", "0.77", "1"}) {
      all.back().answers.push_back(read_answer(window, x).value());
    }
    Survey tree = design_tree({.name = "t", .epsilon = e, .alphabet = "ab", .length = 2}).value();
    tree.parameters.domain = 4;
    tree.parameters.depth = 2;
    all.push_back({"tree/" + std::string(epsilon), tree, {}});
    for (const char* x : {"", "a", "ab", "bb"}) {
      all.back().answers.push_back(read_answer(tree, x).value());
    }
  }
  return all;
}

TEST(Randomizer, IsWithinItsEpsilonByEnumerationOfAllOutputs) {
  for (const Case& c : cases()) {
    const Randomizer randomizer(c.survey);
    const auto ratio = worst_ratio(distributions(c.survey, c.answers, randomizer));
    ASSERT_TRUE(ratio.has_value()) << c.name;
    EXPECT_LE(*ratio, exp_below(c.survey.parameters.epsilon)) << c.name;
    // ... and does not waste it: within 10^-6 of e^epsilon, where the mechanism can reach it.
    if (!c.name.starts_with("tree")) {
      EXPECT_GT(*ratio, exp_below(c.survey.parameters.epsilon) * Rational::ratio(999999, 1000000))
          << c.name;
    }
  }
}

// Odds one part in 10^5 too large: rounding e^epsilon up by a hair is caught by the client's own
// check, and, were the check not there, by the enumeration.
TEST(Randomizer, OddsThatAreTooLargeAreRefusedAndEnumerated) {
  for (Case& c : cases()) {
    Parameters& p = c.survey.parameters;
    Parameters bent = p;
    bent.odds = p.odds + p.odds / 100'000;
    const Result<void> checked = check(bent);
    ASSERT_FALSE(checked.has_value()) << c.name;
    EXPECT_EQ(checked.error().code, Code::kRefused) << c.name;
    if (c.name.starts_with("tree")) continue;
    // The same odds under a larger epsilon pass the check; the enumeration compares with the small
    // one.
    const std::uint64_t claimed = p.epsilon;
    p = bent;
    p.epsilon = claimed + claimed / 100 + 1'000'000;
    ASSERT_TRUE(check(p).has_value()) << c.name;
    const auto ratio = worst_ratio(distributions(c.survey, c.answers, Randomizer(c.survey)));
    ASSERT_TRUE(ratio.has_value());
    EXPECT_GT(*ratio, exp_below(claimed)) << c.name;
  }
}

// A planted fault in the shape: an answer whose own bit is always told (a forgotten coin).
TEST(Randomizer, AForgottenCoinIsCaught) {
  std::vector<Pmf> pmfs;
  const std::uint64_t threshold = unary_threshold(odds_below(kNano));
  for (std::uint64_t x = 0; x < 3; ++x) {
    BranchingDraws draws;
    draws.bits = 3;
    pmfs.push_back(draws.run([&](BranchingDraws& d) {
      std::uint64_t word = 0;
      d.coins(std::span(&word, 1), threshold);
      return Output{static_cast<std::uint8_t>(word | 1u << x)};
    }));
  }
  EXPECT_FALSE(worst_ratio(pmfs).has_value());
}

TEST(Randomizer, RapporsPermanentBitsAreWithinItsEpsilon) {
  for (const char* epsilon : {"0.5", "2", "8"}) {
    Survey survey = design_bloom({.name = "r",
                                  .epsilon = Epsilon::parse(epsilon).value(),
                                  .bits = 8,
                                  .hashes = 2,
                                  .cohorts = 3})
                        .value();
    const Randomizer randomizer(survey);
    for (std::uint64_t cohort = 0; cohort < 3; ++cohort) {
      std::vector<Pmf> permanent;
      std::vector<Pmf> reported;
      for (const char* text : {"a", "b", "c", "d", "e"}) {
        BranchingDraws draws;
        draws.bits = 8;
        permanent.push_back(draws.run([&](BranchingDraws& d) {
          Output bits(1);
          randomizer.permanent(cohort, text, d, bits);
          return bits;
        }));
      }
      const auto ratio = worst_ratio(permanent);
      ASSERT_TRUE(ratio.has_value());
      EXPECT_LE(*ratio, exp_below(survey.parameters.epsilon));
    }
  }
}

TEST(Randomizer, RapporsSecondStepHasTheStatedChances) {
  Survey survey = design_bloom({.name = "r",
                                .epsilon = Epsilon::parse("2").value(),
                                .bits = 8,
                                .hashes = 1,
                                .cohorts = 1})
                      .value();
  const Parameters& p = survey.parameters;
  const Randomizer randomizer(survey);
  BranchingDraws draws;
  draws.bits = 8;
  // Two noise words of 8 coins each: count the mass in which bit 0 (a permanent 1) and bit 1 are 1.
  Rational one = 0;
  Rational zero = 0;
  const auto pmf = draws.run([&](BranchingDraws& d) {
    Output payload(payload_size(p));
    d.bits = 2;
    randomizer.instantaneous(0, Output{1}, d, payload);
    return payload;
  });
  for (const auto& [payload, weight] : pmf) {
    if ((payload[2] & 1) != 0) one = one + weight;
    if ((payload[2] & 2) != 0) zero = zero + weight;
  }
  EXPECT_EQ(one, Rational::ratio(static_cast<unsigned long>(p.loud), 65536));
  EXPECT_EQ(zero, Rational::ratio(static_cast<unsigned long>(p.quiet), 65536));
}

// Pr[z] is proportional to (kUnit/odds)^|z|; what the cut leaves out is bounded.
TEST(Randomizer, LaplaceNoiseFallsByTheOddsFromStepToStep) {
  Survey survey = design_number({.name = "n",
                                 .epsilon = Epsilon::parse("8").value(),
                                 .low = 0,
                                 .high = 1'000'000,
                                 .mechanism = Mechanism::kLaplace})
                      .value();
  survey.parameters.domain = 4;
  survey.parameters.odds = odds_below(survey.parameters.epsilon / 4);
  const Randomizer randomizer(survey);
  BranchingDraws draws;
  draws.depth_max = 18;
  Rational lost = 0;
  const auto pmf = draws.run([&](BranchingDraws& d) { return randomizer.laplace(d); }, &lost);
  const Rational r = Rational::ratio(static_cast<unsigned long>(kUnit),
                                     static_cast<unsigned long>(survey.parameters.odds));
  EXPECT_LT(lost, Rational::ratio(1, 10'000'000));
  Rational expected = (Rational(1) - r) / (Rational(1) + r);
  for (std::int64_t z = 0; z < 4; ++z) {
    for (const std::int64_t signed_z : {z, -z}) {
      const Rational low = pmf.at(signed_z);
      EXPECT_LE(low, expected);
      EXPECT_LE(expected, low + lost);
    }
    expected = expected * r;
  }
  // odds^levels <= e^epsilon
  Rational product = 1;
  for (int i = 0; i < 4; ++i) product = product / r;
  EXPECT_LE(product, exp_below(survey.parameters.epsilon));
}

// Lane i of the words drawn holds the number i in six bits, highest first, and zeros after them:
// all tapes of six rounds in the lanes of one word.
struct Rounds {
  static constexpr int kWordBits = 64;
  int round = 0;
  std::uint64_t take(int) {
    const int bit = 5 - round;
    ++round;
    std::uint64_t word = 0;
    for (std::uint64_t lane = 0; bit >= 0 && lane < 64; ++lane) word |= (lane >> bit & 1) << lane;
    return word;
  }
};

TEST(Draws, CoinsCompareEveryLaneWithTheThreshold) {
  for (std::uint64_t t = 0; t <= 64; ++t) {
    Rounds rounds;
    Draws<Rounds> draws(rounds);
    std::uint64_t word = 0;
    draws.coins(std::span(&word, 1), t << 26);
    for (std::uint64_t lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(word >> lane & 1, lane < t ? 1u : 0u) << t << " " << lane;
    }
  }
}

// The ends of every run of pick(), through bits that make uniform_below(n) give a chosen integer.
struct Chosen {
  static constexpr int kWordBits = 64;
  std::uint64_t word;
  std::uint64_t take(int) { return word; }
};

TEST(Draws, PickHasRunsOfTheStatedLengths) {
  const std::uint64_t a = 3 * kUnit + 12345;
  const std::uint64_t n = 5;
  const std::uint64_t total = a + n * kUnit;
  const auto picked = [&](std::uint64_t drawn) {
    // The least word whose product with `total` has the upper half `drawn`, and one more: accepted.
    const auto word = static_cast<std::uint64_t>(((Uint128{drawn} << 64) + total - 1) / total + 1);
    Chosen bits{word};
    return Draws<Chosen>(bits).pick(a, n);
  };
  EXPECT_EQ(picked(0), 0u);
  EXPECT_EQ(picked(a - 1), 0u);
  for (std::uint64_t i = 0; i < n; ++i) {
    EXPECT_EQ(picked(a + i * kUnit), 1 + i);
    EXPECT_EQ(picked(a + (i + 1) * kUnit - 1), 1 + i);
  }
}

TEST(Odds, AreBelowTheExponentialAndCloseToIt) {
  for (std::uint64_t n = kEpsilonMin; n <= kEpsilonMax; n = n * 7 / 6 + 12'345) {
    const Rational odds =
        Rational(Integer(static_cast<unsigned long>(odds_below(n)))) * power_of_two(-32);
    const Interval e = exp(Interval::around(nano_rational(n), 200));
    EXPECT_LE(odds, e.low()) << n;
    EXPECT_GE(odds + power_of_two(-32), e.high() * (Rational(1) - power_of_two(-45))) << n;
    EXPECT_LE(odds_below(n - 1), odds_below(n));
    EXPECT_LE(cost_of_odds(odds_below(n)), n);
    EXPECT_GE(odds_below(cost_of_odds(odds_below(n))), odds_below(n));
  }
  EXPECT_EQ(odds_below(0), kUnit);
  EXPECT_EQ(cost_of_odds(~std::uint64_t{0}), 0u);
}

TEST(UnaryThreshold, KeepsTheOddsOfABitBelowTheSurveys) {
  for (std::uint64_t n = kEpsilonMin; n <= kEpsilonMax; n = n * 3 / 2 + 999) {
    const std::uint64_t odds = odds_below(n);
    const Uint128 m = unary_threshold(odds);
    EXPECT_LE((Uint128{kUnit} - m) * kUnit, m * odds);
    EXPECT_GT((Uint128{kUnit} - (m - 1)) * kUnit, (m - 1) * odds);  // the least such
  }
}

TEST(Field, HasInversesAndDistributes) {
  for (const std::uint64_t q : {2, 3, 4, 5, 7, 8, 16, 31, 64, 128, 251, 256}) {
    ASSERT_TRUE(is_field_order(q));
    const Field field(q);
    for (std::uint32_t a = 0; a < q; ++a) {
      EXPECT_EQ(field.add(a, field.minus(a)), 0u);
      if (a != 0) {
        EXPECT_EQ(field.times(a, field.inverse(a)), 1u) << q;
      }
      for (std::uint32_t b = 0; b < q; b += 1 + static_cast<std::uint32_t>(q) / 16) {
        const std::uint32_t c = (a + b) % static_cast<std::uint32_t>(q);
        EXPECT_EQ(field.times(a, field.add(b, c)), field.add(field.times(a, b), field.times(a, c)));
        EXPECT_EQ(field.times(field.times(a, b), c), field.times(a, field.times(b, c)));
      }
    }
  }
  for (const std::uint64_t q : {0, 1, 6, 9, 255, 257}) EXPECT_FALSE(is_field_order(q));
}

TEST(ProjectiveSpace, NumbersItsPointsAndSolvesForHyperplanes) {
  for (const auto& [q, t] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {2, 4}, {3, 3}, {4, 3}, {5, 2}, {8, 2}}) {
    const ProjectiveSpace space(q, t);
    const std::uint64_t free = space.power(t - 1);
    for (std::uint64_t i = 0; i < space.points(); ++i) {
      const auto normal = space.point(i);
      EXPECT_EQ(space.index_of(normal), i);
      std::map<std::uint64_t, int> on;
      for (std::uint64_t f = 1; f < free; ++f) ++on[space.index_of(space.solve(normal, f, 0))];
      EXPECT_EQ(on.size(), (free - 1) / (q - 1));
      for (const auto& [j, times] : on) {
        EXPECT_EQ(times, static_cast<int>(q - 1));
        EXPECT_EQ(space.product(normal, space.point(j)), 0u);
      }
    }
  }
}

}  // namespace
}  // namespace discreet::local::randomizer_test
