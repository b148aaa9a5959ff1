// SPDX-License-Identifier: Apache-2.0
#include "accounting/pld.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <random>

#include "accounting/convolve.h"
#include "accounting/fft.h"
#include "accounting/loss.h"

namespace discreet::accounting::pld_test {
namespace {

Rational q(const char* text) { return *Rational::parse(text); }

double relative_gap(const Bounds& b) { return (b.upper - b.lower) / b.upper; }

/// delta(eps) of a grid loss composed `count` times, the slow way.
double slow_delta(const GridLoss& loss, int count, double epsilon) {
  std::map<long, long double> sum = {{0, 1.0L}};
  for (int k = 0; k < count; ++k) {
    std::map<long, long double> next;
    for (const auto& [i, p] : sum) {
      for (std::size_t j = 0; j < loss.p.size(); ++j)
        next[i + loss.first + static_cast<long>(j)] += p * loss.p[j];
    }
    sum = std::move(next);
  }
  long double delta = 0;
  for (const auto& [i, p] : sum) {
    const double l = count * loss.grid.offset + static_cast<double>(i) * loss.grid.step;
    if (l > epsilon) delta += p * -std::expm1(static_cast<long double>(epsilon - l));
  }
  return static_cast<double>(delta);
}

struct Curve {
  double low;
  double high;
};

/// delta(eps) of one use of a Loss by brute force: many thin cells, each taken at its own P and Q.
/// Only the cell around eps loses by that, and at most its mass times its width.
Curve dense_delta(const Loss& loss, double epsilon, double low, double high) {
  double delta = loss.infinity_high;
  double blur = 1e-12;
  constexpr int kCells = 20000;
  for (int i = 0; i < kCells; ++i) {
    const double a = low + (high - low) * i / kCells;
    const double b = low + (high - low) * (i + 1) / kCells;
    const Mass m = loss.cell(a, b);
    delta += std::max(0.0, m.p_high - std::exp(epsilon) * m.q_low);
    if (a <= epsilon && epsilon <= b) blur += m.p_high * (b - a);
  }
  for (const Atom& atom : loss.atoms) {
    delta += std::max(0.0, atom.mass.p_high - std::exp(epsilon) * atom.mass.q_low);
  }
  return {delta * (1 - 1e-9), delta * (1 + 1e-9) + blur};
}

TEST(Pld, ReachesTheExactGaussianAnchors) {
  const struct {
    const char* sigma;
    std::uint64_t count;
    double epsilon;
    double digits;
  } anchors[] = {
      {"100", 1000, 1.367571, 1e-6}, {"1", 1000, 649.385, 1e-3}, {"100", 10000, 4.886554, 1e-6}};
  for (const auto& a : anchors) {
    const Bounds b = pld_epsilon({{Gaussian{q(a.sigma)}, a.count}}, 1e-6);
    EXPECT_LE(b.lower, a.epsilon + a.digits);
    EXPECT_GE(b.upper, a.epsilon - a.digits);
    EXPECT_LE(relative_gap(b), 1e-3);
  }
}

TEST(Pld, BracketsTenThousandSubsampledGaussians) {
  const Bounds b = pld_epsilon({{SubsampledGaussian{q("1"), q("0.01")}, 10000}}, 1e-6);
  EXPECT_LE(relative_gap(b), 1e-3);
  EXPECT_GE(b.lower,
            6.41);  // inside the bracket that another accountant gives at its finest setting
  EXPECT_LE(b.upper, 6.9101);
}

TEST(Pld, BracketsAMixOfLaplaceAndGaussian) {
  const Bounds b = pld_epsilon({{Laplace{q("0.01")}, 500}, {Gaussian{q("100")}, 500}}, 1e-6);
  EXPECT_LE(relative_gap(b), 1e-3);
}

TEST(Pld, RandomizedResponseIsTheOptimalHomogeneousComposition) {
  // Kairouz-Oh-Viswanath: with k = 2, delta at eps = 0 is ((e^2 - 1) + 0) / (1 + e)^2 for epsilon
  // = 1.
  const double e = std::exp(1.0);
  const Bounds b = pld_delta({{Generic{q("1"), q("0")}, 2}}, 0);
  const double exact = (e * e - 1) / ((1 + e) * (1 + e));
  EXPECT_LE(b.lower, exact * (1 + 1e-12));
  EXPECT_GE(b.upper, exact * (1 - 1e-12));
  EXPECT_NEAR(b.upper, b.lower, 2e-6);
}

TEST(Pld, IsFiniteAndOrderedAtTheEdges) {
  const std::vector<std::vector<Use>> cases = {
      {{Generic{q("1000"), q("0")}, 1}},
      {{Generic{q("1000"), q("0")}, 100}},
      {{Laplace{q("1000")}, 3}},
      {{SubsampledGaussian{q("1"), q("1e-9")}, 10000}},
      {{SubsampledGaussian{q("1"), q("0")}, 10000}},
      {{SubsampledGaussian{q("1"), q("1")}, 10}},
      {{SubsampledLaplace{q("1"), q("0.5")}, 10}},
      {{Generic{q("0.5"), q("1e-20")}, 10}},
      {{DiscreteLaplace{q("0.1"), 7}, 100}},
      {{Exponential{q("0.1")}, 10}, {PermuteAndFlip{q("0.2")}, 10}},
      {{Gaussian{q("1e6")}, 1}},
  };
  for (const auto& uses : cases) {
    for (const double delta : {0.5, 1e-6, 1e-18}) {
      const Bounds b = pld_epsilon(uses, delta);
      EXPECT_FALSE(std::isnan(b.upper) || std::isnan(b.lower)) << to_string(uses[0]);
      EXPECT_LE(b.lower, b.upper) << to_string(uses[0]);
      EXPECT_TRUE(std::isfinite(b.upper)) << to_string(uses[0]) << " at " << delta;
    }
  }
}

// Each was once bounded from below the truth: a window that began right of epsilon, and an overflow
// in the inverse of sampling.
TEST(Pld, UpperBoundsStayAboveTheTruthWhereNumbersAreExtreme) {
  const struct {
    Use use;
    double delta;
    double truth;
  } cases[] = {{{Gaussian{q("1e6")}, 10'000'000}, 1e-9, 0.014735},
               {{Gaussian{q("1e5")}, 100'000'000}, 1e-9, 0.5349},
               {{Gaussian{q("1e6")}, 1'000'000'000}, 1e-9, 0.1619},
               {{SubsampledGaussian{q("0.01"), q("1e-9")}, 1}, 1e-18, 4000},
               {{SubsampledGaussian{q("0.05"), q("1e-3")}, 1}, 1e-9, 190}};
  for (const auto& c : cases) {
    const Bounds b = pld_epsilon({c.use}, c.delta);
    EXPECT_GE(b.upper, c.truth) << to_string(c.use);
    EXPECT_LE(b.lower, b.upper);
  }
  EXPECT_GE(pld_delta({{SubsampledGaussian{q("0.01"), q("1e-9")}, 1}}, 4000).upper, 9.9e-10);
  // Losses near the resolution of doubles: no crash, no answer below the truth.
  EXPECT_GE(pld_epsilon({{SubsampledGaussian{q("19360"), q("5.13e-12")}, 149391}}, 1e-9).upper, 0);
}

TEST(Composed, CountsWhatLiesLeftOfTheWindow) {
  const GridLoss grid = round_up(gaussian_loss(0.5), {0.01, 0}, 1e-14);
  const double slow = slow_delta(grid, 5, 0.1);
  EXPECT_GE(std::exp(Composed::of({{grid, 5}}, Side::kUpper, 60).log_delta(0.1)), slow);
}

// Suffix sums once ended in a subnormal number that times the decay rounded to itself: a lower
// bound of 0.36 where the truth is 0.032, at a tilt that is far too large.
TEST(Composed, LowerBoundsAreNotMadeOfUnderflow) {
  const double truth = pld_epsilon({{SubsampledGaussian{1, q("1e-4")}, 1}}, 1e-12).upper;
  const GridLoss grid =
      round_down(subsampled(gaussian_loss(1), 1e-4), {0x1p-19, 0}, 1e-27, 0x1p-19 * 0x1p17);
  for (const double tilt : {90.0, 1400.0, 14'000.0, 60'000.0})
    EXPECT_LE(Composed::of({{grid, 1}}, Side::kLower, tilt).epsilon(1e-12), truth) << tilt;
}

TEST(Pld, GivesUpOpenlyWhereThereIsNoLossDistribution) {
  EXPECT_TRUE(std::isinf(pld_epsilon({{DiscreteGaussian{q("1")}, 1}}, 1e-6).upper));
  EXPECT_TRUE(std::isinf(pld_epsilon({{Generic{q("1"), q("1e-3")}, 1}}, 1e-6).upper));
}

TEST(Pld, UpperBoundsAreMonotoneInDeltaAndInTheNumberOfUses) {
  double before = 0;
  for (const std::uint64_t count : {1u, 2u, 5u, 10u, 100u, 1000u, 10000u}) {
    const double upper = pld_epsilon({{SubsampledGaussian{q("1"), q("0.01")}, count}}, 1e-6).upper;
    EXPECT_GE(upper, before);
    before = upper;
  }
  before = 1e300;
  for (const double delta : {1e-18, 1e-12, 1e-9, 1e-6, 1e-3, 0.1}) {
    const double upper = pld_epsilon({{Laplace{q("0.1")}, 100}}, delta).upper;
    EXPECT_LE(upper, before);
    before = upper;
  }
}

TEST(Pld, DeltaAndEpsilonAreInverse) {
  const std::vector<Use> uses = {{SubsampledGaussian{q("0.8"), q("0.02")}, 500}};
  const Bounds epsilon = pld_epsilon(uses, 1e-5);
  const Bounds delta = pld_delta(uses, epsilon.upper);
  EXPECT_LE(delta.lower, 1e-5);
  EXPECT_NEAR(delta.upper, 1e-5, 2e-7);
}

class OneUse : public testing::TestWithParam<int> {
 protected:
  Loss loss() const {
    switch (GetParam()) {
      case 0:
        return gaussian_loss(0.7);
      case 1:
        return laplace_loss(1.3);
      case 2:
        return subsampled(gaussian_loss(1), 0.1);
      case 3:
        return reversed(subsampled(gaussian_loss(1), 0.1));
      case 4:
        return subsampled(laplace_loss(1), 0.2);
      default:
        return discrete_laplace_loss(0.9, 3);
    }
  }
};

// The heart of the certificate: the two grids enclose the mechanism, at every epsilon and for every
// step.
TEST_P(OneUse, TheGridsEncloseTheCurve) {
  for (double epsilon = -1; epsilon < 2; epsilon += 0.1371) {
    const Curve truth = dense_delta(loss(), epsilon, -12, 12);
    for (const double step : {0.3, 0.1, 0.02, 0.003}) {
      const GridLoss up = round_up(loss(), {step, 0}, 1e-14);
      const GridLoss down = round_down(loss(), {step, 0}, 1e-14);
      EXPECT_GE(slow_delta(up, 1, epsilon) + up.infinity, truth.low) << step << " " << epsilon;
      EXPECT_LE(slow_delta(down, 1, epsilon), truth.high) << step << " " << epsilon;
    }
  }
}

// A planted bug: moving mass to the nearest grid point, which is neither side, must be noticed by
// the same comparison.
TEST_P(OneUse, RoundingToTheNearestGridPointIsNoticed) {
  const double step = 0.25;
  GridLoss nearest = round_up(loss(), {step, 0}, 1e-14);
  std::fill(nearest.p.begin(), nearest.p.end(), 0.0);
  const auto add = [&](double l, double p) {
    const long index = std::lround(l / step) - nearest.first;
    if (index >= 0 && index < static_cast<long>(nearest.p.size()))
      nearest.p[static_cast<std::size_t>(index)] += p;
  };
  const Loss original = loss();
  for (double a = -12; a < 12; a += 0.001) add(a + 0.0005, original.cell(a, a + 0.001).p_high);
  for (const Atom& atom : loss().atoms) add(atom.loss, atom.mass.p_high);
  bool below = false;
  for (double epsilon = -1; epsilon < 2; epsilon += 0.1371) {
    below =
        below || slow_delta(nearest, 1, epsilon) < dense_delta(loss(), epsilon, -12, 12).low - 1e-4;
  }
  EXPECT_TRUE(below);
}

TEST_P(OneUse, TheFourierSumAgreesWithTheSlowOne) {
  for (const Side side : {Side::kUpper, Side::kLower}) {
    const GridLoss grid = side == Side::kUpper ? round_up(loss(), {0.05, 0}, 1e-14)
                                               : round_down(loss(), {0.05, 0}, 1e-14);
    for (const double epsilon : {0.5, 1.0, 2.0, 3.0}) {
      const double slow = slow_delta(grid, 5, epsilon);
      // Valid with any tilt, sharp with the right one.
      for (const double factor : {0.3, 1.0, 3.0}) {
        const double tilt = factor * tilt_for_epsilon({{grid, 5}}, epsilon);
        const double fast = std::exp(Composed::of({{grid, 5}}, side, tilt).log_delta(epsilon));
        if (side == Side::kUpper) {
          EXPECT_GE(fast, slow * (1 - 1e-12));
          if (factor == 1.0) {
            EXPECT_LE(fast, slow * (1 + 1e-6) + 6 * grid.infinity + 1e-15);
          }
        } else {
          EXPECT_LE(fast, slow * (1 + 1e-12));
          if (factor == 1.0) {
            EXPECT_GE(fast, slow * (1 - 1e-6));
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Losses, OneUse, testing::Range(0, 6));

// Merging loses nothing under P and gains nothing under Q; a cell that is moved down a step does.
TEST(RoundDown, KeepsTheMassesOfBoth) {
  const struct {
    const char* name;
    Loss loss;
    double step;
  } cases[] = {{"gaussian", gaussian_loss(1 / 85.4), 0x1p-8},
               {"fine gaussian", gaussian_loss(0.5), 0x1p-12},
               {"sampled gaussian", subsampled(gaussian_loss(1), 0.01), 0x1p-10},
               {"laplace", laplace_loss(1.86), 0.0002},
               {"coarse laplace", laplace_loss(0.01), 0.001}};
  for (const auto& one : cases) {
    const GridLoss grid = round_down(one.loss, {one.step, 0}, 1e-20);
    double p = 0;
    double q = 0;
    for (std::size_t i = 0; i < grid.p.size(); ++i) {
      const double index = static_cast<double>(grid.first + static_cast<long>(i));
      p += grid.p[i];
      q += grid.p[i] * std::exp(-(grid.grid.offset + index * grid.grid.step));
    }
    EXPECT_NEAR(p, 1, 1e-10) << one.name;
    EXPECT_NEAR(q, 1, 1e-10) << one.name;
  }
}

TEST(Fourier, InvertsItselfWithinItsBound) {
  std::mt19937_64 numbers(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const std::size_t n : {8u, 64u, 128u, 1024u, 65536u}) {
    const Fourier fourier(n);
    Spectrum x(n);
    for (std::size_t i = 0; i < n; ++i) x.at(i) = uniform(numbers);
    Spectrum original = x;
    fourier.forward(x);
    fourier.inverse(x);
    double error = 0;
    double size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      error += (x.at(i) - original.at(i)) * (x.at(i) - original.at(i));
      size += original.at(i) * original.at(i);
    }
    EXPECT_LE(std::sqrt(error), 2.1 * fourier.relative_error() * std::sqrt(size));
  }
}

TEST(Fourier, AgreesWithTheDefinition) {
  std::mt19937_64 numbers(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::size_t n = 8; n <= 256; n *= 2) {
    const Fourier fourier(n);
    Spectrum x(n);
    std::vector<double> in(n);
    for (std::size_t i = 0; i < n; ++i) x.at(i) = in[i] = uniform(numbers);
    fourier.forward(x);
    for (std::size_t k = 0; k <= n / 2; ++k) {
      long double re = 0;
      long double im = 0;
      long double size = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const long double angle = -2 * std::numbers::pi_v<long double> *
                                  static_cast<long double>(j * k % n) / static_cast<long double>(n);
        re += in[j] * std::cos(angle);
        im += in[j] * std::sin(angle);
        size += std::fabs(in[j]);
      }
      const double bound = 2 * fourier.relative_error() * static_cast<double>(size);
      EXPECT_NEAR(x.re[fourier.place(k)], static_cast<double>(re), bound) << n << " " << k;
      EXPECT_NEAR(x.im[fourier.place(k)], static_cast<double>(im), bound) << n << " " << k;
    }
  }
}

TEST(Fourier, PowersAreThoseOfComplexNumbersAndTheRestIsAbove) {
  std::mt19937_64 numbers(4);
  std::uniform_real_distribution<double> uniform(-0.7, 0.7);
  Spectrum x(1024);
  for (std::size_t i = 0; i < x.re.size(); ++i) {
    x.re[i] = uniform(numbers);
    x.im[i] = uniform(numbers);
  }
  for (const double count : {1.0, 2.0, 3.0, 8.0, 77.0, 1000.0}) {
    Spectrum product(1024);
    std::fill(product.re.begin(), product.re.end(), 1.0);
    std::vector<double> rest(x.re.size(), 1.0);
    multiply_power(product, rest, x, count, 1e-3);
    for (std::size_t i = 0; i < x.re.size(); ++i) {
      const std::complex<long double> z(x.re[i], x.im[i]);
      const auto power = std::pow(z, static_cast<int>(count));
      const double bound = 12 * 0x1p-53 * count * static_cast<double>(std::abs(power)) + 1e-130;
      EXPECT_NEAR(product.re[i], static_cast<double>(power.real()), bound);
      EXPECT_NEAR(product.im[i], static_cast<double>(power.imag()), bound);
      const long double least = std::pow(std::abs(z) + 1e-3L, static_cast<int>(count) - 1);
      EXPECT_GE(rest[i] * (1 + 1e-12), static_cast<double>(least));
      EXPECT_LE(rest[i], static_cast<double>(least) * (1 + 1e-12) + 1e-139);
    }
  }
}

// The assumption of pld.md §4, against correctly rounded values.
TEST(CLibrary, IsWithinTheErrorsThatAreCharged) {
  using Fast = double (*)(double);
  using Exact = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  const struct {
    Fast fast;
    Exact exact;
    double low;
    double high;
  } functions[] = {{std::exp, mpfr_exp, -700, 700},
                   {std::expm1, mpfr_expm1, -2, 2},
                   {std::log1p, mpfr_log1p, -0.999, 50},
                   {std::log, mpfr_log, 1e-3, 1e6},
                   {std::erfc, mpfr_erfc, 0, 26}};
  std::mt19937_64 numbers(2);
  mpfr_t x;
  mpfr_t y;
  mpfr_inits2(100, x, y, nullptr);
  for (const auto& f : functions) {
    std::uniform_real_distribution<double> uniform(f.low, f.high);
    for (int i = 0; i < 5000; ++i) {
      const double input = uniform(numbers);
      mpfr_set_d(x, input, MPFR_RNDN);
      f.exact(y, x, MPFR_RNDN);
      const double fast = f.fast(input);
      mpfr_sub_d(y, y, fast, MPFR_RNDN);
      EXPECT_LE(std::fabs(mpfr_get_d(y, MPFR_RNDN)), 8 * std::fabs(fast) * 0x1p-52) << input;
    }
  }
  mpfr_clears(x, y, nullptr);
}

}  // namespace
}  // namespace discreet::accounting::pld_test
