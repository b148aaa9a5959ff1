// SPDX-License-Identifier: Apache-2.0
#include "accounting/renyi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "accounting/gaussian_dp.h"
#include "accounting/renyi_curves.h"
#include "accounting/zcdp.h"

namespace discreet::accounting::renyi_test {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

using LogDensity = std::function<double(double)>;

/// D_alpha(p||q) from the logarithms of the densities, by the midpoint rule on [low, high].
double divergence(double order, double low, double high, const LogDensity& p, const LogDensity& q) {
  const int n = 40000;
  const double h = (high - low) / n;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double x = low + (i + 0.5) * h;
    sum += std::exp(order * p(x) + (1 - order) * q(x)) * h;
  }
  return std::log(sum) / (order - 1);
}

double normal(double x, double mean, double sigma) {
  const double z = (x - mean) / sigma;
  return -z * z / 2 - std::log(sigma * std::sqrt(2 * M_PI));
}
double laplace(double x, double mean, double epsilon) {
  return std::log(epsilon / 2) - epsilon * std::fabs(x - mean);
}
/// ln((1-q) e^a + q e^b).
double mix(double q, double a, double b) {
  const double top = std::max(a, b);
  return top + std::log((1 - q) * std::exp(a - top) + q * std::exp(b - top));
}

double tau_at(const Mechanism& mechanism, double order) {
  return renyi_curve(mechanism, std::vector<double>{order})[0];
}

// Each formula against the integral that defines it.
TEST(RenyiCurve, FormulasAreTheIntegrals) {
  for (const double order : {1.5, 2.0, 3.0, 7.0}) {
    EXPECT_NEAR(tau_at(Gaussian{2}, order),
                divergence(
                    order, -40, 40, [](double x) { return normal(x, 1, 2); },
                    [](double x) { return normal(x, 0, 2); }),
                1e-7);
    for (const double e : {0.1, 1.0, 3.0}) {
      const Rational epsilon = Rational::ratio(static_cast<long>(e * 10), 10);
      const double exact = divergence(
          order, -40 / e, 40 / e + 1, [&](double x) { return laplace(x, 1, e); },
          [&](double x) { return laplace(x, 0, e); });
      EXPECT_NEAR(tau_at(Laplace{epsilon}, order), exact, 2e-3 * exact);
    }
  }
}

TEST(RenyiCurve, DiscreteFormulasAreTheSums) {
  for (const double order : {1.5, 2.0, 10.0}) {
    for (const unsigned steps : {1U, 2U, 7U}) {
      const double e = 0.8;
      const double r = std::exp(-e / steps);
      double sum = 0;
      for (int z = -2000; z <= 2000; ++z) {
        const double p = (1 - r) / (1 + r) * std::pow(r, std::abs(z));
        const double q = (1 - r) / (1 + r) * std::pow(r, std::abs(z - static_cast<int>(steps)));
        if (p > 0 && q > 0) sum += p * std::pow(p / q, order - 1);
      }
      EXPECT_NEAR(tau_at(DiscreteLaplace{number("0.8"), steps}, order), std::log(sum) / (order - 1),
                  1e-9);
    }
    const double p = std::exp(0.8) / (1 + std::exp(0.8));
    const double exact = std::log(std::pow(p, order) * std::pow(1 - p, 1 - order) +
                                  std::pow(1 - p, order) * std::pow(p, 1 - order)) /
                         (order - 1);
    EXPECT_NEAR(tau_at(Generic{number("0.8"), 0}, order), exact, 1e-9);
  }
}

TEST(RenyiCurve, SampledSumsAreTheIntegralsAndTheOtherDirectionIsNotLarger) {
  for (const double q : {0.01, 0.2, 0.7}) {
    const Rational share = Rational::ratio(static_cast<long>(q * 100 + 0.5), 100);
    for (const double order : {2.0, 3.0, 8.0}) {
      const auto base = [](double x) { return normal(x, 0, 2); };
      const auto mixed = [&](double x) { return mix(q, normal(x, 0, 2), normal(x, 1, 2)); };
      const double forward = divergence(order, -40, 45, mixed, base);
      const double backward = divergence(order, -40, 45, base, mixed);
      const double ours = tau_at(SubsampledGaussian{2, share}, order);
      EXPECT_NEAR(ours, forward, 1e-7);
      EXPECT_GE(ours, backward - 1e-9);
      const auto laplace_base = [](double x) { return laplace(x, 0, 1); };
      const auto laplace_mixed = [&](double x) {
        return mix(q, laplace(x, 0, 1), laplace(x, 1, 1));
      };
      const double ours_laplace = tau_at(SubsampledLaplace{1, share}, order);
      EXPECT_NEAR(ours_laplace, divergence(order, -60, 61, laplace_mixed, laplace_base), 1e-4);
      EXPECT_GE(ours_laplace, divergence(order, -60, 61, laplace_base, laplace_mixed) - 1e-4);
    }
  }
}

