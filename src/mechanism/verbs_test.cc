// SPDX-License-Identifier: Apache-2.0
// Values are seen through Door::distance, which compares sealed values: nothing else can look.
#include "mechanism/verbs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanism/door.h"
#include "mechanism/key_selection.h"
#include "mechanism/laplace.h"
#include "mechanism/laplace_vector.h"
#include "mechanism/quantiles.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/tape_for_tests.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::verbs_test {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
using Rows = std::vector<std::int64_t>;

// What is sealed, by way of the audit's door: a tape on which the noise is known.
Int128 peek(const Sensitive<Int128>& sealed) {
  const auto laplace =
      Laplace::make({.sensitivity = sensitivity_of("1"), .epsilon = epsilon_of("1000000")});
  TestTape<6> same(0x123456789abcdef, 60);
  TestTape<6> tape = same;
  const Int128 noise = Door::replay(*laplace, Sensitive<Int128>(Int128{0}), same).outcome();
  return Door::replay(*laplace, sealed, tape).outcome() - noise;
}

Int128 sum_of(Rows rows, std::int64_t low, std::int64_t high) {
  const Bounds bounds = Bounds::make({.low = low, .high = high}).value();
  return peek(Verbs::clamp_and_sum(Sensitive(std::move(rows)), bounds));
}

TEST(ClampAndSum, IsExactInAnyOrder) {
  Rows rows(1001, 1);
  rows[0] = std::int64_t{1} << 53;  // in doubles: 2^53 first loses all the ones
  const Int128 expected = (Int128{1} << 53) + 1000;
  EXPECT_EQ(sum_of(rows, 0, kMax), expected);
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(sum_of(rows, 0, kMax), expected);
}

TEST(ClampAndSum, DoesNotWrapAtTheLimitsOfInt64) {
  EXPECT_EQ(sum_of({kMax, 1}, kMin, kMax), Int128{kMax} + 1);
  EXPECT_EQ(sum_of({kMin, kMin, kMin}, kMin, kMax), Int128{kMin} * 3);
  EXPECT_EQ(sum_of(Rows(100000, kMin), kMin, kMax), Int128{kMin} * 100000);
  EXPECT_EQ(sum_of({}, -1, 1), 0);
}

RC_GTEST_PROP(ClampAndSum, MovesByAtMostItsStability, (Rows rows, std::int64_t row)) {
  const std::int64_t one = *rc::gen::arbitrary<std::int64_t>();
  const std::int64_t other_end = *rc::gen::arbitrary<std::int64_t>();
  const std::int64_t low = std::min(one, other_end);
  const std::int64_t high = std::max(one, other_end);
  const Bounds bounds = Bounds::make({.low = low, .high = high}).value();
  const Int128 before = sum_of(rows, low, high);
  const auto size = [](Int128 x) { return x < 0 ? -x : x; };
  Rows more = rows;
  more.insert(more.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2), row);
  RC_ASSERT(size(sum_of(more, low, high) - before) <= bounds.stability(Neighbours::kAddRemove));
  if (rows.empty()) return;
  Rows other = rows;
  other[0] = row;
  RC_ASSERT(size(sum_of(other, low, high) - before) <= bounds.stability(Neighbours::kReplaceOne));
}

TEST(Bounds, KnowTheirStability) {
  const auto bounds = [](std::int64_t low, std::int64_t high) {
    return Bounds::make({.low = low, .high = high}).value();
  };
  EXPECT_EQ(bounds(-5, 3).stability(Neighbours::kAddRemove), 5);
  EXPECT_EQ(bounds(-5, 3).stability(Neighbours::kReplaceOne), 8);
  EXPECT_EQ(bounds(2, 7).stability(Neighbours::kAddRemove), 7);
  EXPECT_EQ(bounds(-9, -4).stability(Neighbours::kAddRemove), 9);
  EXPECT_EQ(bounds(kMin, kMax).stability(Neighbours::kReplaceOne), (Int128{1} << 64) - 1);
  EXPECT_EQ(bounds(kMin, 0).magnitude(), Int128{1} << 63);
  EXPECT_FALSE(Bounds::make({.low = 1, .high = 0}));
}

TEST(Count, CountsRows) {
  EXPECT_EQ(peek(Verbs::count(Sensitive(Rows(1234, kMin)))), 1234);
  EXPECT_EQ(peek(Verbs::count(Sensitive(Rows{}))), 0);
}

TEST(CheckSumBound, IsExactAtItsEdge) {
  const Integer two_63 = Integer(1) << 63;
  EXPECT_TRUE(check_sum_bound({.rows_max = two_63 - 1, .magnitude = two_63}));
  const auto edge = check_sum_bound({.rows_max = two_63, .magnitude = two_63});
  ASSERT_FALSE(edge);
  EXPECT_NE(edge.error().message.find("below 2^126"), std::string::npos);
  EXPECT_TRUE(check_sum_bound({.rows_max = 0, .magnitude = two_63 * two_63 * two_63}));
  EXPECT_FALSE(check_sum_bound({.rows_max = -1, .magnitude = 1}));
}

