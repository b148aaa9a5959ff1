// SPDX-License-Identifier: Apache-2.0
#include "sql/post.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sql/number.h"
#include "sql/query.h"

namespace discreet::sql::post_test {
namespace {

using policy::Type;
using policy::Value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<Value> kNoKeys;

Post decimal(int n, int d = 1) { return Post::constant({Rational::ratio(n, d), Type::kDecimal}); }

Readings reading(std::vector<Number> numbers) {
  return [numbers](const Post& m, std::size_t) { return numbers[m.index]; };
}

Number number(const Post& post, const Readings& readings) {
  const Cell cell = evaluate(post, kNoKeys, readings);
  EXPECT_TRUE(std::holds_alternative<Number>(cell)) << to_string(post);
  return std::holds_alternative<Number>(cell) ? std::get<Number>(cell) : Number{};
}

Post average() {
  Post post = Post::of(PostKind::kAverage, {Post::measurement(0), Post::measurement(1)});
  post.centre = 60;
  post.low = 0;
  post.high = 120;
  return post;
}

Post variance(bool sample) {
  Post post = Post::of(PostKind::kVariance,
                       {Post::measurement(0), Post::measurement(1), Post::measurement(2)});
  post.centre = 60;
  post.low = 0;
  post.high = 120;
  post.sample = sample;
  return post;
}

TEST(Post, ARatioIsComputedWithItsInterval) {
  const Post ratio = Post::of(PostKind::kDivide, {Post::measurement(0), Post::measurement(1)});
  const Number out = number(ratio, reading({{50, 40, 60}, {10, 8, 16}}));
  EXPECT_EQ(out, (Number{5, 2.5, 7.5}));
}

TEST(Post, DivisionIsTotal) {
  const Post ratio = Post::of(PostKind::kDivide, {Post::measurement(0), Post::measurement(1)});
  EXPECT_EQ(number(ratio, reading({{50, 40, 60}, {10, -5, 16}})),
            (Number{5, -kInfinity, kInfinity}));
  EXPECT_EQ(evaluate(ratio, kNoKeys, reading({{50, 40, 60}, {0, -5, 16}})), Cell());
}

TEST(Post, AnAverageStaysInItsRangeWhateverTheNoise) {
  EXPECT_EQ(number(average(), reading({{200, 100, 300}, {10, 5, 20}})), (Number{80, 65, 120}));
  // Noise made the number of rows small.
  EXPECT_EQ(number(average(), reading({{200, 100, 300}, {0.5, 0.25, 2}})), (Number{120, 110, 120}));
}

TEST(Post, AnAverageOfPerhapsNoRowsIsNull) {
  for (const Number& rows : {Number{-3, -10, 2}, Number{5, 0, 10}, Number{0, 0, 0},
                             Number{1, -1, 9}, Number{-5, -6, -4}}) {
    EXPECT_EQ(evaluate(average(), kNoKeys, reading({{200, 100, 300}, rows})), Cell());
    for (const bool sample : {false, true}) {
      EXPECT_EQ(evaluate(variance(sample), kNoKeys, reading({{2, 1, 3}, {200, 100, 300}, rows})),
                Cell());
    }
  }
}

TEST(Post, AVarianceIsNeverNegative) {
  const Number out = number(variance(false), reading({{900, 800, 1000}, {10, 0, 50}, {10, 9, 11}}));
  EXPECT_EQ(out.value, 0);
  EXPECT_EQ(out.low, 0);
  // Two rows, 0 and 120: the largest variance that a sample can have.
  const Number two = number(variance(true), reading({{0, 0, 0}, {7200, 7200, 7200}, {2, 2, 2}}));
  EXPECT_DOUBLE_EQ(two.value, 7200);
}

TEST(Post, AQuantilesIntervalIsMadeOfItsEnds) {
  Post post = Post::of(PostKind::kQuantile, {Post::measurement(0)});
  post.low = 0;
  post.high = 120;
  post.low_end = post.high_end = true;
  EXPECT_EQ(number(post, reading({{40, 35, 42}})), (Number{40, 35, 42}));
  EXPECT_EQ(numbers_used(post), 1U);
  Post minimum = Post::of(PostKind::kQuantile, {Post::measurement(0)});
  minimum.high = 120;
  minimum.high_end = true;
  EXPECT_EQ(number(minimum, reading({{4, 3, 9}})), (Number{4, 0, 9}));
  Post bare = Post::of(PostKind::kQuantile, {Post::measurement(0)});
  bare.high = 120;
  EXPECT_EQ(number(bare, reading({{4, 4, 4}})), (Number{4, 0, 120}));
  EXPECT_EQ(numbers_used(bare), 0U);
  // Two quantiles of one measurement are two numbers, whose intervals must both hold.
  Post other = post;
  other.args = {Post::measurement(0, 1)};
  EXPECT_EQ(numbers_used(Post::of(PostKind::kSubtract, {post, other})), 2U);
  EXPECT_EQ(to_string(other.args[0]), "#0.1");
}

TEST(Post, EachMeasurementIsAskedForItsShareOfTheConfidence) {
  const Post sum = Post::of(PostKind::kAdd, {average(), Post::measurement(0)});
  EXPECT_EQ(numbers_used(sum), 2U);
  std::vector<std::size_t> shares;
  evaluate(sum, kNoKeys, [&](const Post&, std::size_t share) {
    shares.push_back(share);
    return Number{1, 1, 1};
  });
  EXPECT_EQ(shares, (std::vector<std::size_t>{2, 2, 2}));
}

TEST(Post, NullsSpreadAndCoalesceStopsThem) {
  const Post null = Post::constant({{}, Type::kDecimal});
  EXPECT_EQ(evaluate(Post::of(PostKind::kAdd, {null, decimal(1)}), kNoKeys, {}), Cell());
  EXPECT_EQ(evaluate(Post::of(PostKind::kCoalesce, {null, decimal(1)}), kNoKeys, {}),
            Cell(Number{1, 1, 1}));
  EXPECT_EQ(evaluate(Post::of(PostKind::kIsNull, {null}), kNoKeys, {}), Cell(true));
  EXPECT_EQ(evaluate(Post::of(PostKind::kNullIf, {decimal(1), decimal(1)}), kNoKeys, {}), Cell());
  EXPECT_EQ(evaluate(Post::of(PostKind::kLess, {null, decimal(1)}), kNoKeys, {}), Cell());
}

TEST(Post, TruthHasThreeValues) {
  const Post yes = Post::constant({true, Type::kBoolean});
  const Post no = Post::constant({false, Type::kBoolean});
  const Post unknown = Post::constant({{}, Type::kBoolean});
  const auto value = [](PostKind kind, std::vector<Post> args) {
    return evaluate(Post::of(kind, std::move(args)), kNoKeys, {});
  };
  EXPECT_EQ(value(PostKind::kAnd, {yes, unknown}), Cell());
  EXPECT_EQ(value(PostKind::kAnd, {no, unknown}), Cell(false));
  EXPECT_EQ(value(PostKind::kOr, {yes, unknown}), Cell(true));
  EXPECT_EQ(value(PostKind::kOr, {no, unknown}), Cell());
  EXPECT_EQ(value(PostKind::kNot, {unknown}), Cell());
}

// Arithmetic over measurements 0 .. 2, of depth at most `depth`.
rc::Gen<Post> expressions(int depth) {
  const auto leaf =
      rc::gen::oneOf(rc::gen::map(rc::gen::inRange<std::size_t>(0, 3),
                                  [](std::size_t i) { return Post::measurement(i); }),
                     rc::gen::map(rc::gen::inRange(-20, 21), [](int n) { return decimal(n, 3); }));
  if (depth == 0) return leaf;
  const auto pick = rc::gen::pair(
      rc::gen::element(PostKind::kAdd, PostKind::kSubtract, PostKind::kMultiply, PostKind::kDivide),
      rc::gen::pair(expressions(depth - 1), expressions(depth - 1)));
  const auto binary = rc::gen::map(
      pick, [](const auto& p) { return Post::of(p.first, {p.second.first, p.second.second}); });
  const auto unary = rc::gen::map(
      rc::gen::pair(rc::gen::element(PostKind::kNegate, PostKind::kAbsolute, PostKind::kFloor,
                                     PostKind::kCeiling, PostKind::kRound, PostKind::kSquareRoot),
                    expressions(depth - 1)),
      [](const auto& p) { return Post::of(p.first, {p.second}); });
  return rc::gen::oneOf(leaf, binary, unary);
}

Number arbitrary_number() {
  const auto end = rc::gen::map(rc::gen::inRange(-1000, 1001), [](int n) { return n / 8.0; });
  const double a = *end;
  const double b = *end;
  const double low = std::min(a, b);
  const double high = std::max(a, b);
  return {low + (high - low) * *rc::gen::inRange(0, 9) / 8.0, low, high};
}

// A point of the interval as an exact measurement.
Number point_of(const Number& n) {
  const double at = n.low + (n.high - n.low) * *rc::gen::inRange(0, 9) / 8.0;
  return {at, at, at};
}

void expect_covered(const Post& post) {
  std::vector<Number> given;
  std::vector<Number> truth;
  for (int i = 0; i < 3; ++i) {
    given.push_back(arbitrary_number());
    truth.push_back(point_of(given.back()));
  }
  const Cell out = evaluate(post, kNoKeys, reading(given));
  const Cell exact = evaluate(post, kNoKeys, reading(truth));
  if (!std::holds_alternative<Number>(out) || !std::holds_alternative<Number>(exact)) return;
  const Number wide = std::get<Number>(out);
  const Number fine = std::get<Number>(exact);
  RC_ASSERT(wide.low <= wide.value && wide.value <= wide.high);
  RC_ASSERT(wide.low <= fine.high && fine.low <= wide.high);  // they meet, whatever the rounding
  RC_ASSERT(wide.low <= fine.value && fine.value <= wide.high);
}

RC_GTEST_PROP(PostInterval, CoversWhatAnyPointOfTheInputsGives, ()) {
  expect_covered(*expressions(4));
}
RC_GTEST_PROP(PostInterval, CoversAverages, ()) { expect_covered(average()); }
RC_GTEST_PROP(PostInterval, CoversVariances, ()) {
  expect_covered(variance(*rc::gen::arbitrary<bool>()));
}

TEST(PostInterval, ACoverageTestOfThisKindWouldSeeATooNarrowInterval) {
  const bool fine = rc::check([] {
    const Number given = arbitrary_number();
    const Number truth = point_of(given);
    const double narrow = (given.low + given.high) / 2;  // a planted bug: the upper end is lost
    RC_ASSERT(truth.value <= narrow);
  });
  EXPECT_FALSE(fine);
}

// The averages and variances of real rows lie in the interval made of exact sums with room.
RC_GTEST_PROP(PostInterval, CoversTheRowsOwnAverageAndVariance, ()) {
  const auto ages =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 121)));
  double sum = 0;
  double squares = 0;
  for (const int age : ages) {
    sum += age - 60;
    squares += (age - 60) * (age - 60);
  }
  const auto n = static_cast<double>(ages.size());
  const auto around = [](double x) {
    const double below = *rc::gen::inRange(0, 50);
    const double above = *rc::gen::inRange(0, 50);
    return Number{x + *rc::gen::inRange(-static_cast<int>(below), static_cast<int>(above) + 1),
                  x - below, x + above};
  };
  const Number rows = around(n);
  if (rows.low <= 0) return;  // there may be none
  const Readings readings = reading({around(sum), around(squares), rows});
  const Number spread = number(variance(false), readings);
  const double truth = squares / n - sum / n * (sum / n);
  RC_ASSERT(spread.low <= truth + 1e-9 && truth - 1e-9 <= spread.high);
  const Number mean = number(
      average(), reading({readings(Post::measurement(0), 1), readings(Post::measurement(2), 1)}));
  RC_ASSERT(mean.low <= 60 + sum / n + 1e-9 && 60 + sum / n - 1e-9 <= mean.high);
}

