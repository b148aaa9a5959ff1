// SPDX-License-Identifier: Apache-2.0
#include "random/laplace.h"

#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "random/distribution_for_tests.h"
#include "random/reference.h"
#include "random/tape_for_tests.h"

namespace discreet::random::laplace_test {
namespace {

Scale scale_of(const char* text) { return Scale::parse(text).value(); }

template <int kWidth>
auto enumerate_laplace(const char* scale, int depth) {
  const LaplaceFor<Tape<kWidth>> laplace(scale_of(scale));
  return enumerate<kWidth>(
      depth, [&](auto& tape) { return static_cast<std::int64_t>(laplace.draw(tape)); });
}

template <int kWidth>
void expect_laplace(const char* scale, int depth, const char* unresolved_max) {
  const auto found = enumerate_laplace<kWidth>(scale, depth);
  for (std::int64_t z = -12; z <= 12; ++z) {
    const Interval p = laplace_probability(parse(scale), z);
    EXPECT_TRUE(agrees(found, z, p.low(), p.high()))
        << "width " << kWidth << ", " << scale << ", " << z;
  }
  EXPECT_LE(found.unresolved, parse(unresolved_max))
      << kWidth << " " << scale << " " << found.unresolved.to_decimal(3, Round::kUp);
}

TEST(DiscreteLaplace, IsExactOnAllTapesOfEveryWidth) {
  for (const char* scale : {"1/3", "1", "5/2"}) {
    expect_laplace<1>(scale, 18, "0.25");
    expect_laplace<3>(scale, 18, "0.05");
    expect_laplace<4>(scale, 20, "0.03");
    expect_laplace<5>(scale, 18, "0.06");
    expect_laplace<6>(scale, 18, "0.02");
  }
}

TEST(DiscreteLaplace, AgreesWithTheLecturesSamplerOnAllTapes) {
  for (const char* scale : {"1/2", "1", "2"}) {
    const ReferenceLaplace reference(scale_of(scale));
    const auto slow = enumerate<1>(
        18, [&](auto& tape) { return static_cast<std::int64_t>(reference.draw(tape).get_si()); });
    const auto fast = enumerate_laplace<4>(scale, 18);
    for (std::int64_t z = -8; z <= 8; ++z) {
      const auto at = fast.at_least.find(z);
      const Rational mass = at == fast.at_least.end() ? Rational(0) : at->second;
      EXPECT_TRUE(agrees(slow, z, mass, mass + fast.unresolved)) << scale << " " << z;
    }
    EXPECT_LE(slow.unresolved, parse("0.02")) << slow.unresolved.to_decimal(3, Round::kUp);
  }
}

TEST(DiscreteLaplace, MutantsAreRejected) {
  const LaplaceFor<Tape<6>> laplace(scale_of("1"));
  const Interval zero = laplace_probability(Rational(1), 0);
  const Interval three = laplace_probability(Rational(1), 3);
  // A sign times a geometric size: zero twice.
  const auto dropped = enumerate<6>(18, [&](auto& tape) {
    const auto z = static_cast<std::int64_t>(laplace.draw(tape));
    return z > 0 ? z - 1 : (z < 0 ? z + 1 : 0);
  });
  EXPECT_FALSE(agrees(dropped, std::int64_t{0}, zero.low(), zero.high()));
  // The digits in the wrong order.
  const LaplaceFor<Tape<6>> wide(scale_of("5/2"));
  ASSERT_EQ(wide.words_per_draw(), 2);
  const auto swapped = enumerate<6>(18, [&](auto& tape) {
    const std::uint64_t first = tape.take(6);
    const std::uint64_t low = wide.tables()[1].outcome(first, tape);
    const std::uint64_t top = wide.tables()[0].outcome(tape.take(6), tape);
    return static_cast<std::int64_t>(low + 8 * top);
  });
  EXPECT_FALSE(agrees(swapped, std::int64_t{3}, three.low(), three.high()));
  // A biased bit: the lowest bit of each word is 1 with probability 9/16.
  const auto biased = enumerate<6>(20, [&](auto& tape) {
    std::uint64_t word = tape.take(6);
    if (tape.take(3) == 0) word |= 1;
    return static_cast<std::int64_t>(laplace.tables().back().outcome(word, tape)) - 3;
  });
  EXPECT_FALSE(agrees(biased, std::int64_t{0}, zero.low(), zero.high()));
}

// The scale off by one part in a thousand, seen by the exact audit of a 4-bit table.
TEST(DiscreteLaplace, AScaleOffByAThousandthIsRejected) {
  const auto found = enumerate_laplace<6>("1001/1000", 30);
  const Interval p = laplace_probability(Rational(1), 0);
  EXPECT_FALSE(agrees(found, std::int64_t{0}, p.low(), p.high()))
      << found.unresolved.to_decimal(3, Round::kUp);
}

template <int kWidth>
void expect_constant_work(const char* scale) {
  const LaplaceFor<Tape<kWidth>> laplace(scale_of(scale));
  const auto words = static_cast<std::size_t>(laplace.words_per_draw());
  std::set<std::pair<std::size_t, int>> work;  // of the tapes that do not refine
  Rational constant_mass;
  enumerate<kWidth>(
      static_cast<int>(words) * kWidth, [&](auto& tape) { return laplace.draw(tape); },
      [&](const Int128&, const auto& tape) {
        work.emplace(tape.used(), tape.look_ups());
        constant_mass = constant_mass + power_of_two(-static_cast<int>(tape.used()));
      });
  ASSERT_EQ(work.size(), 1U) << scale;
  EXPECT_EQ(*work.begin(), std::make_pair(words * kWidth, static_cast<int>(words)));
  EXPECT_LE(Rational(1) - constant_mass, laplace.refinement_probability()) << scale;
}

TEST(DiscreteLaplace, BitsAndLookUpsDoNotDependOnTheValue) {
  for (const char* scale : {"1/3", "1", "5/2", "10"}) {
    expect_constant_work<3>(scale);
    expect_constant_work<4>(scale);
    expect_constant_work<5>(scale);
    expect_constant_work<6>(scale);
  }
}

TEST(DiscreteLaplace, LeavesConstantWorkWithProbabilityBelowTwoToMinusFifty) {
  for (const char* scale : {"1", "10", "1000", "1000000", "1099511627776"}) {
    const DiscreteLaplace laplace(scale_of(scale));
    const Rational p = laplace.refinement_probability();
    std::cout << "scale " << scale << ": " << laplace.words_per_draw()
              << " words a draw, more work with probability <= " << p.to_decimal(3, Round::kUp)
              << "\n";
    EXPECT_LE(p, power_of_two(-50));
    EXPECT_LE(laplace.words_per_draw(), 5);
  }
}

TEST(DiscreteLaplace, EscapesAreAtMostTwoToMinusSixtyFour) {
  for (const char* text : {"1/1099511627776", "0.02", "1", "11", "12", "1000", "1099511627776"}) {
    const Rational scale = parse(text);
    const LaplaceShape shape = laplace_shape(scale, 10, 64);
    const Rational beyond =
        Rational(1) + power_of_two(10 * shape.digits) * Rational(Integer(shape.high_count));
    const Interval bound = Interval::around(2, 200) * exp(Interval::around(-(beyond / scale), 200));
    EXPECT_TRUE(certainly_less(bound, Interval::around(power_of_two(-64), 200))) << text;
  }
}

struct Fit {
  const char* scale;
  std::int64_t cut;
};

// False alarms: 1e-9 each. Power: a scale that is off by 2 % is seen every time (its deviate is
// above 20, and 6 is the limit).
TEST(DiscreteLaplace, FillFitsTheDistribution) {
  SystemBits& bits = *SystemBits::this_thread().value();
  std::vector<std::int64_t> draws(1000000);
  for (const Fit& fit : {Fit{"1", 8}, Fit{"10", 60}, Fit{"1000", 5000}, Fit{"1/3", 2}}) {
    const Rational scale = parse(fit.scale);
    const auto truth = [&](std::int64_t z) { return to_double(laplace_probability(scale, z, 64)); };
    DiscreteLaplace::shared(scale_of(fit.scale))->fill(bits, draws);
    EXPECT_LT(chi_square_deviate(draws, fit.cut, truth), kDeviateMax) << fit.scale;
    if (fit.cut > 100) continue;
    const Scale wrong = Scale::of(scale * parse("1.02")).value();
    DiscreteLaplace::shared(wrong)->fill(bits, draws);
    EXPECT_GT(chi_square_deviate(draws, fit.cut, truth), kDeviateMax) << fit.scale;
  }
}

TEST(DiscreteLaplace, SingleDrawsFitTheDistributionToo) {
  SystemBits& bits = *SystemBits::this_thread().value();
  std::vector<std::int64_t> draws(200000);
  for (std::int64_t& z : draws) {
    z = saturate_to_int64(DiscreteLaplace::shared(scale_of("10"))->draw(bits));
  }
  const auto truth = [&](std::int64_t z) { return to_double(laplace_probability(10, z, 64)); };
  EXPECT_LT(chi_square_deviate(draws, 60, truth), kDeviateMax);
}

// Scales at both ends of the domain: all zeros, and a mean size near the scale (off by 5 % or more
// with probability below 1e-9 at 100,000 draws).
TEST(DiscreteLaplace, WorksAtTheEndsOfItsDomain) {
  SystemBits& bits = *SystemBits::this_thread().value();
  std::vector<std::int64_t> draws(100000);
  DiscreteLaplace::shared(scale_of("1/1099511627776"))->fill(bits, draws);
  for (const std::int64_t z : draws) ASSERT_EQ(z, 0);
  DiscreteLaplace::shared(scale_of("1099511627776"))->fill(bits, draws);
  double mean = 0;
  for (const std::int64_t z : draws) mean += std::abs(static_cast<double>(z)) / 1e5;
  EXPECT_NEAR(mean / 1099511627776.0, 1, 0.05);
}

TEST(DiscreteLaplace, SharedGivesTheSameTableForTheSameScale) {
  EXPECT_EQ(DiscreteLaplace::shared(scale_of("0.5")), DiscreteLaplace::shared(scale_of("1/2")));
  EXPECT_NE(DiscreteLaplace::shared(scale_of("0.5")), DiscreteLaplace::shared(scale_of("0.51")));
  for (int i = 1; i <= 70; ++i) DiscreteLaplace::shared(Scale::of(Rational(i)).value());
}

TEST(DiscreteLaplace, FillsNothingAndOne) {
  SystemBits& bits = *SystemBits::this_thread().value();
  const auto noise = DiscreteLaplace::shared(scale_of("1000"));
  noise->fill(bits, {});
  std::int64_t one[1];
  noise->fill(bits, one);
}

}  // namespace
}  // namespace discreet::random::laplace_test
