// SPDX-License-Identifier: Apache-2.0
#include "mechanism/clipped_sums.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "base/children_for_tests.h"
#include "mechanism/brackets_for_tests.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/rounded_gaussian_vector.h"
#include "mechanism/tails.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::clipped_sums_test {
namespace {

using Entries = std::vector<std::int64_t>;

Int128 norm_of(const Entries& entries, ClippingNorm norm) {
  Int128 size = 0;
  for (const Int128 x : entries) size += norm == ClippingNorm::kL1 ? (x < 0 ? -x : x) : x * x;
  return size;
}

/// One column; each inner list is a unit.
UnitRows units(const std::vector<Entries>& all) {
  UnitRows out{.columns = 1, .cells = {}, .ends = {}};
  for (const Entries& unit : all) {
    out.cells.insert(out.cells.end(), unit.begin(), unit.end());
    out.ends.push_back(out.cells.size());
  }
  return out;
}

const RowFunction kItself = [](std::span<const std::int64_t> row, std::span<std::int64_t> out) {
  out[0] = row[0];
};

TEST(ClippedSum, RootIsTheFloor) {
  for (Int128 x = 0; x < 1000; ++x) {
    const Int128 r = floor_root(x);
    EXPECT_TRUE(r * r <= x && (r + 1) * (r + 1) > x);
  }
  const Int128 big = (Int128{1} << 60) - 3;
  EXPECT_TRUE(floor_root(big * big) == big && floor_root(big * big - 1) == big - 1);
}

// The law that privacy rests on, for every kind of vector that a bad function could write.
TEST(ClippedSum, NoVectorLeavesTheBall) {
  std::mt19937_64 random(7);
  const std::int64_t sizes[] = {0, 1, 3, 1000, kRowEntryMax, kUnitEntryMax};
  for (int i = 0; i < 4000; ++i) {
    Entries entries(1 + random() % 9);
    for (auto& x : entries) {
      const std::int64_t size = sizes[random() % 6];
      x = static_cast<std::int64_t>(random() % (2 * static_cast<std::uint64_t>(size) + 1)) - size;
    }
    const Entries before = entries;
    const std::int64_t limit = 1 + static_cast<std::int64_t>(random() % 50);
    const ClippingNorm norm = i % 2 == 0 ? ClippingNorm::kL1 : ClippingNorm::kL2;
    const Int128 most = norm == ClippingNorm::kL1 ? Int128{limit} : Int128{limit} * limit;
    clip(entries, norm, limit);
    EXPECT_TRUE(norm_of(entries, norm) <= most);
    EXPECT_TRUE(norm_of(before, norm) > most || entries == before);
  }
}

TEST(ClippedSum, AUnitIsClippedAsAWholeWhateverItsRows) {
  const UnitRows rows = units({{3, 4}, {100, 100, 100}, {}, {-2}});
  EXPECT_EQ(clipped_sum(rows, {}, {1, ClippingNorm::kL1, 10}, kItself), (Entries{7 + 10 - 2}));
  const std::vector<std::uint8_t> joins{0, 1, 1, 0};
  EXPECT_EQ(clipped_sum(rows, joins, {1, ClippingNorm::kL2, 10}, kItself), (Entries{10}));
  // The same vectors written as pairs, an entry twice and one beyond the width.
  const SparseRowFunction pairs = [](std::span<const std::int64_t> row, SparseEntries& out) {
    out = {{1, row[0] - 1}, {0, row[0]}, {1, 1}, {7, 1000}};
  };
  const RowFunction twice = [](std::span<const std::int64_t> row, std::span<std::int64_t> out) {
    out[0] = out[1] = row[0];
  };
  const UnitRows singles = units({{3}, {100}, {}, {-20}});
  EXPECT_EQ(clipped_sum(singles, {}, {2, ClippingNorm::kL2, 10}, pairs),
            clipped_sum(singles, {}, {2, ClippingNorm::kL2, 10}, twice));
  // A function that writes the largest integers overflows nothing.
  const RowFunction wild = [](auto, std::span<std::int64_t> out) {
    out[0] = std::numeric_limits<std::int64_t>::min();
    out[1] = std::numeric_limits<std::int64_t>::max();
  };
  const Entries sum = clipped_sum(rows, {}, {2, ClippingNorm::kL2, 10}, wild);
  EXPECT_EQ(sum, (Entries{-21, 21}));  // three units with rows, 7 each
}

ClippedSums::Terms two_rounds(const char* epsilon) {
  return *ClippedSums::Terms::pure(epsilon_of(epsilon), {.shares = {1, 3}, .limit = 2});
}

Result<ClippedSums> open(const ClippedSums::Terms& terms) {
  return ClippedSums::open(terms, cli::OwnValues::mint(terms.noise(), terms.cost()));
}

TEST(ClippedSums, SharesBecomeNoise) {
  const auto pure = two_rounds("2");
  EXPECT_EQ(pure.parameter(0), Rational(4));  // 2 / (2 * 1/4)
  EXPECT_EQ(pure.parameter(1), Rational::ratio(4, 3));
  EXPECT_EQ(pure.cost(), pure_cost(epsilon_of("2")));
  EXPECT_EQ(pure.noise().text, "clipped-sums(norm=l1,limit=2,sensitivity=2,rounds=2,scales=4:4/3)");
  const auto replaced = *ClippedSums::Terms::pure(
      epsilon_of("2"), {.shares = {1}, .limit = 2, .neighbours = Neighbours::kReplaceOne});
  EXPECT_EQ(replaced.parameter(0), Rational(2));

  // A Gaussian series is one Gaussian: the precisions add up to that of the whole, rounded to less.
  const auto gaussian = *ClippedSums::Terms::gaussian(epsilon_of("1"), delta_of("1e-6"),
                                                      {.shares = {1, 2, 5}, .limit = 8});
  const Rational whole = 1 / (gaussian.cost().rho->value() * 2);
  Rational precision = 0;
  for (std::uint64_t i = 0; i < 3; ++i) precision = precision + 64 / gaussian.parameter(i);
  EXPECT_LE(precision, 1 / whole);
  EXPECT_GE(precision, rational("0.999") / whole);
}

TEST(ClippedSums, RefusesBadTermsByTheirText) {
  const auto text = [](const auto& result) { return result.error().message; };
  const Epsilon one = epsilon_of("1");
  EXPECT_NE(text(ClippedSums::Terms::pure(one, {.shares = {}})).find("at least one round"),
            std::string::npos);
  EXPECT_NE(text(ClippedSums::Terms::pure(one, {.shares = {1, 0}})).find("above 0"),
            std::string::npos);
  EXPECT_NE(text(ClippedSums::Terms::pure(one, {.shares = {1}, .limit = 1 << 25})).find("2^24"),
            std::string::npos);
  EXPECT_FALSE(ClippedSums::Terms::gaussian(one, Delta::trusted(0), {.shares = {1}}));
  EXPECT_FALSE(ClippedSums::Terms::sampled({.threshold = 0, .noise_multiplier = 1, .price = {}}));
}

TEST(ClippedSums, EndsAfterItsRoundsAndTakesNoOtherReceipt) {
  const auto terms = two_rounds("1");
  EXPECT_EQ(ClippedSums::open(terms, cli::OwnValues::mint({"other"}, terms.cost())).error().code,
            Code::kRefused);
  auto sums = open(terms);
  ASSERT_TRUE(sums.has_value());
  const Sensitive<UnitRows> rows(units({{1}, {5}}));
  EXPECT_TRUE(sums->next(rows, 1, kItself).has_value());
  const auto second = sums->next(rows, 1, kItself);
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->provenance().cost, terms.cost());
  EXPECT_EQ(sums->next(rows, 1, kItself).error().code, Code::kBudget);
}

