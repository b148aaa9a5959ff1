// SPDX-License-Identifier: Apache-2.0
// Values are seen through Door::distance, which compares sealed values: nothing else can look.
#include "mechanism/verbs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "mechanism/door.h"
#include "mechanism/laplace.h"
#include "mechanism/tape_for_tests.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism {
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

TEST(Count, CountsRowsAndOnes) {
  EXPECT_EQ(peek(Verbs::count(Sensitive(Rows(1234, kMin)))), 1234);
  EXPECT_EQ(peek(Verbs::count(Sensitive(Rows{}))), 0);
  EXPECT_EQ(peek(Verbs::count_ones(Sensitive(std::vector<std::uint8_t>{0, 1, 255, 0, 2}))), 3);
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

}  // namespace
}  // namespace discreet::mechanism
