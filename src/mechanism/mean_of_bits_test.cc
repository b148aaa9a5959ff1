// SPDX-License-Identifier: Apache-2.0
#include "mechanism/mean_of_bits.h"

#include <gtest/gtest.h>

#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/tape_for_tests.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::mean_of_bits_test {
namespace {

MeanOfBits mean_of_bits(std::int64_t n, const char* epsilon) {
  return MeanOfBits::make({.n = n, .epsilon = epsilon_of(epsilon)}).value();
}

TEST(MeanOfBits, AddsWholeOnesBeforeItDivides) {
  const MeanOfBits mechanism = mean_of_bits(7, "1");
  const Sensitive<Int128> sealed(Int128{3});
  const auto table =
      tabulate<4>(12, [&](auto& tape) { return Door::replay(mechanism, sealed, tape).outcome(); });
  for (const auto& [answer, mass] : table.mass) EXPECT_EQ((answer * 7).denominator(), 1);
  EXPECT_GT(table.low(rational("3/7")), table.low(rational("4/7")));
}

TEST(MeanOfBits, HalfWidthIsTheCountsOverN) {
  EXPECT_EQ(mean_of_bits(1000, "1").accuracy(default_confidence())->half_width, rational("0.003"));
  EXPECT_EQ(mean_of_bits(1000, "1").cost(), pure_cost(epsilon_of("1")));
  EXPECT_EQ(mean_of_bits(1000, "1").noise().text,
            "mean-of-bits(n=1000,scale=1,neighbours=replace-one)");
}

TEST(MeanOfBits, RefusesToDivideByNothing) {
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-5}}) {
    const auto refused = MeanOfBits::make({.n = n, .epsilon = epsilon_of("1")});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kInvalidInput);
  }
}

TEST(MeanOfBits, ReleasesThroughTheDoor) {
  const MeanOfBits mechanism = mean_of_bits(std::numeric_limits<std::int64_t>::max(), "1");
  const auto answer = Door::release(mechanism, Sensitive<Int128>(Int128{1} << 62),
                                    cli::OwnValues::for_use_of(mechanism));
  ASSERT_TRUE(answer);
  EXPECT_LT((answer->value() - rational("1/2")).abs(), rational("1e-9"));
}

}  // namespace
}  // namespace discreet::mechanism::mean_of_bits_test
