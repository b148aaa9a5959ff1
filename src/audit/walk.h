// SPDX-License-Identifier: Apache-2.0
// Walk: runs a program on every tape of coins, depth first, and adds up exactly how much
// probability ends in each outcome.
//
//   [0, 1) is the set of all infinite tapes. A run that read n bits and ended covers the piece
//   [t, t + 2^-n) of it, whatever bits follow; so does a run that wanted to read past the depth.
//   The next tape to try is t + 2^-n. When the sweep arrives at 1, every tape has been tried once.
//
//   0        t       t + 2^-n                                   1
//   |--------|=======|------------------------------------------|
//     done     this run                 still to do
//
// W1  Exact: masses are integers over one power of two; no rounding anywhere.
// W2  Nothing is lost: finished + unresolved = 1 (a CHECK). What the depth or the cap on runs cut
//     off is unresolved, never guessed.
// W3  A program must be a function of its tape. One that reads less on the same prefix the second
//     time fails a CHECK.
#pragma once

#include <map>
#include <optional>
#include <type_traits>

#include "audit/exact.h"
#include "audit/tape.h"
#include "numeric/rational.h"

namespace discreet::audit {

/// Pr[1] = ones / 2^bits for every bit of the tape, independently. Fair unless a mutant asks.
struct Coin {
  std::uint64_t ones = 1;
  int bits = 1;
};

struct WalkOptions {
  int depth = 24;                      ///< bits; depth * coin.bits <= kTapeMax
  std::uint64_t runs_max = 4'000'000;  ///< the walk stops here, whatever is left
  Coin coin = {};
  Progress progress = {};
};

/// How much probability ended in each outcome, over 2^mass_bits.
template <class Outcome>
struct Walked {
  std::map<Outcome, Uint128> mass;
  int mass_bits = 0;
  Uint128 finished = 0;
  std::uint64_t runs = 0;

  Rational probability(Uint128 m) const {
    return Rational(to_integer(static_cast<Int128>(m))) * power_of_two(-mass_bits);
  }
  Rational unresolved() const { return probability((Uint128{1} << mass_bits) - finished); }
};

/// The probability of tapes under a coin, as numerators over 2^(depth * coin.bits).
class TapeMass {
 public:
  TapeMass(const Coin& coin, int depth);

  int mass_bits() const { return mass_bits_; }
  /// Of all tapes that start with the first n bits of `fraction`.
  Uint128 of(Uint128 fraction, int n) const {
    const int ones = n == 0 ? 0 : popcount(fraction >> (128 - n));
    return (one_[ones] * zero_[n - ones]) << (coin_bits_ * (depth_ - n));
  }

 private:
  static int popcount(Uint128 x) {
    return std::popcount(static_cast<std::uint64_t>(x)) +
           std::popcount(static_cast<std::uint64_t>(x >> 64));
  }

  int depth_;
  int coin_bits_;
  int mass_bits_;
  Uint128 one_[kTapeMax + 1];   // ones^i
  Uint128 zero_[kTapeMax + 1];  // (2^bits - ones)^i
};

class Walk {
 public:
  explicit Walk(WalkOptions options);

  /// program(Tape<kWidth>&) gives an outcome that can be ordered.
  template <int kWidth, class Program>
  auto run(const Program& program) const {
    using Outcome = std::decay_t<decltype(program(std::declval<Tape<kWidth>&>()))>;
    Walked<Outcome> walked;
    walked.mass_bits = mass_.mass_bits();
    Uint128 unresolved = 0;
    const bool swept =
        each<kWidth>(program, [&](Uint128 at, int used, std::optional<Outcome> outcome) {
          const Uint128 mass = mass_.of(at, used);
          (outcome ? walked.finished : unresolved) += mass;
          if (outcome) walked.mass[std::move(*outcome)] += mass;
          return ++walked.runs < options_.runs_max;
        });
    // W2. A walk that the cap stopped has not tried the tapes from `at` on.
    DISCREET_CHECK(!swept || walked.finished + unresolved == Uint128{1} << walked.mass_bits);
    return walked;
  }

  /// Every run in the order of the tapes: visit(tape, bits read, outcome or nothing when it wanted
  /// to read past the depth) says whether to go on. True when all tapes were tried.
  template <int kWidth, class Program, class Visit>
  bool each(const Program& program, const Visit& visit) const {
    using Outcome = std::decay_t<decltype(program(std::declval<Tape<kWidth>&>()))>;
    Uint128 at = 0;
    for (std::uint64_t runs = 1;; ++runs) {
      WalkedTape<kWidth> tape(at, options_.depth);
      std::optional<Outcome> outcome;
      try {
        outcome = program(static_cast<Tape<kWidth>&>(tape));
      } catch (const TapeString::Exhausted&) {
      }
      DISCREET_CHECK(tape.used() >= significant_bits(at));  // W3
      const bool go_on = visit(at, tape.used(), std::move(outcome));
      if (!advance(at, tape.used())) return true;
      if (!go_on) return false;
      if ((runs & 1023) == 0) report(at);
    }
  }

 private:
  /// at + 2^-n; false when that is 1.
  static bool advance(Uint128& at, int n) {
    if (n == 0) return false;
    at += Uint128{1} << (128 - n);
    return at != 0;
  }
  /// The position of the last 1.
  static int significant_bits(Uint128 at);
  void report(Uint128 at) const;

  WalkOptions options_;
  TapeMass mass_;
};

}  // namespace discreet::audit