TEST(ClippedSums, AForkedChildIsRefused) {
  expect_children_refused([] {
    const auto sums = std::make_shared<ClippedSums>(open(two_rounds("1")).value());
    return [sums] {
      const auto answer = sums->next(Sensitive<UnitRows>(units({{1}})), 1, kItself);
      return !answer && answer.error().code == Code::kRefused;
    };
  });
}

// What leaves is the clipped sum and noise of the promised size: 300 draws of each kind against
// six standard errors (false alarms below 1e-8), and sampling that shows in the mean.
TEST(ClippedSums, NoiseHasThePromisedSize) {
  const int draws = 300;
  const auto check = [&](const ClippedSums::Terms& terms, double mean, double extra) {
    auto sums = open(terms);
    const double variance = upper_bound(terms.variance(0)).to_double(Round::kUp) + extra;
    const Sensitive<UnitRows> rows(units({{3, 4}, {100}, {-2}}));
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < draws; ++i) {
      const auto answer = sums->next(rows, 1, kItself);
      ASSERT_TRUE(answer.has_value());
      const double x = static_cast<double>(answer->value()[0]) - mean;
      sum += x;
      squares += x * x;
    }
    EXPECT_NEAR(sum / draws, 0, 6 * std::sqrt(variance / draws));
    EXPECT_NEAR(squares / draws / variance, 1, 6 * std::sqrt(5.0 / draws));
  };
  const std::vector<Rational> shares(draws, 1);
  check(*ClippedSums::Terms::pure(epsilon_of("300"), {.shares = shares, .limit = 10}), 15, 0);
  check(*ClippedSums::Terms::gaussian(epsilon_of("40"), delta_of("1e-6"),
                                      {.shares = shares, .limit = 10}),
        15, 0);
  check(*ClippedSums::Terms::sampled({.threshold = std::uint64_t{1} << 63,
                                      .noise_multiplier = 1,
                                      .rounds = draws,
                                      .limit = 10,
                                      .price = pure_cost(epsilon_of("1"))}),
        7.5, (49 + 100 + 4) / 4.0);
}