// A planted bug, the unsampled curve scaled by q^2 (a folklore approximation), is below the truth:
// the comparison above would catch it.
TEST(RenyiCurve, AFolkloreApproximationFailsTheComparison) {
  const double q = 0.2;
  const double forward = divergence(
      8, -40, 45, [&](double x) { return mix(q, normal(x, 0, 1), normal(x, 1, 1)); },
      [](double x) { return normal(x, 0, 1); });
  EXPECT_LT(q * q * 8 / 2.0, forward - 1e-3);
}

TEST(RenyiCurve, NeverDecreasesWithTheOrder) {
  for (const Mechanism& m : std::vector<Mechanism>{
           Gaussian{3}, Laplace{1}, Generic{1, 0}, Exponential{1}, DiscreteLaplace{1, 5},
           SubsampledGaussian{1, number("0.01")}, SubsampledLaplace{1, number("0.01")}}) {
    const RenyiCurve curve = RenyiCurve::of(m);
    for (std::size_t i = 1; i < renyi_orders().size(); ++i)
      EXPECT_LE(curve.tau(i - 1), curve.tau(i) * (1 + 1e-8));
  }
}

TEST(RenyiCurve, SamplingNeverCostsMore) {
  const RenyiCurve whole = RenyiCurve::of(SubsampledGaussian{1, 1});
  double last = 0;
  for (const char* q : {"0", "1e-9", "1e-3", "0.1", "0.5", "0.99", "1"}) {
    const RenyiCurve curve = RenyiCurve::of(SubsampledGaussian{1, number(q)});
    for (std::size_t i = 0; i < renyi_orders().size(); ++i)
      EXPECT_LE(curve.tau(i), whole.tau(i) * (1 + 1e-8));
    const double epsilon = curve.times(1000).epsilon(number("1e-6"));
    EXPECT_GE(epsilon, last);
    last = epsilon;
  }
}

TEST(RenyiCurve, IsAboveTheExactGaussianAndNearZcdp) {
  const std::vector<Use> uses = {{Gaussian{10}, 100}};
  const double renyi = RenyiCurve::of(uses).epsilon(number("1e-6"));
  EXPECT_GE(renyi, GaussianDp::of(uses)->epsilon(number("1e-6")).lower);
  EXPECT_GE(renyi, zcdp_epsilon(*zcdp_of(uses), number("1e-6")) * (1 - 1e-12));
  EXPECT_LE(renyi, zcdp_epsilon(*zcdp_of(uses), number("1e-6")) * 1.01);
  EXPECT_GE(RenyiCurve::of(uses).delta(2), GaussianDp::of(uses)->delta(2).lower);
}

TEST(RenyiCurve, IsTotalAtTheLimits) {
  for (const char* sigma : {"1e-12", "1", "1e12"}) {
    for (const char* q : {"0", "1e-300", "1e-9", "0.5", "0.999999999", "1"}) {
      for (const std::uint64_t count : {std::uint64_t{1}, kCountMax}) {
        const RenyiCurve curve =
            RenyiCurve::of({{SubsampledGaussian{number(sigma), number(q)}, count}});
        for (const char* delta : {"0.5", "1e-18", "1e-300"}) {
          const double epsilon = curve.epsilon(number(delta));
          EXPECT_TRUE(std::isfinite(epsilon) && epsilon >= 0) << sigma << " " << q << " " << delta;
        }
        const double delta = curve.delta(1000);
        EXPECT_TRUE(delta >= 0 && delta <= 1);
      }
    }
  }
  for (const char* e : {"1e-12", "1000", "1e12"}) {
    for (const Mechanism& m : std::vector<Mechanism>{
             Laplace{number(e)}, Generic{number(e), 0}, Exponential{number(e)},
             DiscreteLaplace{number(e), 4096}, SubsampledLaplace{number(e), number("1e-9")}}) {
      const double epsilon = RenyiCurve::of(m).epsilon(number("1e-18"));
      EXPECT_TRUE(std::isfinite(epsilon) && epsilon >= 0) << e;
    }
  }
}

TEST(RenyiCurve, GroupsFollowTheRule) {
  const RenyiCurve one = RenyiCurve::of(Gaussian{10});
  const RenyiCurve two = one.group(2);
  const auto orders = renyi_orders();
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (2 * orders[i] > orders.back()) continue;
    // The rule is looser than the Gaussian's own factor of 4.
    EXPECT_GE(two.tau(i), 4 * one.tau(i) * (1 - 1e-12));
  }
  EXPECT_EQ(one.group(3).tau(50), one.group(4).tau(50));
  EXPECT_EQ(one.group(1).tau(50), one.tau(50));
}

TEST(RenyiCurve, DeltaSetAsideIsTakenOff) {
  const RenyiCurve curve = RenyiCurve::of({{Generic{number("0.1"), number("1e-9")}, 100}});
  EXPECT_EQ(curve.delta_set_aside(), number("1e-7"));
  EXPECT_TRUE(std::isinf(curve.epsilon(number("1e-7"))));
  EXPECT_TRUE(std::isfinite(curve.epsilon(number("1e-6"))));
}

}  // namespace
}  // namespace discreet::accounting::renyi_test
