// SPDX-License-Identifier: Apache-2.0
// Permute-and-flip: report-noisy-max with exponential noise, sampled without any noise. It chooses
// one of several public candidates, never worse than the exponential mechanism at the same epsilon,
// and dearer in zCDP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mechanism/exponential.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

/// Mechanism    visit the candidates in a uniformly random order; take o with probability
///              e^{w (u(o) - max u)}, else go on; w = epsilon / (2 Delta).
/// Domain       u: one int64 score for each candidate; the number of candidates is public.
/// Neighbours   max_o |u(o) - u'(o)| <= Delta, Delta rational.   Measure  pure DP, and zCDP.
/// Theorem      epsilon-DP, hence (epsilon^2/2)-zCDP. NOT epsilon^2/8: permute_and_flip.md §4 has
///              two neighbours that need epsilon^2/2 up to O(epsilon^3).
/// Proof        permute_and_flip.md §2 (it is report-noisy-max), §3 (privacy)
/// Privacy map  Delta -> (epsilon, epsilon^2/2), exact rationals.
/// Accuracy     max u - u(o) <= shortfall(confidence) with that confidence; permute_and_flip.md §5.
/// Randomness   OS entropy only; exact coins, no rounding; at most one pass: the best candidate is
///              taken for certain.
/// Fails with   nothing on data; a wrong number of scores is our bug (a CHECK).
/// Side channel running time depends on the scores (how many are visited): see CAVEATS.
/// Source       [McKenna-Sheldon 2020]; the equality with report-noisy-max [Ding et al. 2021].
/// Trust        proved.
/// Checked by   permute_and_flip_test (all tapes against both formulas, both inequalities).
class PermuteAndFlip {
 public:
  using Input = std::vector<std::int64_t>;
  using Output = std::size_t;

  struct Options {
    Epsilon epsilon;
    Sensitivity sensitivity;  ///< of every candidate's score
    std::size_t candidates;   ///< how many; public
  };

  /// Fails with: kInvalidInput when there is no candidate.
  static Result<PermuteAndFlip> make(Options options);

  NoiseSpec noise() const;
  Cost cost() const { return pure_cost(options_.epsilon); }
  /// None: the answer is a name, not a number. shortfall() says how good a name.
  std::optional<Accuracy> accuracy(const Confidence&) const { return std::nullopt; }
  /// How far the chosen score may lie below the best one.
  Integer shortfall(const Confidence& confidence) const;

  static std::vector<Int128> coordinates(const Input& scores) { return score_coordinates(scores); }
  static std::string describe(Output chosen) { return std::to_string(chosen); }

 private:
  friend class Door;
  explicit PermuteAndFlip(Options options);

  template <random::BitSource B>
  Output draw(const Input& scores, B& bits) const;

  Options options_;
  Rational weight_per_unit_;  // epsilon / (2 Delta)
};

}  // namespace discreet::mechanism
