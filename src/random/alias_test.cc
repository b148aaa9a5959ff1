// SPDX-License-Identifier: Apache-2.0
#include "random/alias.h"

#include <gtest/gtest.h>

#include "random/distribution_for_tests.h"
#include "random/gaussian.h"
#include "random/laplace.h"
#include "random/rounded_gaussian.h"
#include "random/tape_for_tests.h"

namespace discreet::random::alias_test {
namespace {

constexpr int kBits = 500;  // not a precision that the builder uses

Integer two_to(int bits) { return Integer(1) << static_cast<unsigned>(bits); }

// Every entry against the intervals of its threshold: both ends must give the stored digits.
template <class Table>
void expect_true_entries(const Table& table) {
  constexpr int kThresholdBits = Table::kWordBits - std::countr_zero(Table::kColumns);
  const std::vector<FixedInterval> thresholds = table.structure().thresholds(kBits);
  int wrong = 0;
  for (std::size_t c = 0; c < Table::kColumns; ++c) {
    if (table.structure().is_full(c)) continue;
    const std::uint64_t digits = table.entries()[c] / Table::kColumns;
    const Integer most = two_to(kThresholdBits) - 1;
    const Integer low = thresholds[c].low >> (kBits - kThresholdBits);
    const Integer high = thresholds[c].high >> (kBits - kThresholdBits);
    wrong += low == digits && (high > most ? most : high) == digits ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
}

// N p_i = t_i + sum of (1 - t_c) over the columns c that have alias i, within 2^-100.
template <class Table>
void expect_right_sums(const Table& table, const WeightRule& rule) {
  const std::vector<FixedInterval> thresholds = table.structure().thresholds(kBits);
  const std::vector<FixedInterval> weights = rule(kBits);
  FixedInterval total{0, 0};
  for (const FixedInterval& weight : weights) total = sum(total, weight);
  std::vector<FixedInterval> filled = thresholds;
  for (std::size_t c = 0; c < Table::kColumns; ++c) {
    if (table.structure().is_full(c)) continue;
    const std::size_t alias = table.entries()[c] & Table::kMask;
    filled[alias] = sum(filled[alias], difference(fixed_one(kBits), thresholds[c]));
  }
  const Integer tolerance = two_to(kBits - 100);
  int wrong = 0;
  for (std::size_t i = 0; i < Table::kColumns; ++i) {
    const FixedInterval share =
        quotient({weights[table.outcome_of(i)].low * static_cast<unsigned long>(Table::kColumns),
                  weights[table.outcome_of(i)].high * static_cast<unsigned long>(Table::kColumns)},
                 total, kBits);
    const bool is_close = abs(Integer(filled[i].low - share.low)) < tolerance &&
                          abs(Integer(filled[i].high - share.high)) < tolerance;
    wrong += is_close ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(AliasTable, EveryLaplaceEntryIsTheFloorOfItsThreshold) {
  for (const char* scale :
       {"1", "10", "1000", "1000000", "1099511627776", "0.01", "1/1099511627776",
        "1.4426950408889634073599246810018921374266", "1/3"}) {
    const Scale s = Scale::parse(scale).value();
    const DiscreteLaplace laplace(s);
    for (const auto& table : laplace.tables()) expect_true_entries(table);
    const auto top = laplace_top_weights(s.value(), 10, laplace.shape());
    expect_right_sums(laplace.tables().back(), top);
    for (int i = 0; i < laplace.shape().digits; ++i) {
      expect_right_sums(laplace.tables()[static_cast<std::size_t>(i)],
                        laplace_digit_weights(s.value(), 10, i));
    }
  }
}

TEST(AliasTable, EveryGaussianEntryIsTheFloorOfItsThreshold) {
  for (const char* text :
       {"1", "100", "1000000", "1152921504606846976", "1/1099511627776", "1/3"}) {
    const Variance variance = Variance::parse(text).value();
    const DiscreteGaussian discrete(variance);
    expect_true_entries(discrete.table());
    expect_right_sums(discrete.table(), gaussian_weights(variance.value(), 10, discrete.shape()));
    const RoundedGaussian rounded(variance);
    expect_true_entries(rounded.table());
    expect_right_sums(rounded.table(),
                      rounded_gaussian_weights(variance.value(), 10, rounded.shape()));
  }
}

// Weights 1 : e^-1 : e^-2 : 0, by all tapes.
TEST(AliasTable, DrawsItsWeightsExactly) {
  const WeightRule rule = [](int bits) {
    return std::vector<FixedInterval>{
        fixed_one(bits), fixed_exp(Rational(-1), bits), fixed_exp(Rational(-2), bits), {0, 0}};
  };
  const AliasTable<2, 3> table(rule);
  const auto found =
      enumerate<5>(25, [&](auto& tape) { return table.outcome(tape.take(5), tape); });
  Interval total = Interval::around(0, 300);
  for (int i = 0; i < 3; ++i) total = total + exp(Interval::around(Rational(-i), 300));
  for (int i = 0; i < 3; ++i) {
    const Interval p = exp(Interval::around(Rational(-i), 300)) / total;
    EXPECT_TRUE(agrees(found, static_cast<std::uint64_t>(i), p.low(), p.high())) << i;
  }
  EXPECT_FALSE(found.at_least.contains(3));
  EXPECT_LE(found.unresolved, power_of_two(-20));
}

// One threshold one unit too high: the smallest fault that a table can have.
TEST(AliasTable, AnOffByOneThresholdIsRejected) {
  const AliasTable<2, 3> table([](int bits) {
    return std::vector<FixedInterval>{
        fixed_one(bits), fixed_exp(Rational(-1), bits), fixed_exp(Rational(-2), bits), {0, 0}};
  });
  const auto found = enumerate<5>(25, [&](auto& tape) {
    const std::uint64_t word = tape.take(5);
    const std::uint64_t entry = table.entries()[word & 3] + ((word & 3) == 2 ? 4 : 0);
    if (table.is_tie(word, entry)) return table.outcome(word, tape);
    return table.select(word, entry);
  });
  const Interval one = Interval::around(1, 300);
  const Interval p = one / (one + exp(Interval::around(-1, 300)) + exp(Interval::around(-2, 300)));
  EXPECT_FALSE(agrees(found, std::uint64_t{0}, p.low(), p.high()));
}

}  // namespace
}  // namespace discreet::random::alias_test
