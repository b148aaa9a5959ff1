// SPDX-License-Identifier: Apache-2.0
#include "random/gaussian.h"

#include <gtest/gtest.h>

#include "random/distribution_for_tests.h"
#include "random/rounded_gaussian.h"
#include "random/tape_for_tests.h"

namespace discreet::random::gaussian_test {
namespace {

Variance variance_of(const char* text) { return Variance::parse(text).value(); }

struct Case {
  const char* variance;
  bool is_direct;
  const char* unresolved_max;
};

template <class Sampler, int kWidth, class Truth>
void expect_exact(const Case& c, int depth, const Truth& truth) {
  const Sampler sampler(variance_of(c.variance));
  EXPECT_EQ(sampler.shape().is_direct, c.is_direct) << c.variance;
  const auto found = enumerate<kWidth>(
      depth, [&](auto& tape) { return static_cast<std::int64_t>(sampler.draw(tape)); });
  for (std::int64_t z = -8; z <= 8; ++z) {
    const Interval p = truth(parse(c.variance), z, kTestPrecision);
    EXPECT_TRUE(agrees(found, z, p.low(), p.high())) << kWidth << " " << c.variance << " " << z;
  }
  EXPECT_LE(found.unresolved, parse(c.unresolved_max))
      << kWidth << " " << c.variance << " " << found.unresolved.to_decimal(3, Round::kUp);
}

TEST(DiscreteGaussian, IsExactOnAllTapesOfEveryWidth) {
  expect_exact<GaussianFor<Tape<4>>, 4>({"1/3", true, "0.02"}, 20, gaussian_probability);
  expect_exact<GaussianFor<Tape<6>>, 6>({"1", true, "0.01"}, 20, gaussian_probability);
  expect_exact<GaussianFor<Tape<3>>, 3>({"1", false, "0.5"}, 15, gaussian_probability);
  expect_exact<GaussianFor<Tape<4>>, 4>({"3", false, "0.4"}, 16, gaussian_probability);
  expect_exact<GaussianFor<Tape<5>>, 5>({"10", false, "0.4"}, 16, gaussian_probability);
  expect_exact<GaussianFor<Tape<2>>, 2>({"1/2", false, "0.5"}, 15, gaussian_probability);
}

TEST(RoundedGaussian, IsExactOnAllTapesOfEveryWidth) {
  expect_exact<RoundedGaussianFor<Tape<4>>, 4>({"1/20", true, "0.02"}, 20,
                                               rounded_gaussian_probability);
  expect_exact<RoundedGaussianFor<Tape<6>>, 6>({"1/2", true, "0.01"}, 20,
                                               rounded_gaussian_probability);
  expect_exact<RoundedGaussianFor<Tape<3>>, 3>({"1", false, "0.6"}, 15,
                                               rounded_gaussian_probability);
  expect_exact<RoundedGaussianFor<Tape<5>>, 5>({"10", false, "0.5"}, 16,
                                               rounded_gaussian_probability);
}

// The sign rule: with z = -a in place of -1 - a, zero would come twice.
TEST(DiscreteGaussian, MutantsAreRejected) {
  const GaussianFor<Tape<5>> sampler(variance_of("10"));
  const auto doubled = enumerate<5>(16, [&](auto& tape) {
    const auto z = static_cast<std::int64_t>(sampler.draw(tape));
    return z < 0 ? z + 1 : z;
  });
  const Interval zero = gaussian_probability(10, 0);
  EXPECT_FALSE(agrees(doubled, std::int64_t{0}, zero.low(), zero.high()));
  const GaussianFor<Tape<6>> wrong(variance_of("1.01"));
  const auto off =
      enumerate<6>(24, [&](auto& tape) { return static_cast<std::int64_t>(wrong.draw(tape)); });
  const Interval one = gaussian_probability(1, 0);
  EXPECT_FALSE(agrees(off, std::int64_t{0}, one.low(), one.high()));
}

TEST(GaussianShape, TheEscapeHasProbabilityBelowTwoToMinusSixtyFour) {
  for (const char* text :
       {"1/1099511627776", "1/3", "1", "100", "2500", "2900", "1000000", "1152921504606846976"}) {
    const Rational variance = parse(text);
    const GaussianShape shape = gaussian_shape(variance, 10, 64);
    const Rational reach = Rational(Integer(shape.reach));
    const Interval one = Interval::around(1, 200);
    const Interval tail = Interval::around(2, 200) *
                          exp(Interval::around(-(reach * reach / (Rational(2) * variance)), 200)) /
                          (one - exp(Interval::around(-(reach / variance), 200)));
    EXPECT_TRUE(certainly_less(tail, Interval::around(power_of_two(-64), 200))) << text;
    EXPECT_LE(shape.cells, 1023);
  }
}

// The squeeze must lie below the acceptance probability everywhere in its cell.
TEST(GaussianCells, TheSqueezeIsALowerBound) {
  for (const int fraction_bits : {0, 1}) {
    const Rational variance = parse("1000000.5");
    const GaussianShape shape = gaussian_shape(variance, 10, 64);
    const GaussianCells cells(variance, shape, 64, fraction_bits);
    const std::uint64_t width = std::uint64_t{1} << cells.place_bits();
    for (std::uint64_t h = 0; h < static_cast<std::uint64_t>(shape.cells); h += 7) {
      const std::uint64_t x = width * (2 * h * width + width);
      const Rational exact = Rational(to_integer(Int128{x})) * power_of_two(-2 * fraction_bits);
      const Integer truth = digits_of(exp_real(-cells.exponent(exact)), cells.accept_bits());
      CellPoint point;
      point.accept = truth.get_ui();
      EXPECT_FALSE(cells.surely_accepts(h, point));
      const Bracket bracket = cells.acceptance(x);
      const std::uint64_t digits = digits_of(exp_real(-cells.exponent(exact)), 64).get_ui();
      EXPECT_TRUE(bracket.low <= digits && digits <= bracket.high);
    }
  }
}

struct Fit {
  const char* variance;
  const char* wrong;
  std::int64_t cut;
};

// False alarms: 1e-9 each. Power: a variance that is off by 3 % is seen every time.
template <class Sampler, class Truth>
void expect_fit(const Fit& fit, const Truth& truth) {
  SystemBits& bits = *SystemBits::this_thread().value();
  std::vector<std::int64_t> draws(1000000);
  std::map<std::int64_t, double> p;
  const auto probability = [&](std::int64_t z) {
    const auto [at, is_new] = p.try_emplace(z < 0 ? -z : z);
    if (is_new) at->second = to_double(truth(parse(fit.variance), z, 64));
    return at->second;
  };
  Sampler::shared(variance_of(fit.variance))->fill(bits, draws);
  EXPECT_LT(chi_square_deviate(draws, fit.cut, probability), kDeviateMax) << fit.variance;
  for (std::size_t i = 0; i < 100000; ++i) {
    draws[i] = saturate_to_int64(Sampler::shared(variance_of(fit.variance))->draw(bits));
  }
  EXPECT_LT(chi_square_deviate(std::span(draws).first(100000), fit.cut, probability), kDeviateMax);
  Sampler::shared(variance_of(fit.wrong))->fill(bits, draws);
  EXPECT_GT(chi_square_deviate(draws, fit.cut, probability), kDeviateMax) << fit.variance;
}

TEST(DiscreteGaussian, FillFitsTheDistribution) {
  for (const Fit& fit : {Fit{"1/3", "0.343", 2}, Fit{"1", "1.03", 4}, Fit{"100", "103", 35},
                         Fit{"10000", "10300", 300}}) {
    expect_fit<DiscreteGaussian>(fit, gaussian_probability);
  }
}

TEST(RoundedGaussian, FillFitsTheDistribution) {
  for (const Fit& fit : {Fit{"1/3", "0.343", 2}, Fit{"1", "1.03", 4}, Fit{"100", "103", 35},
                         Fit{"10000", "10300", 300}}) {
    expect_fit<RoundedGaussian>(fit, rounded_gaussian_probability);
  }
}

// Off by 5 % or more with probability below 1e-9 at 100,000 draws.
TEST(Gaussians, WorkAtTheEndsOfTheirDomain) {
  SystemBits& bits = *SystemBits::this_thread().value();
  std::vector<std::int64_t> draws(100000);
  const auto check = [&](const auto& small, const auto& large) {
    small->fill(bits, draws);
    for (const std::int64_t z : draws) ASSERT_EQ(z, 0);
    large->fill(bits, draws);
    double square = 0;
    for (const std::int64_t z : draws) square += std::pow(static_cast<double>(z) / 0x1p30, 2) / 1e5;
    EXPECT_NEAR(square, 1, 0.05);
  };
  const Variance least = variance_of("1/1099511627776");
  const Variance most = variance_of("1152921504606846976");
  check(DiscreteGaussian::shared(least), DiscreteGaussian::shared(most));
  check(RoundedGaussian::shared(least), RoundedGaussian::shared(most));
}

}  // namespace
}  // namespace discreet::random::gaussian_test