// A series in parts: each receipt opens the rounds of its part, none other, and all parts together
// are all rounds.
TEST(ClippedSums, PartsCoverTheRoundsOnceEach) {
  const auto terms_of = [](std::uint64_t rounds, std::uint64_t parts) {
    return ClippedSums::Terms::sampled({.threshold = std::uint64_t{1} << 63,
                                        .noise_multiplier = 1,
                                        .rounds = rounds,
                                        .parts = parts,
                                        .limit = 10,
                                        .price = pure_cost(epsilon_of("1"))});
  };
  EXPECT_FALSE(terms_of(3, 0));
  EXPECT_FALSE(terms_of(3, 4));
  for (std::uint64_t rounds = 1; rounds < 30; ++rounds) {
    for (std::uint64_t parts = 1; parts <= rounds; ++parts) {
      const auto terms = *terms_of(rounds, parts);
      EXPECT_EQ(terms.first_round(1), 0u);
      EXPECT_EQ(terms.first_round(parts + 1), rounds);
      for (std::uint64_t p = 1; p <= parts; ++p) {
        EXPECT_LT(terms.first_round(p), terms.first_round(p + 1));
      }
    }
  }
  const auto terms = *terms_of(7, 3);
  EXPECT_NE(terms.noise(), terms_of(7, 2)->noise());  // how it is cut is part of what is paid for
  const auto mint = [&](const std::string& end) {
    return cli::OwnValues::mint({terms.noise().text + end}, terms.cost());
  };
  EXPECT_FALSE(ClippedSums::open(terms, mint("")));
  EXPECT_FALSE(ClippedSums::open_part(terms, 1, mint("")));
  EXPECT_FALSE(ClippedSums::open_part(terms, 2, mint("#1")));
  EXPECT_FALSE(ClippedSums::open_part(terms, 0, mint("#0")));
  EXPECT_FALSE(ClippedSums::open_part(terms, 4, mint("#4")));
  const Sensitive<UnitRows> rows(units({{3}, {4}}));
  for (std::uint64_t p = 1; p <= 3; ++p) {
    auto part = ClippedSums::open_part(terms, p, mint("#" + std::to_string(p)));
    ASSERT_TRUE(part.has_value());
    while (part->rounds_left() > 0) ASSERT_TRUE(part->next(rows, 1, kItself));
    EXPECT_EQ(part->round(), terms.first_round(p + 1));
    EXPECT_FALSE(part->next(rows, 1, kItself));
  }
}

TEST(RoundedGaussianVector, IsPricedAsTheScalarAndAddsToEveryEntry) {
  const auto mechanism = *RoundedGaussianVector::make(
      {.sensitivity = sensitivity_of("5"), .epsilon = epsilon_of("1"), .delta = delta_of("1e-6")});
  EXPECT_EQ(mechanism.noise().text.substr(0, 24), "rounded-gaussian-vector(");
  EXPECT_NE(mechanism.noise().text.find("sensitivity_squared=25"), std::string::npos);
  const auto released = Door::release(mechanism, Sensitive<Entries>(Entries(1000, 7)),
                                      cli::OwnValues::for_use_of(mechanism));
  ASSERT_TRUE(released.has_value());
  double squares = 0;
  for (const std::int64_t y : released->value()) {
    squares += static_cast<double>((y - 7) * (y - 7)) / 1000;
  }
  const double variance = mechanism.sigma_squared().value().to_double(Round::kUp);
  EXPECT_NEAR(squares / variance, 1, 6 * std::sqrt(2.0 / 1000));
}

}  // namespace
}  // namespace discreet::mechanism::clipped_sums_test
