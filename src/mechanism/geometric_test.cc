// SPDX-License-Identifier: Apache-2.0
#include "mechanism/geometric.h"

#include <gtest/gtest.h>

#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/tape_for_tests.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::geometric_test {
namespace {

Geometric geometric(Int128 low, Int128 high) {
  return Geometric::make({.sensitivity = sensitivity_of("1"),
                          .epsilon = epsilon_of("1"),
                          .low = low,
                          .high = high})
      .value();
}

TEST(Geometric, TruncatesIntoTheRangeAndNeverFurtherFromTheTruth) {
  const Geometric mechanism = geometric(0, 3);
  const Sensitive<Int128> sealed(Int128{1});
  const auto table =
      tabulate<4>(16, [&](auto& tape) { return Door::replay(mechanism, sealed, tape).outcome(); });
  EXPECT_GT(table.mass.size(), 6u);
  for (const auto& [answer, mass] : table.mass) {
    EXPECT_EQ(answer.truncated, std::clamp<Int128>(answer.raw, 0, 3));
    const auto error = [](Int128 y) { return y > 1 ? y - 1 : 1 - y; };
    EXPECT_LE(error(answer.truncated), error(answer.raw));
  }
}

TEST(Geometric, RawIsTheLaplaceMechanism) {
  const Geometric mechanism = geometric(0, 1);
  const auto answer = Door::release(mechanism, Sensitive<Int128>(Int128{-1000000}),
                                    cli::OwnValues::for_use_of(mechanism));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->value().truncated, 0);
  EXPECT_LT(answer->value().raw, -900000);
}

TEST(Geometric, IsOpenAboveUnlessTold) {
  const auto open =
      Geometric::make({.sensitivity = sensitivity_of("1"), .epsilon = epsilon_of("1")});
  const auto answer =
      Door::release(*open, Sensitive<Int128>(kInt128Max), cli::OwnValues::for_use_of(*open));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->value().raw, answer->value().truncated);
}

TEST(Geometric, RefusesAnEmptyRange) {
  const auto empty = Geometric::make(
      {.sensitivity = sensitivity_of("1"), .epsilon = epsilon_of("1"), .low = 1, .high = 0});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, Code::kInvalidInput);
}

TEST(Geometric, NameCarriesTheRange) {
  EXPECT_EQ(geometric(0, 9).noise().text, "truncated-geometric(scale=1,sensitivity=1)[0,9]");
  EXPECT_EQ(Geometric::describe({-2, 0}), "-2 -> 0");
}

}  // namespace
}  // namespace discreet::mechanism::geometric_test
