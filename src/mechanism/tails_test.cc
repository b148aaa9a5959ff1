// SPDX-License-Identifier: Apache-2.0
#include "mechanism/tails.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::tails_test {
namespace {

bool surely_above(const Real& x, const Rational& bound) {
  return certainly_less(Interval::around(bound, 512), x(512));
}

Confidence without(const char* beta) { return Confidence::trusted(Rational(1) - rational(beta)); }

double to_double(const Real& x) { return x(128).high().to_double(Round::kUp); }

const std::vector<const char*> kBetas = {"0.999", "1/2", "0.05", "1e-3", "1e-30", "1e-300"};

TEST(LaplaceHalfWidth, IsTheLeastIntegerThatSuffices) {
  for (const char* s :
       {"1099511627776", "1000000007/3", "1000", "10", "1", "1/3", "1/40", "1/1099511627776"}) {
    for (const char* beta : kBetas) {
      const Integer w = laplace_half_width(scale_of(s), without(beta));
      EXPECT_TRUE(surely_at_most(laplace_tail(scale_of(s), w + 1), rational(beta))) << s << beta;
      EXPECT_TRUE(w == 0 || surely_above(laplace_tail(scale_of(s), w), rational(beta)))
          << s << beta;
    }
  }
}

// The lectures' continuous bound s ln(1/beta) = 2.9957 would promise 5% and fail with 7.3%.
TEST(LaplaceHalfWidth, TheContinuousBoundWouldBeFalse) {
  EXPECT_EQ(laplace_half_width(scale_of("1"), without("0.05")), 3);
  const Real at_continuous_bound = laplace_tail(scale_of("1"), 3);  // |Z| > 2.9957
  EXPECT_TRUE(surely_above(at_continuous_bound, rational("0.0727")));
  EXPECT_TRUE(surely_at_most(at_continuous_bound, rational("0.0728")));
}

TEST(LaplaceHalfWidth, NeverExceedsTheCeilingOfTheContinuousBound) {
  for (const char* s : {"1/3", "1", "7/2", "100"}) {
    for (const char* beta : {"0.9", "1/3", "0.05", "1e-9"}) {
      const double bound = std::ceil(rational(s).to_double(Round::kUp) *
                                     -std::log(rational(beta).to_double(Round::kUp)));
      EXPECT_LE(laplace_half_width(scale_of(s), without(beta)).get_d(), bound);
    }
  }
}

TEST(LaplaceTail, StartsAtOneAndFallsByQ) {
  EXPECT_TRUE(surely_at_most(laplace_tail(scale_of("2"), 0), rational("1.0000001")));
  EXPECT_TRUE(surely_at_most(laplace_tail(scale_of("2"), -5), rational("1.0000001")));
  const double ratio =
      to_double(laplace_tail(scale_of("2"), 8)) / to_double(laplace_tail(scale_of("2"), 7));
  EXPECT_NEAR(ratio, std::exp(-0.5), 1e-12);
}

TEST(LaplaceMoments, AgreeWithTheirSums) {
  for (const char* s : {"1/4", "1", "3/2", "20"}) {
    double square = 0;
    double size = 0;
    for (int t = 1; t < 2000; ++t) {
      const double tail = to_double(laplace_tail(scale_of(s), t));
      size += tail;
      square += (2 * t - 1) * tail;
    }
    EXPECT_NEAR(to_double(laplace_variance(scale_of(s))), square, 1e-9 * square) << s;
    EXPECT_NEAR(to_double(laplace_expected_size(scale_of(s))), size, 1e-9 * size) << s;
  }
}

TEST(UpperBound, IsAboveAndDoesNotTryToWriteDownTheTiniest) {
  EXPECT_GT(upper_bound(exp_real(-1)), rational("0.36787944117"));
  EXPECT_LT(upper_bound(exp_real(-1)), rational("0.36787944118"));
  EXPECT_EQ(upper_bound(laplace_tail(scale_of("1/1099511627776"), 1)), power_of_two(-4096));
}

// Pr[|Z| >= t] of the discrete Gaussian by adding up its weights, from above.
Rational discrete_gaussian_tail_from_above(const Rational& variance, int t, int far) {
  Interval total = Interval::around(1, 256);
  Interval tail = Interval::around(rational("1e-60"), 256);  // more than all that lies beyond `far`
  for (int z = 1; z <= far; ++z) {
    const Interval two = Interval::around(2, 256);
    const Interval weight =
        two * exp(Interval::around(Rational(-z) * Rational(z) / variance / 2, 256));
    total = total + weight;
    if (z >= t) tail = tail + weight;
  }
  return (tail / total).high();
}

TEST(GaussianTail, BoundsTheDiscreteGaussian) {
  for (const char* variance : {"1/8", "1/3", "1", "10", "400"}) {
    const int deviation =
        static_cast<int>(std::ceil(std::sqrt(rational(variance).to_double(Round::kUp))));
    for (int t = 1; t <= 8 * deviation; ++t) {
      const Rational exact =
          discrete_gaussian_tail_from_above(rational(variance), t, 18 * deviation + 2);
      EXPECT_LE(exact, upper_bound(gaussian_tail(variance_of(variance), t)) + rational("1e-59"))
          << variance << " " << t;
    }
  }
}

// ... and a bound half a step tighter, the continuous tail erfc(t / sqrt(2 sigma^2)), would not.
TEST(GaussianTail, TheContinuousTailWouldBeFalse) {
  const Real continuous = [](int p) { return erfc(sqrt(Interval::around(rational("49/20"), p))); };
  EXPECT_TRUE(surely_at_most(continuous, discrete_gaussian_tail_from_above(10, 7, 80)));
}

TEST(GaussianTail, AgreesWithAnotherProgramsRoundedGaussian) {
  std::ifstream file(std::string(DISCREET_SOURCE_DIR) + "/src/random/testdata/pmf.csv");
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("rounded_gaussian,")) continue;
    const auto a = line.find(','), b = line.find(',', a + 1), c = line.find(',', b + 1);
    const Variance variance = variance_of(line.substr(a + 1, b - a - 1));
    const Integer z = abs(rational(line.substr(b + 1, c - b - 1)).numerator());
    if (z == 0) continue;
    const Rational theirs = rational(line.substr(c + 1));
    const Interval ours = (gaussian_tail(variance, z)(256) - gaussian_tail(variance, z + 1)(256)) /
                          Interval::around(2, 256);
    const Rational slack = theirs * rational("1e-38");
    EXPECT_LT((ours.high() - theirs).abs(), slack) << line;
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

TEST(GaussianHalfWidth, IsTheLeastIntegerThatSuffices) {
  for (const char* variance :
       {"1152921504606846976", "1000000", "10", "1", "1/7", "1/1099511627776"}) {
    for (const char* beta : kBetas) {
      const Variance v = variance_of(variance);
      const Integer w = gaussian_half_width(v, without(beta));
      EXPECT_TRUE(surely_at_most(gaussian_tail(v, w + 1), rational(beta))) << variance << beta;
      EXPECT_TRUE(w == 0 || surely_above(gaussian_tail(v, w), rational(beta))) << variance << beta;
    }
  }
  EXPECT_EQ(gaussian_half_width(variance_of("1000000"), without("0.05")), 1960);  // 1.95996 sigma
}

TEST(GaussianMoments, BoundTheSumsOverTheRoundedGaussian) {
  for (const char* variance : {"1/100", "1/10", "1/3", "1", "30"}) {
    double square = 0;
    double size = 0;
    for (int t = 1; t < 120; ++t) {
      const double tail = to_double(gaussian_tail(variance_of(variance), t));
      size += tail;
      square += (2 * t - 1) * tail;
    }
    const double bound =
        rounded_gaussian_variance_bound(variance_of(variance)).to_double(Round::kUp);
    EXPECT_LE(square, bound) << variance;
    EXPECT_LE(size, to_double(gaussian_expected_size_bound(variance_of(variance)))) << variance;
    EXPECT_TRUE(rational(variance) < 1 || square > bound - 1e-6);  // and it is tight
  }
}

TEST(SurelyAtMost, SaysNoWhenItCannotTell) {
  EXPECT_FALSE(surely_at_most(real(1), 1));  // true, but no interval shows more than "not above"
  EXPECT_TRUE(surely_at_most(real(1), rational("1.01")));
  EXPECT_FALSE(surely_at_most(real(1), rational("0.99")));
}

}  // namespace
}  // namespace discreet::mechanism::tails_test
