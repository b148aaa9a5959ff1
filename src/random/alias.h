// SPDX-License-Identifier: Apache-2.0
// AliasTable: one word of random bits, one look-up, one comparison, one outcome of a finite
// distribution, exactly, although its probabilities are irrational.
//
// A table of N = 2^kColumnBits columns has one packed entry for each:
//
//      63 (or lower)                    kColumnBits                0
//     +----------------------------------+------------------------+
//     | first kThresholdBits digits of t | alias                  |   entry of column c
//     +----------------------------------+------------------------+
//     +----------------------------------+------------------------+
//     | uniform u                        | uniform column c       |   drawn word
//     +----------------------------------+------------------------+
//
// u below the digits: the outcome is c. Above: the alias. Equal (a tie, probability
// 2^-kThresholdBits at most): more digits of both are compared. So the work is the same for every
// outcome, except in a tie.
//
// Outcomes and lenders are strewn over the columns (kStride, kLendingStride), so that no cache line
// stands for small values and another for large ones: where a look-up lands tells little about
// what it found.
//
// A1  Outcome i comes with probability weight_i / sum of weights, exactly (alias.md).
// A2  Every entry is the true floor of its irrational threshold: intervals prove it at build time.
// A3  Immutable after construction, so shared between threads freely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "random/bit_source.h"
#include "random/weights.h"

namespace discreet::random {

/// Column c holds outcome c * kStride mod N. Odd, so that every outcome has one column; 633/1024
/// and 377/1024 are close to the golden section and its square, so that any run is spread evenly.
inline constexpr std::uint64_t kStride = 633;
inline constexpr std::uint64_t kLendingStride = 377;

/// The structure behind a table, of any width: which column leans on which, and the thresholds to
/// any precision.
class AliasStructure {
 public:
  /// Requires: the rule gives 2^column_bits weights, not all zero; no proper subset of the positive
  /// ones adds up to a multiple of 2^-n of the total, n any integer (true of all our
  /// distributions: laplace.md, gaussian.md).
  AliasStructure(WeightRule rule, int column_bits, int threshold_bits);

  const std::vector<std::uint64_t>& entries() const { return entries_; }
  std::size_t outcome_of(std::size_t column) const { return column * kStride % entries_.size(); }

  /// Columns whose tie has to be settled with more bits. A column that holds only itself, or whose
  /// threshold ends within the entry, needs none.
  int refinable_columns() const;
  bool is_full(std::size_t column) const;
  bool threshold_ends(std::size_t column) const { return ends_[column]; }

  /// Digits threshold_bits + 1, ..., threshold_bits + 64 of the threshold.
  std::uint64_t next_digits(std::size_t column) const { return next_digits_[column]; }
  /// Digits threshold_bits + 1, ..., threshold_bits + n.
  Integer digits_after_entry(std::size_t column, int n) const;

  /// All thresholds at 2^bits, for the proof by test. A full column's is one.
  std::vector<FixedInterval> thresholds(int bits) const;

 private:
  bool try_to_build(int bits);
  std::vector<FixedInterval> shares(int bits) const;

  WeightRule rule_;
  int column_bits_;
  int threshold_bits_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> loans_;  // (column, its alias), in order
  std::vector<std::uint64_t> entries_;
  std::vector<std::uint64_t> next_digits_;
  std::vector<bool> ends_;
};

template <int kColumnBits, int kThresholdBits>
class AliasTable {
 public:
  static constexpr int kWordBits = kColumnBits + kThresholdBits;
  static constexpr std::uint64_t kColumns = std::uint64_t{1} << kColumnBits;
  static constexpr std::uint64_t kMask = kColumns - 1;
  static_assert(kColumnBits >= 1 && kThresholdBits >= 1 && kWordBits <= 64);

  explicit AliasTable(WeightRule rule) : structure_(std::move(rule), kColumnBits, kThresholdBits) {}

  /// The outcome that a word of kWordBits uniform bits stands for; `bits` are used in a tie only.
  template <BitSource B>
  std::uint64_t outcome(std::uint64_t word, B& bits) const;

  /// The same in two halves, for loops over blocks of words: select() is right unless is_tie().
  static bool is_tie(std::uint64_t word, std::uint64_t entry) { return (word ^ entry) <= kMask; }
  static std::uint64_t select(std::uint64_t word, std::uint64_t entry) {
    // (u, ones) < (digits, alias) is u < digits: equal u gives ones >= alias. A mask and no branch,
    // so that the work does not depend on the outcome.
    const std::uint64_t is_below = -std::uint64_t{(word | kMask) < entry};
    return outcome_of((word & is_below) | (entry & ~is_below));
  }
  static std::uint64_t outcome_of(std::uint64_t column) { return column * kStride & kMask; }

  const std::uint64_t* entries() const { return structure_.entries().data(); }
  const AliasStructure& structure() const { return structure_; }

 private:
  template <BitSource B>
  std::uint64_t settle(std::uint64_t word, B& bits) const;

  AliasStructure structure_;
};

}  // namespace discreet::random

#include "random/alias_inl.h"