TEST(Number, ExactArithmeticStaysExact) {
  EXPECT_EQ(add({1, 1, 1}, {2, 2, 2}), (Number{3, 3, 3}));
  EXPECT_EQ(multiply({0.5, 0.5, 0.5}, {3, 3, 3}), (Number{1.5, 1.5, 1.5}));
  EXPECT_EQ(divide({1, 1, 1}, {4, 4, 4}), (Number{0.25, 0.25, 0.25}));
  const Number third = divide({1, 1, 1}, {3, 3, 3});
  EXPECT_LT(third.low, third.high);
  EXPECT_EQ(exactly(Rational::ratio(1, 2)), (Number{0.5, 0.5, 0.5}));
}

TEST(Number, InfiniteEndsGiveNoNaN) {
  const std::vector<Number> some = {unbounded(0),        unbounded(-5), {1, 0, kInfinity},
                                    {-1, -kInfinity, 0}, {0, 0, 0},     {2, 1, 3}};
  for (const Number& a : some) {
    for (const Number& b : some) {
      for (const Number& out :
           {add(a, b), subtract(a, b), multiply(a, b), b.value == 0 ? a : divide(a, b), square(a),
            square_root(a), absolute(a), round_to(a, 2), clamp(a, -1, 1)}) {
        EXPECT_LE(out.low, out.value);
        EXPECT_LE(out.value, out.high);
      }
    }
  }
}

