// SPDX-License-Identifier: Apache-2.0
// Quantiles: one quantile for each of several public keys, by the exponential mechanism over every
// integer of a declared range.
//
//   DISCREET_ASSIGN(auto median, Quantiles::make({.epsilon = e, .keys_per_unit = 3,
//                                                 .rows_per_unit = 4,
//                                                 .fraction = Rational::ratio(1, 2),
//                                                 .low = 0, .high = 120}));
//   DISCREET_ASSIGN(auto medians, Door::release(median, Verbs::runs(groups, 0, keys),
//                                               std::move(receipt)));
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
#include "random/bernoulli.h"
#include "random/real_coin.h"

namespace discreet::mechanism {

class Door;

/// Mechanism    for each key, v in [low, high] with probability proportional to e^{-w dist(v)}, all
///              keys independently; w = epsilon / (2 k r max(a, b-a)), the fraction being a/b.
///              dist(v) is the distance of the target t to [b #(x<v) - a n, b #(x<=v) - a n], whose
///              left end is -infinity at v = low and whose right end is +infinity at v = high.
///              t = side * (shortfall(confidence) + 1).
/// Domain       for each key a multiset of integers, clamped into [low, high]; the number of keys
///              and all options are public, the number of rows n of a key is not.
/// Neighbours   in each key at most r rows added or removed, in all keys together at most k r: k =
///              keys_per_unit, r = rows_per_unit. (Replace-one with l keys and r rows: k = l, 2r.)
/// Measure      pure DP, and zCDP.
/// Theorem      epsilon-DP, and (epsilon^2/(8k))-zCDP.         Proof    quantiles.md §2, §3
/// Privacy map  k, r -> (epsilon, epsilon^2/(8k)), exact rationals.
/// Accuracy     with the confidence asked for, for each key: #(x<v) - s <= (a/b) n + t/b <= #(x<=v)
///              + s, s = rank_shortfall(confidence), but at the ends of the range (quantiles.md
///              §4). With side = -1 (+1) and the options' confidence no quantile of the clamped
///              values is below (above) the answer.
/// Randomness   OS entropy only; exact coins, no rounding; terminates almost surely.
/// Fails with   nothing on data; runs that are not sorted are our bug (a CHECK).
/// Side channel running time depends on the data: see CAVEATS.
/// Source       [Smith 2011] for the score, [McSherry-Talwar 2007]; zCDP by bounded range, as
///              exponential.md §3. Trust: proved.
/// Checked by   quantiles_test (all tapes against the weights, sensitivity, coverage, a million
///              duplicates, planted faults), audit exact quantiles.
class Quantiles {
 public:
  using Input = std::vector<Runs>;           ///< one for each public key
  using Output = std::vector<std::int64_t>;  ///< one for each public key, in [low, high]

  struct Options {
    Epsilon epsilon;                 ///< of the whole release
    std::int64_t keys_per_unit = 1;  ///< how many keys a unit may have rows in
    std::int64_t rows_per_unit = 1;  ///< how many rows a unit may have in a key
    Rational fraction;               ///< in [0, 1]; its denominator at most 2^20
    int side = 0;                    ///< -1, +1: an end of the quantile's interval
    std::int64_t low = 0;            ///< -2^62 <= low <= high <= 2^62
    std::int64_t high = 0;
    Confidence confidence = default_confidence();  ///< that an end covers
  };

  /// Fails with: kInvalidInput for options outside their ranges, or when epsilon is so small that
  /// the ranks that an end is moved by do not fit 100 bits.
  static Result<Quantiles> make(Options options);

  NoiseSpec noise() const;
  Cost cost() const;
  /// None: the error is one of rank. rank_shortfall() bounds it, and sides turn it into values.
  std::optional<Accuracy> accuracy(const Confidence&) const { return std::nullopt; }

  const Options& options() const { return options_; }
  /// The s with Pr[dist(v) > s] <= 1 - confidence for every key and all data.
  Integer shortfall(const Confidence& confidence) const;
  /// The same in rows: shortfall / b.
  Rational rank_shortfall(const Confidence& confidence) const;

  /// Of every key in turn: how many rows.
  static std::vector<Int128> coordinates(const Input& runs);
  static std::string describe(const Output& values);

 private:
  friend class Door;
  Quantiles(Options options, std::shared_ptr<const QuantileLevels> levels);

  template <random::BitSource B>
  Output draw(const Input& keys, B& bits) const {
    Output out;
    out.reserve(keys.size());
    for (const Runs& runs : keys) out.push_back(levels_->draw(runs, bits));
    return out;
  }

  Options options_;
  std::shared_ptr<const QuantileLevels> levels_;  // immutable; what all keys share
};

}  // namespace discreet::mechanism
