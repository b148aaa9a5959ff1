// SPDX-License-Identifier: Apache-2.0
#include "mechanism/thresholded_laplace.h"

#include <gtest/gtest.h>

#include "mechanism/brackets_for_tests.h"
#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"

namespace discreet::mechanism::thresholded_laplace_test {
namespace {

using Shown = std::optional<Int128>;

Result<ThresholdedLaplace> attempt(const char* epsilon, const char* delta,
                                   const char* sensitivity = "1") {
  return ThresholdedLaplace::make({.epsilon = *Epsilon::parse(epsilon),
                                   .delta = *Delta::parse(delta),
                                   .sensitivity = *Sensitivity::parse(sensitivity)});
}

Tabulated<Shown> table(const ThresholdedLaplace& mechanism, Int128 x) {
  return tabulate<4>(20, [&](auto& tape) {
    return Door::replay(mechanism, Sensitive<Int128>(x), tape).outcome();
  });
}

Shown released(const ThresholdedLaplace& mechanism, Int128 x) {
  return Door::release(mechanism, Sensitive<Int128>(x), cli::OwnValues::for_use_of(mechanism))
      ->value();
}

/// Pr[Z >= t] = q^t / (1 + q), t >= 1.
Interval tail(const Rational& scale, const Integer& t) {
  return exp(interval(-Rational(t) / scale)) / (interval(1) + exp(interval(-1 / scale)));
}

TEST(ThresholdedLaplace, TheThresholdIsTheLeastThatKeepsTheMassAtItWithinDelta) {
  for (const char* epsilon : {"0.01", "1/3", "1", "ln", "4", "40"}) {
    if (std::string_view(epsilon) == "ln") epsilon = "0.6931471805599453094";
    for (const char* delta : {"1e-300", "1e-9", "1e-6", "0.01", "0.1", "0.4"}) {
      for (const char* sensitivity : {"1", "2", "7"}) {
        const auto mechanism = attempt(epsilon, delta, sensitivity);
        const Rational distance = Sensitivity::parse(sensitivity)->value();
        const Rational scale = distance / Epsilon::parse(epsilon)->value();
        const Integer jump = to_integer(mechanism->threshold()) - distance.numerator();
        const Interval allowed = interval(Delta::parse(delta)->value());
        ASSERT_GE(jump, 1);
        EXPECT_TRUE(certainly_less(tail(scale, jump), allowed)) << epsilon << ' ' << delta;
        // The off-by-one mutant, "mass above the threshold only" (opendp#2922), is caught.
        if (jump > 1) {
          EXPECT_TRUE(certainly_less(allowed, tail(scale, jump - 1))) << epsilon << ' ' << delta;
        }
      }
    }
  }
  EXPECT_EQ(attempt("1", "1e-6")->threshold(), 15);  // e^-14/(1+1/e) = 6.1e-7, e^-13... = 1.7e-6
  EXPECT_EQ(attempt("1", "0.9")->threshold(), 2);    // never at or below the sensitivity
}

TEST(ThresholdedLaplace, AllTapesGiveTheNoisyCountOrNothing) {
  const auto mechanism = *attempt("1", "0.1");
  ASSERT_EQ(mechanism.threshold(), 3);
  const Interval q = exp(interval(-1));
  const Interval middle = (interval(1) - q) / (interval(1) + q);
  for (const Int128 x : {1, 2, 3, 6}) {
    const auto seen = table(mechanism, x);
    EXPECT_LT(seen.cut_off, ratio(1, 10));
    for (Int128 y = 3; y < 10; ++y) {
      const Int128 gap = y > x ? y - x : x - y;
      EXPECT_TRUE(agrees(seen, Shown(y), middle * exp(interval(-Rational(to_integer(gap))))));
    }
    EXPECT_EQ(seen.mass.count(Shown(2)), 0u);
    EXPECT_EQ(seen.mass.count(Shown(0)), 0u);
  }
  const auto absent = table(mechanism, 0);
  EXPECT_EQ(absent.mass.size(), 1u);
  EXPECT_EQ(absent.mass.count(std::nullopt), 1u);
}

TEST(ThresholdedLaplace, CompiledNeighboursStayWithinEpsilonAndDelta) {
  const auto mechanism = *attempt("1", "0.1");
  const Epsilon epsilon = *Epsilon::parse("1");
  for (Int128 x = 0; x < 5; ++x) {
    EXPECT_LE(delta_between(table(mechanism, x), table(mechanism, x + 1), epsilon), ratio(1, 10));
  }
  // 1 + Z against a threshold one lower is 2 + Z against this one: the mutant pays too much delta.
  EXPECT_GT(delta_between(table(mechanism, 0), table(mechanism, 2), epsilon), ratio(1, 10));
}

TEST(ThresholdedLaplace, AbsentKeysNeverAppearAndLargeOnesDo) {
  const auto mechanism = *attempt("1", "1e-6");
  const Integer sure = mechanism.shown_from(*Confidence::parse("0.999999999999"));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(released(mechanism, 0));
    EXPECT_FALSE(released(mechanism, -5));
    EXPECT_FALSE(released(mechanism, kInt128Min));
    EXPECT_TRUE(released(mechanism, to_int128(sure)));
    EXPECT_TRUE(released(mechanism, kInt128Max));
  }
}

TEST(ThresholdedLaplace, SaysWhatItCosts) {
  const auto mechanism = *attempt("1/2", "1e-6", "2");
  EXPECT_EQ(mechanism.cost().epsilon->value(), ratio(1, 2));
  EXPECT_EQ(mechanism.cost().rho->value(), ratio(1, 8));
  EXPECT_EQ(mechanism.cost().delta.value(), ratio(1, 1'000'000));
  EXPECT_EQ(mechanism.noise().text, "thresholded-laplace(scale=4,sensitivity=2,threshold=" +
                                        to_string(mechanism.threshold()) + ")");
  EXPECT_EQ(mechanism.accuracy(default_confidence())->half_width, Rational(12));
  EXPECT_EQ(ThresholdedLaplace::describe(std::nullopt), "absent");
  EXPECT_EQ(ThresholdedLaplace::describe(Int128{-3}), "-3");
}

TEST(ThresholdedLaplace, RefusesWhatCannotBePrivate) {
  const auto none = attempt("1", "0");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::kInvalidInput);
  EXPECT_NE(none.error().message.find("delta above 0"), std::string::npos);
  EXPECT_FALSE(attempt("1", "1e-6", "3/2"));
  EXPECT_FALSE(attempt("1", "1e-6", "1e20"));
  EXPECT_FALSE(attempt("1e-20", "1e-6"));
  EXPECT_TRUE(attempt("1", "1e-1000"));
}

}  // namespace
}  // namespace discreet::mechanism::thresholded_laplace_test
