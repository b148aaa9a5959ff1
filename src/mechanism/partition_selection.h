// SPDX-License-Identifier: Apache-2.0
// Partition selection: may this key be shown? Among all (epsilon, delta)-DP ways to decide from the
// number of units that have the key, this one shows it with the largest probability.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechanism/mechanisms.h"
#include "numeric/real.h"
#include "privacy/cost.h"
#include "privacy/released.h"
#include "random/bit_source.h"
#include "random/real_coin.h"

namespace discreet::mechanism {

class Door;
class KeySelection;

/// Mechanism    M(n) = show with probability p(n):  p(0) = 0,  p(n+1) =
///              min(e^epsilon p(n) + delta, 1 - e^-epsilon (1 - p(n) - delta), 1).
/// Domain       n: the number of units that have the key; below 0 counts as 0.
/// Neighbours   |n - n'| <= 1: a unit is counted once in a key.    Measure  (epsilon, delta)-DP.
/// Theorem      (epsilon, delta)-DP, hence delta-approximately (epsilon^2/2)-zCDP; no such
///              mechanism that hides absent keys shows any n with a larger probability.
/// Proof        partition_selection.md §2 (privacy), §3 (optimality), §4 (the closed form)
/// Privacy map  1 -> (epsilon, delta). For ONE key: a unit that may have k keys pays k times, as
///              the caller composes; that includes delta.
/// Accuracy     never_below() and always_from(): p is 0 below the one and 1 from the other on.
/// Randomness   OS entropy only; exact coins of irrational probability, decided by as many bits as
///              it takes: one word for n >= 1, but for probability below 2^-60.
/// Fails with   nothing on data.
/// Side channel counts past the table, and any epsilon past 4,096, take longer: see CAVEATS.
/// Source       [Desfontaines-Voss-Gipson-Mandayam 2022].
/// Trust        proved.
/// Checked by   partition_selection_test (the recurrence, all tapes, all four inequalities).
class PartitionSelection {
 public:
  using Input = Int128;
  using Output = bool;

  struct Options {
    Epsilon epsilon;
    Delta delta;
  };

  /// Fails with: kInvalidInput when delta is below 2^-4096, such as 0.
  static Result<PartitionSelection> make(Options options);

  NoiseSpec noise() const;
  Cost cost() const;
  /// None: the answer is not a number.
  std::optional<Accuracy> accuracy(const Confidence&) const { return std::nullopt; }

  /// The least n with p(n) > 0, which is 1, and the least with p(n) = 1.
  static Integer never_below() { return 1; }
  const Integer& always_from() const { return always_from_; }

  /// p(n), as an exact number.
  Real show_probability(const Integer& n) const;

  static std::vector<Int128> coordinates(Input n) { return {n}; }
  static std::string describe(Output shown) { return shown ? "shown" : "hidden"; }

 private:
  friend class Door;
  friend class KeySelection;
  PartitionSelection(Options options, Integer turn);

  // The two halves of p's closed form; partition_selection.md §4.
  Real rising(const Integer& n) const;     // p(n), for 1 <= n <= turn
  Real left_over(const Integer& n) const;  // 1 - p(n) - delta, for turn <= n < always_from - 1
  /// The first 64 digits of p(1), p(2), ..., by the recurrence; partition_selection.md §7.
  std::vector<random::Bracket> brackets() const;

  template <random::BitSource B>
  Output draw(const Input& count, B& bits) const;
  template <random::BitSource B>
  bool shows(Int128 n, B& bits) const;
  template <random::BitSource B>
  bool shows_by_two_coins(const Integer& n, B& bits) const;

  Options options_;
  Integer turn_;         // the last n that the first branch of the recurrence reaches
  Integer always_from_;  // the first n with p(n) = 1
  Int128 always_;        // the same, at most kInt128Max
  std::shared_ptr<const std::vector<random::Bracket>> table_;
};

}  // namespace discreet::mechanism