std::vector<Group> three_groups() {
  std::vector<Group> groups;
  for (const auto& [name, rows] :
       {std::pair("north", 5.0), std::pair("south", 9.0), std::pair("east", 2.0)}) {
    groups.push_back({{Value{std::string(name), Type::kText}}, reading({{rows, rows, rows}})});
  }
  return groups;
}

std::vector<std::size_t> shown(const Query& query, const std::vector<Group>& groups) {
  std::vector<std::size_t> out;
  for (const Line& line : arrange(query, groups)) out.push_back(line.group);
  return out;
}

TEST(Arrange, HavingOrderAndLimitSeeReleasedValues) {
  Query query;
  query.outputs = {{"clinic", Post::key(0), Type::kText, true},
                   {"n", Post::measurement(0), Type::kInteger, false}};
  EXPECT_EQ(shown(query, three_groups()), (std::vector<std::size_t>{0, 1, 2}));
  query.order = {{Post::measurement(0), true, true}};
  EXPECT_EQ(shown(query, three_groups()), (std::vector<std::size_t>{1, 0, 2}));
  query.order = {{Post::key(0), false, false}};
  EXPECT_EQ(shown(query, three_groups()), (std::vector<std::size_t>{2, 0, 1}));
  query.having = Post::of(PostKind::kLess, {decimal(3), Post::measurement(0)});
  EXPECT_EQ(shown(query, three_groups()), (std::vector<std::size_t>{0, 1}));
  query.offset = 1;
  query.limit = 5;
  EXPECT_EQ(shown(query, three_groups()), (std::vector<std::size_t>{1}));
  query.limit = 0;
  EXPECT_TRUE(shown(query, three_groups()).empty());
  query.offset = 99;
  EXPECT_TRUE(shown(query, three_groups()).empty());
}

