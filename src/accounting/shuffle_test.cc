// SPDX-License-Identifier: Apache-2.0
#include "accounting/shuffle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "accounting/binomial.h"
#include "accounting/outward.h"

namespace discreet::accounting::shuffle_test {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

double choose(int n, int k) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}
double binomial(int n, int k, double p) {
  return k < 0 || k > n ? 0 : choose(n, k) * std::pow(p, k) * std::pow(1 - p, n - k);
}

/// The clones' hockey stick, over every pair of counts.
double clones_by_enumeration(int n, double clone, double e0, double epsilon) {
  const double keep = std::exp(e0) / (std::exp(e0) + 1);
  std::map<std::pair<int, int>, std::pair<double, double>> masses;
  for (int c = 0; c < n; ++c) {
    for (int a = 0; a <= c; ++a) {
      const double mass = binomial(n - 1, c, clone) * binomial(c, a, 0.5);
      for (const int d : {0, 1}) {
        const double weight = d == 1 ? keep : 1 - keep;
        masses[{a + d, c - a + 1 - d}].first += mass * weight;
        masses[{a + 1 - d, c - a + d}].second += mass * weight;
      }
    }
  }
  double sum = 0;
  for (const auto& [counts, pq] : masses)
    sum += std::max(0.0, pq.first - std::exp(epsilon) * pq.second);
  return sum;
}

TEST(Binomial, BracketsTheMasses) {
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{20}, std::uint64_t{300}}) {
    for (const double p : {0.01, 0.5, 0.9}) {
      const Binomial b(n, p / (1 - p));
      double tail = 1;
      for (int x = 0; x <= static_cast<int>(n); ++x) {
        const double exact = binomial(static_cast<int>(n), x, p);
        EXPECT_LE(b.at(x).low, exact * (1 + 1e-10));
        EXPECT_GE(b.at(x).high, exact * (1 - 1e-10));
        EXPECT_NEAR(b.from(x).high, tail, 1e-10);
        tail -= exact;
      }
    }
  }
}

TEST(Shuffle, NumericalFormIsTheEnumeration) {
  for (const int n : {2, 5, 30, 60}) {
    for (const double e0 : {0.5, 1.0, 2.0}) {
      for (const double epsilon : {0.0, 0.1, 0.4, 1.5}) {
        const Shuffle shuffle{static_cast<std::uint64_t>(n),
                              Rational::ratio(static_cast<long>(e0 * 10), 10)};
        const Bounds b =
            shuffled_delta(shuffle, Rational::ratio(static_cast<long>(epsilon * 10), 10));
        const double exact =
            epsilon >= e0 ? 0 : clones_by_enumeration(n, std::exp(-e0), e0, epsilon);
        EXPECT_LE(b.lower, b.upper);
        EXPECT_NEAR(b.upper, exact, 1e-9) << n << " " << e0 << " " << epsilon;
        EXPECT_NEAR(b.lower, exact, 1e-9);
      }
    }
  }
}

TEST(Shuffle, ClosedFormIsAboveTheNumericalOne) {
  for (const std::uint64_t n : {std::uint64_t{1000}, std::uint64_t{20000}}) {
    for (const char* e0 : {"0.2", "1", "2"}) {
      const Shuffle shuffle{n, number(e0)};
      const Bounds b = shuffled_epsilon(shuffle, number("1e-6"));
      EXPECT_LE(b.lower, b.upper);
      EXPECT_LE(b.upper - b.lower, 1e-3 * b.upper);
      EXPECT_GE(shuffled_epsilon_closed(shuffle, number("1e-6")), b.upper);
    }
  }
}

TEST(Shuffle, MorePeopleHideBetter) {
  double last = 1;
  for (const std::uint64_t n :
       {std::uint64_t{10}, std::uint64_t{100}, std::uint64_t{1000}, std::uint64_t{10000}}) {
    const double epsilon = shuffled_epsilon({n, 1}, number("1e-6")).upper;
    EXPECT_LE(epsilon, last);
    last = epsilon;
  }
}

