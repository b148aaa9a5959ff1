// SPDX-License-Identifier: Apache-2.0
// Top-k: the k best of several public candidates, by peeling: k rounds of the exponential
// mechanism, each on the candidates that are left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mechanism/describe.h"
#include "mechanism/exponential.h"
#include "privacy/sensitive.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

/// Mechanism    k times: draw o among the candidates left with weight e^{w u(o)}, and remove it;
///              w = epsilon / (2 k Delta).
/// Domain       u: one int64 score for each candidate; their number and k are public.
/// Neighbours   max_o |u(o) - u'(o)| <= Delta, Delta rational.   Measure  pure DP, and zCDP.
/// Theorem      epsilon-DP, and epsilon^2/(8k)-zCDP.             Proof    top_k.md §2
/// Privacy map  Delta -> (epsilon, epsilon^2/(8k)), exact rationals.
/// Accuracy     with the confidence asked for, every i: u(i-th drawn) >= (i-th best u) -
///              shortfall(confidence); top_k.md §3.
/// Randomness   OS entropy only; exact coins, no rounding; terminates almost surely.
/// Fails with   nothing on data; a wrong number of scores is our bug (a CHECK).
/// Side channel running time depends on the scores (restarts): see CAVEATS.
/// Source       [Durfee-Rogers 2019] for peeling; composition [Bun-Steinke 2016].
/// Trust        proved.
/// Checked by   top_k_test (all tapes against the products of weights, both inequalities).
class TopK {
 public:
  using Input = std::vector<std::int64_t>;
  using Output = std::vector<std::size_t>;  ///< in the order drawn

  struct Options {
    Epsilon epsilon;          ///< for all k together
    Sensitivity sensitivity;  ///< of every candidate's score
    std::size_t candidates;   ///< how many; public
    std::size_t k;            ///< how many to draw
  };

  /// Fails with: kInvalidInput unless 1 <= k <= candidates.
  static Result<TopK> make(Options options);

  NoiseSpec noise() const;
  Cost cost() const;
  /// None: the answer is names, not numbers. shortfall() says how good they are.
  std::optional<Accuracy> accuracy(const Confidence&) const { return std::nullopt; }
  /// How far the i-th score drawn may lie below the i-th best, for all i at once.
  Integer shortfall(const Confidence& confidence) const;

  static std::vector<Int128> coordinates(const Input& scores) { return score_coordinates(scores); }
  static std::string describe(const Output& chosen) { return describe_entries(chosen); }

 private:
  friend class Door;
  explicit TopK(Options options);

  template <random::BitSource B>
  Output draw(const Input& scores, B& bits) const;

  Options options_;
  Rational weight_per_unit_;  // epsilon / (2 k Delta)
};

}  // namespace discreet::mechanism