TEST(Arrange, NullsComeWhereTheyAreAskedFor) {
  std::vector<Group> groups = three_groups();
  groups[1].keys[0] = Value{{}, Type::kText};
  Query query;
  query.outputs = {{"clinic", Post::key(0), Type::kText, true}};
  query.order = {{Post::key(0), false, false}};
  EXPECT_EQ(shown(query, groups), (std::vector<std::size_t>{2, 0, 1}));
  query.order = {{Post::key(0), true, true}};
  EXPECT_EQ(shown(query, groups), (std::vector<std::size_t>{1, 0, 2}));
}

TEST(Arrange, TheBestAreFoundInEachGroup) {
  std::vector<Group> groups;
  const auto add = [&](const char* clinic, Value city, double rows) {
    groups.push_back({{Value{std::string(clinic), Type::kText}, std::move(city)},
                      reading({{rows, rows, rows}})});
  };
  const auto city = [](const char* name) { return Value{std::string(name), Type::kText}; };
  add("north", city("a"), 3);
  add("south", city("a"), 1);
  add("north", city("b"), 8);
  add("south", city("b"), 7);
  add("north", Value{{}, Type::kText}, 99);  // NULL is no value
  Query query;
  query.drawing = Drawing::kTopK;
  query.best = 1;
  query.outputs = {{"value", Post::key(1), Type::kText, true},
                   {"rows", Post::measurement(0), Type::kInteger, false}};
  EXPECT_EQ(shown(query, groups), (std::vector<std::size_t>{2, 3}));
  query.best = 2;
  EXPECT_EQ(shown(query, groups), (std::vector<std::size_t>{2, 0, 3, 1}));
}

}  // namespace
}  // namespace discreet::sql::post_test