TEST(Shuffle, ResponsesAtGivenBitsAreTheEnumeration) {
  const double e0 = 1;
  const double keep = std::exp(e0) / (std::exp(e0) + 1);
  const int n = 12;
  for (const int ones : {0, 4, 11}) {
    for (const double epsilon : {0.0, 0.3, 0.7}) {
      double forward = 0;
      double backward = 0;
      for (int x = 0; x <= n; ++x) {
        double p = 0;
        double q = 0;
        for (int i = 0; i <= ones; ++i) {
          for (const int own : {0, 1}) {
            const int j = x - own - i;
            const double rest = binomial(ones, i, keep) * binomial(n - 1 - ones, j, 1 - keep);
            p += rest * (own == 1 ? keep : 1 - keep);
            q += rest * (own == 1 ? 1 - keep : keep);
          }
        }
        forward += std::max(0.0, p - std::exp(epsilon) * q);
        backward += std::max(0.0, q - std::exp(epsilon) * p);
      }
      const Bounds b =
          shuffled_response_delta_at({n, 1}, static_cast<std::uint64_t>(ones),
                                     Rational::ratio(static_cast<long>(epsilon * 10 + 0.5), 10));
      EXPECT_NEAR(b.upper, std::max(forward, backward), 1e-8);
      EXPECT_NEAR(b.lower, std::max(forward, backward), 1e-8);
    }
  }
}

TEST(Shuffle, ResponsesLieBetweenEveryNeighbourAndTheGeneralBound) {
  const Shuffle shuffle{400, 1};
  const Bounds b = shuffled_response_delta(shuffle, number("0.1"));
  for (const std::uint64_t ones : {0, 1, 50, 200, 398, 399})
    EXPECT_GE(b.upper, shuffled_response_delta_at(shuffle, ones, number("0.1")).upper);
  EXPECT_GE(b.lower, shuffled_response_delta_at(shuffle, 0, number("0.1")).lower * (1 - 1e-6));
  EXPECT_LE(b.upper, shuffled_delta(shuffle, number("0.1")).upper);
  const Bounds few = shuffled_response_epsilon({50, 1}, number("1e-3"));
  EXPECT_LE(few.upper - few.lower, 1e-5 * few.upper);
}

// The worst of all that the others may hold, by trying all.
TEST(Shuffle, ResponsesAreTheWorstOfAllOthers) {
  for (const char* e0 : {"0.5", "2", "4"}) {
    for (const char* epsilon : {"0.01", "0.2"}) {
      const Shuffle shuffle{60, number(e0)};
      Bounds worst;
      for (std::uint64_t ones = 0; ones < 60; ++ones) {
        const Bounds one = shuffled_response_delta_at(shuffle, ones, number(epsilon));
        worst.lower = std::max(worst.lower, one.lower);
        worst.upper = std::max(worst.upper, one.upper);
      }
      const Bounds b = shuffled_response_delta(shuffle, number(epsilon));
      EXPECT_GE(b.upper, worst.lower) << e0 << " " << epsilon;
      EXPECT_LE(b.lower, worst.upper) << e0 << " " << epsilon;
      EXPECT_LE(b.upper - b.lower, 1e-5 * b.upper) << e0 << " " << epsilon;
    }
  }
}

TEST(Shuffle, ResponsesOfManyPeopleAreBracketedClosely) {
  for (const auto& [people, e0] :
       {std::pair<std::uint64_t, const char*>{10'000, "1"}, {10'000, "4"}, {1'000'000, "8"}}) {
    const Shuffle shuffle{people, number(e0)};
    const Bounds b = shuffled_response_epsilon(shuffle, number("1e-6"));
    EXPECT_LE(b.upper - b.lower, 2e-4 * b.upper) << people << " " << e0;
    EXPECT_LT(b.upper, clones_of_responses_epsilon(shuffle, number("1e-6")).upper);
    // Just below, some neighbours show more.
    EXPECT_GE(shuffled_response_delta(shuffle, exactly(b.lower)).upper, 1e-6);
  }
}

TEST(Shuffle, HoldsAtTheLimits) {
  for (const Shuffle& shuffle : {Shuffle{2, 1024}, Shuffle{2, power_of_two(-40)},
                                 Shuffle{1'000'000, 1024}, Shuffle{1000, power_of_two(-40)}}) {
    ASSERT_TRUE(check(shuffle).has_value());
    const Bounds b = shuffled_epsilon(shuffle, number("1e-18"));
    EXPECT_LE(b.lower, b.upper);
    EXPECT_TRUE(std::isfinite(b.upper) && b.upper <= shuffle.epsilon0.to_double(Round::kUp));
  }
  EXPECT_FALSE(check(Shuffle{1, 1}).has_value());
  EXPECT_FALSE(check(Shuffle{10, 0}).has_value());
}

}  // namespace
}  // namespace discreet::accounting::shuffle_test
