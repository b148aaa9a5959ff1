// SPDX-License-Identifier: Apache-2.0
// RandomizedResponse: one person's bit, kept or flipped by an exact coin. RandomizedResponses: many
// bits, each its own person's. The estimator that undoes the coin is in src/local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "numeric/real.h"
#include "privacy/released.h"
#include "random/bit_source.h"
#include "random/real_coin.h"
#include "random/system_bits.h"

namespace discreet::mechanism {

/// Mechanism    M(b) = b with probability 1 - f, else not b.
///              make:      f = 1/(1 + e^epsilon), exactly: the coin compares bits with a real
///                         number.
///              with_bias: f = 1/2 - bias, a rational; epsilon = ln((1/2 + bias)/(1/2 - bias)),
///                         rounded up to a multiple of 10^-18.
/// Domain       one bit.
/// Neighbours   the person's bit is any other bit (replace one: the local model).
/// Measure      pure DP.
/// Theorem      M is epsilon-DP.                                  Proof    randomized_response.md
/// Privacy map  0 -> 0; one person -> epsilon, never below ln((1-f)/f).
/// Accuracy     of one reply: none. Of many: the estimator's theorem, src/local.
/// Randomness   OS entropy only; one word a bit, but with probability 2^-64.
/// Fails with   with_bias: kInvalidInput unless 0 < bias < 1/2.
/// Trust        proved.
/// Source       Warner 1965; Gaboardi, CSE660; Tessaro, CSE312 (with its bias corrected).
/// Checked by   randomized_response_test, audit exact randomized-response.
class RandomizedResponse {
 public:
  using Input = bool;
  using Output = bool;
  static constexpr Neighbours kNeighbours = Neighbours::kReplaceOne;

  struct Options {
    Epsilon epsilon;
  };
  static Result<RandomizedResponse> make(const Options& options);
  static Result<RandomizedResponse> with_bias(const Rational& bias);
  /// Heads: the true bit; tails: another coin. That is bias 1/4, and ln 3.
  static RandomizedResponse almost_random();

  NoiseSpec noise() const { return {"randomized-response(" + parameter_ + ")"}; }
  Cost cost() const { return pure_cost(epsilon_); }
  static std::optional<Accuracy> accuracy(const Confidence&) { return std::nullopt; }

  const Epsilon& epsilon() const { return epsilon_; }
  /// f and 1 - f, to any precision.
  const Real& flip_probability() const { return flip_; }
  const Real& keep_probability() const { return keep_; }
  /// "epsilon=1" or "bias=1/4": what was asked for, exactly.
  const std::string& parameter() const { return parameter_; }

  static std::vector<Int128> coordinates(bool bit) { return {bit ? 1 : 0}; }
  static std::string describe(bool reply) { return reply ? "1" : "0"; }

 private:
  friend class Door;
  friend class RandomizedResponses;

  RandomizedResponse(Epsilon epsilon, std::string parameter, Real flip, Real keep)
      : epsilon_(std::move(epsilon)),
        parameter_(std::move(parameter)),
        flip_(std::move(flip)),
        keep_(std::move(keep)),
        coin_(flip_) {}

  template <random::BitSource B>
  Output draw(const Input& bit, B& bits) const;

  Epsilon epsilon_;
  std::string parameter_;
  Real flip_;
  Real keep_;
  random::RealCoin coin_;
};

/// Mechanism    RandomizedResponse on each entry, coins independent. Entries are 0 and 1; any other
///              byte counts as 1.
/// Neighbours   one entry changes: each belongs to another person, who answers once.
/// Theorem      M is epsilon-DP: what one person's reply tells is one reply (parallel composition).
/// Privacy map  k entries -> k epsilon.
/// Side channel none of its own: on SystemBits the loop has no branch that depends on a bit, but
///              for the refinement event, 2^-64 a bit.
/// Otherwise as RandomizedResponse.
class RandomizedResponses {
 public:
  using Input = std::vector<std::uint8_t>;
  using Output = std::vector<std::uint8_t>;
  static constexpr Neighbours kNeighbours = Neighbours::kReplaceOne;

  explicit RandomizedResponses(RandomizedResponse each) : each_(std::move(each)) {}

  NoiseSpec noise() const { return {"randomized-responses(" + each_.parameter() + ")"}; }
  Cost cost() const { return each_.cost(); }
  static std::optional<Accuracy> accuracy(const Confidence&) { return std::nullopt; }

  const RandomizedResponse& each() const { return each_; }

  static std::vector<Int128> coordinates(const Input& answers);
  static std::string describe(const Output& replies);

 private:
  friend class Door;

  template <random::BitSource B>
  Output draw(const Input& answers, B& bits) const;
  Output draw_in_blocks(const Input& answers, random::SystemBits& bits) const;

  RandomizedResponse each_;
};

}  // namespace discreet::mechanism
