// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "privacy/cost.h"
#include "privacy/quantity.h"
#include "privacy/receipt.h"
#include "privacy/released.h"
#include "privacy/sensitive.h"

// The friends that may mint and consume, as the tests' own stand-ins: this program links neither
// the ledger nor the kernel.
namespace discreet::ledger {
class Ledger {
 public:
  static Receipt mint(NoiseSpec noise, Cost cost) {
    return Receipt(std::move(noise), std::move(cost), "7");
  }
};
}  // namespace discreet::ledger

namespace discreet::mechanism {
class Door {
 public:
  static Result<void> consume(Receipt& r, const NoiseSpec& noise, const Cost& cost) {
    return r.consume(noise, cost);
  }
  template <class T>
  static const T& open(const Sensitive<T>& x) {
    return x.reveal(Unseal());
  }
  template <class T>
  static Released<T> make(T value, Provenance provenance) {
    return Released<T>(std::move(value), std::move(provenance));
  }
};
}  // namespace discreet::mechanism

namespace discreet::privacy_test {
namespace {

using ledger::Ledger;
using mechanism::Door;

Cost price(const char* epsilon) { return pure_cost(*Epsilon::parse(epsilon)); }

TEST(Quantity, ReadsExactly) {
  EXPECT_EQ(Epsilon::parse("0.1")->value(), Rational::ratio(1, 10));
  EXPECT_EQ(Delta::parse("1e-6")->value(), Rational::ratio(1, 1000000));
  EXPECT_EQ(Delta::parse("0")->value(), 0);
  EXPECT_EQ(Scale::parse("1/3")->to_string(), "1/3");
}

TEST(Quantity, RefusesWhatItsRuleForbidsAndNamesTheFix) {
  for (const char* text : {"0", "-1", "nan", "NaN", "inf", "-inf", "1e400", "abc", "", "1e13"}) {
    const auto epsilon = Epsilon::parse(text);
    ASSERT_FALSE(epsilon) << text;
    EXPECT_EQ(epsilon.error().code, Code::kInvalidInput);
    EXPECT_NE(epsilon.error().message.find("epsilon must be a number above 0"), std::string::npos);
  }
  for (const char* text : {"1", "-1e-9", "2", "nan"}) EXPECT_FALSE(Delta::parse(text)) << text;
  for (const char* text : {"0", "1", "-0.5", "95"}) EXPECT_FALSE(Confidence::parse(text)) << text;
  for (const char* text : {"0", "-1", "1e13", "1e-13"}) EXPECT_FALSE(Scale::parse(text)) << text;
  for (const char* text : {"0", "-1", "1e19"}) EXPECT_FALSE(Variance::parse(text)) << text;
  EXPECT_FALSE(Sensitivity::parse("0"));
  EXPECT_FALSE(Rho::parse("0"));
  EXPECT_FALSE(Step::parse("-0.01"));
}

TEST(Cost, APureMechanismHasItsZcdpPriceToo) {
  const Cost cost = price("1/2");
  EXPECT_EQ(cost.rho->value(), Rational::ratio(1, 8));
  EXPECT_EQ(to_string(cost), "epsilon 0.5");
}

TEST(Cost, AGroupPaysForEachOfItsUnits) {
  const Cost one = pure_cost(Epsilon::trusted(Rational::ratio(1, 2)));
  EXPECT_EQ(group_cost(one, 1), one);
  EXPECT_EQ(group_cost(one, 3).epsilon->to_string(), "1.5");
  EXPECT_EQ(group_cost(one, 3).rho->to_string(), "1.125");  // 9/8
  Cost with_delta = one;
  with_delta.delta = Delta::trusted(*Rational::parse("1e-6"));
  const Cost group = group_cost(with_delta, 2);
  EXPECT_EQ(group.epsilon->to_string(), "1");
  EXPECT_EQ(group.rho->to_string(), "0.5");
  // A chain of two at its worst: Pr_0 = e^eps Pr_1 + delta, Pr_1 = e^eps Pr_2 + delta.
  EXPECT_GE(group.delta.value(), *Rational::parse("2.648721e-6"));
  EXPECT_LE(group.delta.value(), *Rational::parse("3.297443e-6"));
  with_delta.epsilon.reset();  // nothing is known of a group then
  EXPECT_FALSE(group_cost(with_delta, 2).rho);
  with_delta = one;
  with_delta.delta = Delta::trusted(Rational::ratio(1, 2));
  EXPECT_FALSE(group_cost(with_delta, 2).epsilon);  // a delta of 1 promises nothing
  Rational last = 0;
  for (int i = 0; i <= 40; ++i) {
    const auto factor = group_delta_factor(Rational::ratio(i, 4), 5);
    ASSERT_TRUE(factor);
    EXPECT_GT(*factor, last);
    last = *factor;
  }
  EXPECT_FALSE(group_delta_factor(Rational(100), 5));
}

TEST(Sensitive, TypesForbidWhatTheyMustForbid) {
  static_assert(!std::is_copy_constructible_v<Sensitive<int>>);
  static_assert(!std::is_copy_assignable_v<Sensitive<int>>);
  static_assert(!std::is_convertible_v<Sensitive<int>, int>);
  static_assert(!std::is_copy_constructible_v<Receipt>);
  static_assert(!std::is_move_assignable_v<Receipt>);
  static_assert(!std::is_default_constructible_v<Unseal>);
  static_assert(!std::is_trivially_copyable_v<Unseal>);
  static_assert(!std::is_constructible_v<Error, Code, Sensitive<std::string>>);
}

TEST(Sensitive, AMoveLeavesNothingBehind) {
  Sensitive<Int128> x(Int128{42});
  const Sensitive<Int128> y(std::move(x));
  EXPECT_TRUE(Door::open(y) == 42);
  EXPECT_TRUE(Door::open(x) == 0);  // NOLINT(bugprone-use-after-move): that is the point
}

TEST(Receipt, BuysExactlyWhatItWasPaidFor) {
  Receipt r = Ledger::mint({"laplace"}, price("1"));
  EXPECT_TRUE(Door::consume(r, {"laplace"}, price("1")));
  Receipt other = Ledger::mint({"laplace"}, price("1"));
  EXPECT_EQ(Door::consume(other, {"gaussian"}, price("1")).error().code, Code::kRefused);
  Receipt cheap = Ledger::mint({"laplace"}, price("1/2"));
  EXPECT_EQ(Door::consume(cheap, {"laplace"}, price("1")).error().code, Code::kRefused);
}

TEST(ReceiptDeathTest, IsGoodForOneUse) {
  Receipt r = Ledger::mint({"laplace"}, price("1"));
  EXPECT_TRUE(Door::consume(r, {"laplace"}, price("1")));
  EXPECT_EXIT((void)Door::consume(r, {"laplace"}, price("1")), testing::ExitedWithCode(70),
              "live_");
}

TEST(ReceiptDeathTest, AMovedReceiptIsSpent) {
  Receipt r = Ledger::mint({"laplace"}, price("1"));
  Receipt s(std::move(r));
  EXPECT_EXIT((void)Door::consume(r, {"laplace"}, price("1")), testing::ExitedWithCode(70),
              "live_");  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(Door::consume(s, {"laplace"}, price("1")));
}

TEST(ReceiptDeathTest, ARefusedReceiptIsSpentToo) {
  Receipt r = Ledger::mint({"laplace"}, price("1"));
  EXPECT_FALSE(Door::consume(r, {"gaussian"}, price("1")));
  EXPECT_EXIT((void)Door::consume(r, {"laplace"}, price("1")), testing::ExitedWithCode(70),
              "live_");
}

TEST(Released, PostProcessingKeepsThePriceAndDropsTheAccuracy) {
  const Accuracy accuracy{3, default_confidence()};
  const Released<int> x = Door::make(21, {{"laplace"}, price("1"), "7", accuracy});
  const Released<int> y = x.map([](int v) { return 2 * v; });
  EXPECT_EQ(y.value(), 42);
  EXPECT_EQ(y.provenance().receipt_id, "7");
  EXPECT_EQ(y.provenance().cost, price("1"));
  EXPECT_FALSE(y.provenance().accuracy.has_value());
}

TEST(Wipe, ClearsTextsAlsoWhereAMoveLeftThem) {
  std::string letters = "patient";
  char* const place = letters.data();
  const std::string moved = std::move(letters);
  wipe(letters);  // NOLINT(bugprone-use-after-move): what the move left behind is the point
  for (std::size_t i = 0; i < moved.size(); ++i) EXPECT_EQ(place[i], 0) << i;
}

TEST(Wipe, ReachesEveryLevelOfNestedPayloads) {
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> runs = {{{1, 2}, {3, 4}}, {}};
  wipe(runs);
  const std::pair<std::int64_t, std::int64_t> nothing{0, 0};
  EXPECT_EQ(runs[0][0], nothing);
  EXPECT_EQ(runs[0][1], nothing);
  std::vector<std::string> keys = {"a", std::string(100, 'b')};
  wipe(keys);
  EXPECT_TRUE(keys[0].empty() && keys[1].empty());
}

}  // namespace
}  // namespace discreet::privacy_test
