// SPDX-License-Identifier: Apache-2.0
// Quantiles: several quantiles for each of several public keys, by the exponential mechanism over
// every integer of a declared range; or, on a small range, by permute-and-flip, which errs less for
// the same epsilon and is dearer in zCDP.
//
//   DISCREET_ASSIGN(auto quartiles, Quantiles::make({.epsilon = e, .keys_per_unit = 3,
//                                                    .rows_per_unit = 4,
//                                                    .fractions = {quarter, half, three_quarters},
//                                                    .low = 0, .high = 120}));
//   DISCREET_ASSIGN(auto values, Door::release(quartiles, Verbs::runs(groups, 0, keys),
//                                              std::move(receipt)));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechanism/groups.h"
#include "mechanism/quantile_levels.h"
#include "privacy/cost.h"
#include "privacy/released.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

class Door;

/// Mechanism    for each key and each fraction f, v in [low, high] with probability proportional to
///              e^{-w score(v)}, or the first v in a random order whose coin of
///              e^{-w (score(v) - least score)} shows heads; all independently.
///              score(v) = max(#(x<v) - f n, f n - #(x<=v)), in rows;  w = epsilon / (k r C),
///              C = sum of max(f, 1-f) + max(sum of f, sum of 1-f).
/// Domain       for each key a multiset of integers, clamped into [low, high]; the number of keys
///              and all options are public, the number of rows n of a key is not.
/// Neighbours   in each key at most r rows added or removed, in all keys together at most k r:
///              k = keys_per_unit, r = rows_per_unit.
///              (Replace-one with l keys and r rows: k = l, 2r.)
/// Measure      pure DP, and zCDP.
/// Theorem      epsilon-DP, and (epsilon^2/(2 gain))-zCDP, gain >= 4k; with permute-and-flip
///              gain = 1.
/// Proof        quantiles.md §2, §3, §6
/// Privacy map  k, r -> (epsilon, epsilon^2/(2 gain)), exact rationals.
/// Accuracy     with the confidence asked for, for each key and fraction:
///              #(x<v) - s <= f n <= #(x<=v) + s,  s = rank_shortfall(confidence)
///              (quantiles.md §4).
/// Randomness   OS entropy only; exact coins, no rounding; terminates almost surely.
/// Fails with   nothing on data; runs that are not sorted are our bug (a CHECK).
/// Side channel running time depends on the data: see CAVEATS.
/// Source       [Smith 2011] for the score, [McSherry-Talwar 2007]; zCDP by bounded range, as
///              exponential.md §3.
/// Trust        proved.
/// Checked by   quantiles_test (all tapes against the weights, ranges, accuracy, a million
///              duplicates, planted faults), audit exact quantiles.
class Quantiles {
 public:
  /// How a point is chosen by its score.
  enum class Choice { kExponential, kPermuteAndFlip };
  /// The most points that permute-and-flip may choose from: it looks at all of them.
  static constexpr std::int64_t kFlipMax = 1024;

  using Input = std::vector<Runs>;           ///< one for each public key
  using Output = std::vector<std::int64_t>;  ///< for each key one of each fraction; in [low, high]

  struct Options {
    Epsilon epsilon;                  ///< of the whole release
    std::int64_t keys_per_unit = 1;   ///< how many keys a unit may have rows in
    std::int64_t rows_per_unit = 1;   ///< how many rows a unit may have in a key
    std::vector<Rational> fractions;  ///< in [0, 1], different; denominators at most 2^20
    std::int64_t low = 0;             ///< -2^62 <= low <= high <= 2^62
    std::int64_t high = 0;
    Choice choice = Choice::kExponential;
  };

  /// Fails with: kInvalidInput for options outside their ranges.
  static Result<Quantiles> make(Options options);

  NoiseSpec noise() const;
  Cost cost() const;
  /// The g of the exponential mechanism's zCDP price epsilon^2/(2g); for one fraction 4
  /// keys_per_unit.
  static Rational gain(std::int64_t keys_per_unit, const std::vector<Rational>& fractions);
  /// None: the error is one of rank. rank_shortfall() bounds it.
  std::optional<Accuracy> accuracy(const Confidence&) const { return std::nullopt; }

  const Options& options() const { return options_; }
  /// The s with Pr[score(v) > s] <= 1 - confidence for every key, fraction and all data.
  Rational rank_shortfall(const Confidence& confidence) const;

  /// Of every key in turn: how many rows.
  static std::vector<Int128> coordinates(const Input& runs);
  static std::string describe(const Output& values);

 private:
  friend class Door;
  using Levels = std::vector<QuantileLevels>;  // one for each fraction
  Quantiles(Options options, std::shared_ptr<const Levels> levels);

  template <random::BitSource B>
  Output draw(const Input& keys, B& bits) const;

  Options options_;
  std::shared_ptr<const Levels> levels_;  // immutable; what all keys share
};

}  // namespace discreet::mechanism
