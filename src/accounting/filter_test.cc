// SPDX-License-Identifier: Apache-2.0
#include "accounting/filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "accounting/zcdp.h"

namespace discreet::accounting::filter_test {
namespace {

Rational number(const char* text) { return *Rational::parse(text); }

TEST(Filter, TenMillionTenthsAreExactlyAMillion) {
  Filter filter = *Filter::pure(number("1000000"), 0);
  const Price tenth = *Filter::price(number("0.1"));
  for (int i = 0; i < 10'000'000; ++i) ASSERT_TRUE(filter.charge(tenth).has_value());
  EXPECT_EQ(filter.spent().amount.value(), 1'000'000);
  const Result<void> refused = filter.charge(*Filter::price(number("1e-18")));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kBudget);
  EXPECT_EQ(filter.spent().amount.value(), 1'000'000);
}

TEST(Filter, PricesRoundUpAndCapsDown) {
  EXPECT_EQ(Filter::price(number("1/3"))->amount.value(), number("0.333333333333333334"));
  EXPECT_EQ(Filter::pure(number("1/3"), 0)->cap().amount.value(), number("0.333333333333333333"));
  // Three thirds are more than one, as rounded: refused rather than overspent.
  Filter filter = *Filter::pure(1, 0);
  const Price third = *Filter::price(number("1/3"));
  EXPECT_TRUE(filter.charge(third).has_value());
  EXPECT_TRUE(filter.charge(third).has_value());
  EXPECT_FALSE(filter.charge(third).has_value());
}

TEST(Filter, EitherCapRefusesAndNothingIsCharged) {
  Filter filter = *Filter::zcdp(1, number("1e-6"));
  ASSERT_TRUE(filter.charge(*Filter::price(number("0.5"), number("9e-7"))).has_value());
  const Result<void> refused = filter.charge(*Filter::price(number("0.1"), number("2e-7")));
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("needs rho 0.1 and delta 0.0000002"), std::string::npos)
      << refused.error().message;
  EXPECT_NE(refused.error().message.find("0.5 and delta 0.0000001 is left"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(filter.spent().amount.value(), number("0.5"));
  EXPECT_EQ(filter.spent().delta.value(), number("9e-7"));
  EXPECT_TRUE(filter.admits(*Filter::price(number("0.5"), number("1e-7"))));
  EXPECT_FALSE(filter.admits(*Filter::price(number("0.500000000000000001"))));
}

TEST(Filter, SumsThatDoNotFitAreRefusedNotWrapped) {
  const Rational large = number("1.7e20");
  Filter filter = *Filter::pure(large, 0);
  ASSERT_TRUE(filter.charge(*Filter::price(large)).has_value());
  EXPECT_FALSE(filter.charge(*Filter::price(large)).has_value());
  EXPECT_FALSE(Filter::price(number("1e30")).has_value());
  EXPECT_FALSE(Filter::price(number("-1")).has_value());
  EXPECT_FALSE(Filter::renyi(1, 1).has_value());
}

TEST(Amount, IsAWholeNumberOfUnitsAndStaysInRange) {
  const Amount tenth = *Amount::up(number("0.1"));
  EXPECT_TRUE(tenth.units() == 100'000'000'000'000'000);
  EXPECT_EQ(*Amount::from_units(tenth.units()), tenth);
  EXPECT_FALSE(Amount::from_units(-1).has_value());
  const Amount largest = *Amount::from_units(kInt128Max);
  EXPECT_EQ(largest.saturating_plus(tenth), largest);
  EXPECT_EQ(tenth.saturating_plus(tenth).value(), number("0.2"));
  EXPECT_EQ(largest.minus_or_zero(tenth).saturating_plus(tenth), largest);
  EXPECT_EQ(tenth.minus_or_zero(largest), Amount());
}

TEST(Amount, RoundsPricesUpAndCapsDownWhateverTheirSize) {
  // Numerators and denominators of up to 63 bits take a way of their own.
  const Rational unit = number("1e18");
  const Integer edge = to_integer(std::numeric_limits<std::int64_t>::max());
  const Integer numerators[] = {0, 1, 2, 7, 1'000'003, edge - 1, edge, edge + 1, edge * 3};
  const Integer denominators[] = {1,    3,        10,      997, Integer("1000000000000000003", 10),
                                  edge, edge + 1, edge * 7};
  for (const Integer& n : numerators) {
    for (const Integer& d : denominators) {
      const Rational value = Rational::ratio(n, d);
      const auto up = Amount::up(value);
      const auto down = Amount::down(value);
      ASSERT_EQ(up.has_value(), fits_int128((value * unit).ceil())) << value.to_string();
      if (!up) continue;
      EXPECT_EQ(to_integer(up->units()), (value * unit).ceil()) << value.to_string();
      EXPECT_EQ(to_integer(down->units()), (value * unit).floor()) << value.to_string();
    }
    if (n == 0) continue;
    EXPECT_FALSE(Amount::up(-Rational(n)).has_value());
    EXPECT_FALSE(Amount::down(-Rational(n)).has_value());
  }
  // A small negative number rounds up to zero, but not down.
  EXPECT_EQ(*Amount::up(number("-1e-18") / 3), Amount());
  EXPECT_FALSE(Amount::down(number("-1e-18") / 3).has_value());
}

TEST(Filter, CapsMeanWhatTheConversionSays) {
  EXPECT_EQ(Filter::pure(2, number("1e-6"))->epsilon(number("1e-6")), 2);
  EXPECT_TRUE(std::isinf(Filter::pure(2, number("1e-6"))->epsilon(number("1e-7"))));
  EXPECT_EQ(Filter::zcdp(number("0.1"), 0)->epsilon(number("1e-6")),
            zcdp_epsilon({number("0.1"), 0}, number("1e-6")));
  const double renyi = Filter::renyi(12, number("1.2"))->epsilon(number("1e-6"));
  EXPECT_NEAR(renyi, 1.2 + std::log(11.0 / 12) - (std::log(1e-6) + std::log(12.0)) / 11, 1e-12);
}

TEST(Odometer, ReadsTheNextLevelAndNeverFalls) {
  Odometer odometer = *Odometer::zcdp(number("0.01"), number("1e-6"));
  EXPECT_EQ(odometer.reading(), 0);
  double last = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(odometer.charge(*Filter::price(number("0.005"))).has_value());
    const double reading = odometer.reading();
    // At least what a filter with that budget and the whole delta would say.
    EXPECT_GE(reading, zcdp_epsilon_classical(odometer.spent().value(), number("1e-6")));
    EXPECT_GE(reading, last);
    last = reading;
  }
  EXPECT_EQ(odometer.spent().value(), number("0.5"));
  // 0.5 lies between the levels 0.32 and 0.64 = 0.01 * 2^6, whose delta is 1e-6 / (7 * 8).
  EXPECT_EQ(last, zcdp_epsilon_classical(number("0.64"), number("1e-6") / Rational(56)));
  EXPECT_FALSE(Odometer::zcdp(0, number("1e-6")).has_value());
  EXPECT_FALSE(Odometer::zcdp(1, 0).has_value());
}

}  // namespace
}  // namespace discreet::accounting::filter_test
