// SPDX-License-Identifier: Apache-2.0
#include "mechanism/sv_laplace.h"

#include <gtest/gtest.h>

#include "mechanism/door.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/tape_for_tests.h"
#include "mechanism/values_for_tests.h"
#include "numeric/interval.h"

namespace discreet::mechanism::sv_laplace_test {
namespace {

using cli::OwnValues;
using random::SvCells;
using random::SvShape;

const Rational kGamma = Rational::ratio(1, 10);

Result<SvLaplace> make(const char* epsilon, Int128 low = 0, Int128 high = 100,
                       const Rational& gamma = kGamma, int sensitivity = 1) {
  return SvLaplace::make({.sensitivity = Sensitivity::trusted(sensitivity),
                          .epsilon = Epsilon::parse(epsilon).value(),
                          .gamma = gamma,
                          .low = low,
                          .high = high});
}

// The published figures at base epsilon 0.1: 0.193, 1.04, 2.01 for the plain form and 0.112, 0.245,
// 0.468 for cells of 1/epsilon, found there in long double over a finite range. Ours cover all
// offsets; the period is the closest one below.
TEST(SvCertificate, ReproducesTheFiguresOfThePrototype) {
  struct Row {
    std::int64_t q;
    const char* gamma;
    const char* low;
    const char* high;
  };
  for (const Row& row : {Row{1, "0.01", "0.191", "0.194"}, Row{1, "0.1", "1.03", "1.045"},
                         Row{1, "0.2", "2.00", "2.02"}, Row{10, "0.01", "0.1115", "0.1130"},
                         Row{10, "0.1", "0.244", "0.246"}, Row{10, "0.2", "0.467", "0.470"}}) {
    const SvCells cells(sv_shape(Rational::ratio(1, 10), row.q, 8), 0, 0);
    const auto gamma = SvGamma::of(Rational::parse(row.gamma).value());
    const auto epsilon = SvCertificate(cells, gamma.value()).epsilon();
    ASSERT_TRUE(epsilon.has_value());
    EXPECT_GE(*epsilon, Rational::parse(row.low).value()) << row.q << " " << row.gamma;
    EXPECT_LE(*epsilon, Rational::parse(row.high).value()) << row.q << " " << row.gamma;
  }
}

TEST(SvCertificate, IsTheRatioOfTheCellsOnFairCoins) {
  const SvShape shape{.period = 5, .halvings = 1, .bits = 12, .q = 3};
  const SvCells cells(shape, 0, 0);
  Rational largest(1);
  const auto s = [&](std::int64_t h) { return h <= 0 ? cells.edge(-h) : 1 - cells.edge(h); };
  for (std::int64_t a = -61; a <= 61; a += 2) {
    const Rational t = s(a + 6) - s(a);
    const Rational u = s(a + 4) - s(a - 2);
    largest = std::max({largest, t / u, u / t});
  }
  for (std::int64_t b = -59; b <= -3; b += 2) largest = std::max(largest, s(b) / s(b - 2));
  const Rational ratio = SvCertificate(cells, SvGamma{}).ratio().value();
  EXPECT_GE(ratio, largest);
  EXPECT_LE(ratio, largest + power_of_two(-30));
}

// A wider bend, a larger loss; and the holding ratios are upward closed.
TEST(SvCertificate, RisesWithGamma) {
  const SvCells cells(sv_shape(Rational::ratio(1, 5), 5), 0, 0);
  Rational last;
  for (int i = 0; i <= 10; ++i) {
    const SvCertificate certificate(cells, SvGamma{i, 20});
    const Rational ratio = certificate.ratio().value();
    EXPECT_GE(ratio, last);
    EXPECT_TRUE(certificate.holds(ratio));
    EXPECT_FALSE(certificate.holds(ratio - power_of_two(-31)));
    EXPECT_TRUE(certificate.holds(ratio + 1));
    last = ratio;
  }
}

TEST(SvLaplace, ChargesWhatTheCertificateAllows) {
  for (const char* epsilon : {"0.1", "0.5", "1", "3"}) {
    const auto noise = make(epsilon);
    ASSERT_TRUE(noise.has_value()) << noise.error().message;
    const SvCells cells(noise->shape(), 0, 0);
    const auto certified = SvCertificate(cells, SvGamma::of(kGamma).value()).epsilon();
    EXPECT_LE(*certified, Epsilon::parse(epsilon)->value());
    EXPECT_GE(*certified, Epsilon::parse(epsilon)->value() * Rational::ratio(3, 4));
    EXPECT_LT(noise->fair_epsilon(), *certified);
    EXPECT_EQ(noise->cost().epsilon->value(), Epsilon::parse(epsilon)->value());
  }
}

// All tapes of two neighbours on fair coins: the ratio of every resolved answer is within the fair
// epsilon; with a planted fault, cells of one unit where the price is for wide ones, it is not
// within what a bent source could make of it (the certificate refuses the shape).
TEST(SvLaplace, NeighboursAreWithinTheFairEpsilonOnAllTapes) {
  const auto noise = make("1", 0, 3);
  ASSERT_TRUE(noise.has_value());
  const auto walk = [&](Int128 x) {
    const Sensitive<Int128> sealed{Int128(x)};
    return tabulate<1>(
        30, [&](TestTape<1>& tape) { return Door::replay(*noise, sealed, tape).outcome(); });
  };
  const auto a = walk(1);
  const auto b = walk(2);
  // e^fair, from above
  const Rational most = exp(Interval::around(noise->fair_epsilon(), 64)).high();
  int compared = 0;
  for (const auto& [answer, mass] : a.mass) {
    if (mass < 64 * a.cut_off || b.low(answer) < 64 * b.cut_off) continue;
    EXPECT_LE(mass, most * b.high(answer));
    EXPECT_LE(b.low(answer), most * a.high(answer));
    ++compared;
  }
  EXPECT_GE(compared, 5);
  SvShape narrow = noise->shape();
  narrow.q = 1;
  const SvCells cells(narrow, 0, 0);
  EXPECT_GT(
      *SvCertificate(cells, SvGamma::of(Rational::ratio(2, 5)).value()).epsilon(),
      *SvCertificate(SvCells(noise->shape(), 0, 0), SvGamma::of(Rational::ratio(2, 5)).value())
           .epsilon());
}

TEST(SvLaplace, GoesThroughTheDoorOnRawBits) {
  const auto noise = make("1", 0, 1000, kGamma, 7);
  ASSERT_TRUE(noise.has_value());
  auto answer = Door::release(*noise, Sensitive<Int128>(500), OwnValues::for_use_of(*noise));
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->value() % (7 * noise->shape().q), 0);
  EXPECT_EQ(answer->provenance().noise.text, noise->noise().text);
  ASSERT_TRUE(answer->provenance().accuracy.has_value());
}

// The stated half width on fair coins, exactly: the tapes outside weigh at most what it says.
TEST(SvLaplace, HalfWidthHolds) {
  const auto noise = make("1", 0, 20);
  ASSERT_TRUE(noise.has_value());
  const Confidence confidence = Confidence::trusted(Rational::ratio(9, 10));
  const Rational width = noise->accuracy(confidence)->half_width;
  const Sensitive<Int128> sealed{Int128(10)};
  const auto all = tabulate<1>(
      30, [&](TestTape<1>& tape) { return Door::replay(*noise, sealed, tape).outcome(); });
  Rational outside = all.cut_off;
  for (const auto& [answer, mass] : all.mass) {
    if (Rational(to_integer(answer - 10)).abs() > width) outside = outside + mass;
  }
  EXPECT_LE(outside, Rational::ratio(1, 10));
}

// Both epsilons are in the text that is charged, explained and kept; the ledger reads gamma there.
TEST(SvLaplace, TextSaysBothEpsilonsAndGamma) {
  const auto noise = make("0.5");
  const std::string text = noise->noise().text;
  EXPECT_NE(
      text.find(",epsilon=0.5,fair-epsilon=" + noise->fair_epsilon().to_decimal(6, Round::kUp)),
      std::string::npos)
      << text;
  const auto third = SvLaplace::make({.sensitivity = Sensitivity::trusted(3),
                                      .epsilon = Epsilon::trusted(1),
                                      .gamma = Rational::ratio(1, 3),
                                      .low = 0,
                                      .high = 4});
  EXPECT_EQ(certified_gamma(third->noise()), Rational::ratio(1, 3));
  EXPECT_EQ(certified_gamma({"discrete-laplace(scale=2,gamma=1/3,sensitivity=1)"}), Rational(0));
}

TEST(SvLaplace, RefusesBadOptions) {
  EXPECT_EQ(make("0.001").error().code, Code::kInvalidInput);
  EXPECT_EQ(make("6").error().code, Code::kInvalidInput);
  EXPECT_EQ(make("1", 5, 4).error().code, Code::kInvalidInput);
  EXPECT_EQ(make("1", 0, Int128{1} << 70).error().code, Code::kInvalidInput);
  EXPECT_EQ(make("1", 0, 10, Rational::ratio(3, 5)).error().code, Code::kInvalidInput);
  EXPECT_EQ(make("1", 0, 10, Rational(-1)).error().code, Code::kInvalidInput);
  EXPECT_EQ(make("0.1", 0, 10, Rational::ratio(1, 2)).error().code, Code::kInvalidInput);
}

}  // namespace
}  // namespace discreet::mechanism::sv_laplace_test
