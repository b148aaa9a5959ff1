// SPDX-License-Identifier: Apache-2.0
// The exponential mechanism: chooses one of several public candidates, the better its score the
// likelier.
//
//   DISCREET_ASSIGN(auto choice, Exponential::make({.epsilon = e, .sensitivity = d,
//                                                   .candidates = names.size()}));
//   DISCREET_ASSIGN(auto winner, Door::release(choice, std::move(scores), std::move(receipt)));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "privacy/cost.h"
#include "privacy/released.h"
#include "random/bit_source.h"

namespace discreet::mechanism {

class Door;

/// The least integer s with Pr[max u - u(chosen) > s] <= 1 - confidence for every vector of that
/// many integer scores, when candidates are drawn with weight e^{weight_per_unit * u}. The bound of
/// lecture 1, (ln|O| + t) / weight_per_unit, is never below it (exponential.md §4).
Integer worst_shortfall(std::size_t candidates, const Rational& weight_per_unit,
                        const Confidence& confidence);

/// Scores as coordinates for a recording.
std::vector<Int128> score_coordinates(const std::vector<std::int64_t>& scores);

/// Mechanism    M(u) = o with probability e^{w u(o)} / sum_p e^{w u(p)},  w = epsilon / (2 Delta).
/// Domain       u: one int64 score for each candidate; the number of candidates is public.
/// Neighbours   max_o |u(o) - u'(o)| <= Delta, Delta rational.   Measure  pure DP, and zCDP.
/// Theorem      epsilon-DP, and (epsilon^2/8)-zCDP.              Proof    exponential.md §2, §3
/// Privacy map  Delta -> (epsilon, epsilon^2/8), exact rationals.
/// Accuracy     max u - u(o) <= shortfall(confidence) with that confidence; exponential.md §4.
/// Randomness   OS entropy only; exact coins, no rounding; terminates almost surely.
/// Fails with   nothing on data; a wrong number of scores is our bug (a CHECK).
/// Side channel running time depends on the scores (restarts): see CAVEATS.
/// Source       [McSherry-Talwar 2007]; zCDP by bounded range [Dong et al. 2020, Cesar-Rogers
///              2021].
/// Trust        proved.
/// Checked by   exponential_test (all tapes against the weights, both inequalities, limits).
class Exponential {
 public:
  using Input = std::vector<std::int64_t>;
  using Output = std::size_t;

  struct Options {
    Epsilon epsilon;
    Sensitivity sensitivity;  ///< of every candidate's score
    std::size_t candidates;   ///< how many; public
  };

  /// Fails with: kInvalidInput when there is no candidate.
  static Result<Exponential> make(Options options);

  NoiseSpec noise() const;
  Cost cost() const;
  /// None: the answer is a name, not a number. shortfall() says how good a name.
  std::optional<Accuracy> accuracy(const Confidence&) const { return std::nullopt; }
  /// How far the chosen score may lie below the best one.
  Integer shortfall(const Confidence& confidence) const;

  static std::vector<Int128> coordinates(const Input& scores) { return score_coordinates(scores); }
  static std::string describe(Output chosen) { return std::to_string(chosen); }

 private:
  friend class Door;
  explicit Exponential(Options options);

  template <random::BitSource B>
  Output draw(const Input& scores, B& bits) const;

  Options options_;
  Rational weight_per_unit_;  // epsilon / (2 Delta)
};

}  // namespace discreet::mechanism