// A huge epsilon, so that the noise is zero but for a probability below e^-1000000.
std::vector<std::int64_t> peek(Sensitive<std::vector<std::int64_t>> sealed) {
  const auto exact =
      *LaplaceVector::make({.sensitivity = sensitivity_of("1"), .epsilon = epsilon_of("1000000")});
  return Door::release(exact, std::move(sealed), cli::OwnValues::for_use_of(exact))->value();
}

Sensitive<Groups> three_groups() {
  Groups groups;
  groups.keys = {"b", "", "a"};
  groups.units = {2, 3, 4};
  groups.integers = {{10, 20, 30}, {kInt128Max, kInt128Min, -5}, {}};
  groups.runs = {{}, {}, {{{1, 100000}}, {{2, 100000}}, {{3, 100000}}}};
  return Sensitive(std::move(groups));
}

TEST(Column, GivesEachPublicKeyItsGroupAndZeroWhereThereIsNone) {
  const auto groups = three_groups();
  EXPECT_EQ(peek(Verbs::column(groups, 0, {"a", "none", "b", ""})), (Rows{30, 0, 10, 20}));
  EXPECT_EQ(peek(Verbs::column(groups, 0, {"a", "a"})), (Rows{30, 30}));
  EXPECT_EQ(peek(Verbs::column(groups, 0, {})), Rows{});
  EXPECT_EQ(
      peek(Verbs::column(Sensitive(Groups{.keys = {}, .units = {}, .integers = {{}}, .runs = {}}),
                         0, {"a"})),
      Rows{0});
}

TEST(Column, ClampsAtTheLimitsOfArrays) {
  constexpr std::int64_t kLimit = (std::int64_t{1} << 62) - 1;
  EXPECT_EQ(peek(Verbs::column(three_groups(), 1, {"", "a", "b"})), (Rows{-kLimit, -5, kLimit}));
}

TEST(Column, FindsAnyOfManyKeys) {
  Groups groups;
  std::vector<std::string> keys;
  Rows expected;
  groups.integers.resize(1);
  for (int i = 0; i < 5000; ++i) {
    groups.keys.push_back(std::to_string(i * i));
    groups.integers[0].push_back(i);
    keys.push_back(std::to_string(i));
    const int root = static_cast<int>(std::lround(std::sqrt(i)));
    expected.push_back(root * root == i ? root : 0);
  }
  EXPECT_EQ(peek(Verbs::column(Sensitive(std::move(groups)), 0, keys)), expected);
}

TEST(RunsOfGroups, GoToTheirKeysAndAreEmptyWhereThereIsNoGroup) {
  const auto median = *Quantiles::make(
      {.epsilon = epsilon_of("1000"), .fractions = {rational("1/2")}, .low = 0, .high = 9});
  const auto answer = Door::release(median, Verbs::runs(three_groups(), 2, {"a", "none", "b", ""}),
                                    cli::OwnValues::for_use_of(median));
  ASSERT_EQ(answer->value().size(), 4U);
  EXPECT_EQ(answer->value()[0], 3);
  EXPECT_EQ(answer->value()[2], 1);
  EXPECT_EQ(answer->value()[3], 2);
}

TEST(CellsOfGroups, CountRowsBetweenTheCutsOfEachKey) {
  Groups groups;
  groups.keys = {"b", "a"};
  groups.runs = {{{{kMin, 3}, {1, 5}, {2, -7}, {4, 2}, {kMax, 1}}, {{0, kMax}, {1, kMax}}}};
  const Sensitive<Groups> sealed(std::move(groups));
  // Below 1; 1; 2 and 3; from 4 on. Then all in one cell, which is as full as cells get. Then none.
  EXPECT_EQ(peek(Verbs::cells(sealed, 0, {"b", "a", "none"}, {{1, 2, 4}, {2}, {0}})),
            (Rows{3, 5, 0, 3, (std::int64_t{1} << 62) - 1, 0, 0, 0}));
  EXPECT_EQ(peek(Verbs::cells(sealed, 0, {"b"}, {{}})), Rows{11});
}

TEST(KeyCountsOfGroups, AreTheUnits) {
  const auto selection = *KeySelection::make(
      {.epsilon = epsilon_of("1099511627776"), .delta = delta_of("1e-9"), .keys_per_unit = 1});
  ASSERT_EQ(selection.always_from(), 3);  // "b", with two units, may be missing
  const auto kept = Door::release(selection, Verbs::key_counts(three_groups()),
                                  cli::OwnValues::for_use_of(selection));
  EXPECT_EQ(kept->value().front(), "");
  EXPECT_EQ(kept->value()[1], "a");
}

}  // namespace
}  // namespace discreet::mechanism::verbs_test
