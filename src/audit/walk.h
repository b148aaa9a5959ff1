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
// A rejection (random/tries.h) ends a run too: what follows has the distribution of what followed
// where the loop began, so its mass goes back there, in proportion, when the last tape that begins
// like that has been tried (exact.md).
//
// W1  Masses are integers over one power of two. What comes back from a rejection is rounded down:
//     what that loses is unresolved.
// W2  Nothing is lost: the pieces add up to 1 (a CHECK). What the depth or the cap on runs cut off
//     is unresolved, never guessed.
// W3  A program must be a function of its tape. One that reads less on the same prefix the second
//     time fails a CHECK.
#pragma once

#include <map>
#include <optional>
#include <type_traits>
#include <vector>

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

/// Outcomes of the tapes that start with some bits, and what was rejected there.
template <class Outcome>
struct Branch {
  int bits = 0;  ///< how many
  std::map<Outcome, Uint128> mass = {};
  std::vector<Uint128> back = {};  ///< by the place of the loop that starts over
};

/// floor(m whole / rest). Requires: m <= whole < 2^127, 0 < rest <= whole.
Uint128 in_proportion(Uint128 m, Uint128 whole, Uint128 rest);

/// The probability of tapes under a coin, as numerators over 2^mass_bits(), which is depth *
/// coin.bits and some more for what comes back from rejections.
class TapeMass {
 public:
  TapeMass(const Coin& coin, int depth);

  int mass_bits() const { return mass_bits_; }
  /// Of all tapes that start with the first n bits of `fraction`.
  Uint128 of(Uint128 fraction, int n) const {
    const int ones = n == 0 ? 0 : popcount(fraction >> (128 - n));
    return (one_[ones] * zero_[n - ones]) << (mass_bits_ - coin_bits_ * n);
  }

 private:
  static int popcount(Uint128 x) {
    return std::popcount(static_cast<std::uint64_t>(x)) +
           std::popcount(static_cast<std::uint64_t>(x >> 64));
  }

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
    Uint128 swept = 0;
    std::vector<Branch<Outcome>> open(1);  // the whole, then the loops that the last run began
    Uint128 at = 0;
    bool all = false;
    while (!all && walked.runs < options_.runs_max) {
      WalkedTape<kWidth> tape(at, options_.depth, true);
      std::optional<std::size_t> rejected;
      const std::optional<Outcome> outcome = one_run<Outcome>(program, tape, &rejected);
      DISCREET_CHECK(tape.used() >= significant_bits(at));  // W3
      for (std::size_t i = open.size() - 1; i < tape.began().size(); ++i) {
        open.push_back({.bits = tape.began()[i]});
        open.back().back.resize(i + 1);
      }
      const Uint128 mass = mass_.of(at, tape.used());
      if (outcome) open.back().mass[*outcome] += mass;
      if (rejected) open.back().back[*rejected] += mass;
      swept += mass;
      const Uint128 before = at;
      all = !advance(at, tape.used());
      while (open.size() > 1 && (all || !same_start(before, at, open.back().bits))) {
        close(open, mass_.of(before, open.back().bits));
      }
      if ((++walked.runs & 1023) == 0 && !all) report(at);
    }
    while (open.size() > 1) close(open, mass_.of(at, open.back().bits));
    DISCREET_CHECK(!all || swept == Uint128{1} << walked.mass_bits);  // W2
    walked.mass = std::move(open.front().mass);
    for (const auto& [outcome, mass] : walked.mass) walked.finished += mass;
    return walked;
  }

  /// Every run in the order of the tapes, rejections and all: visit(tape, bits read, outcome or nothing when it wanted
  /// to read past the depth) says whether to go on. True when all tapes were tried.
  template <int kWidth, class Program, class Visit>
  bool each(const Program& program, const Visit& visit) const {
    using Outcome = std::decay_t<decltype(program(std::declval<Tape<kWidth>&>()))>;
    Uint128 at = 0;
    for (std::uint64_t runs = 1;; ++runs) {
      WalkedTape<kWidth> tape(at, options_.depth);
      std::optional<Outcome> outcome = one_run<Outcome>(program, tape);
      DISCREET_CHECK(tape.used() >= significant_bits(at));  // W3
      const bool go_on = visit(at, tape.used(), std::move(outcome));
      if (!advance(at, tape.used())) return true;
      if (!go_on) return false;
      if ((runs & 1023) == 0) report(at);
    }
  }

 private:
  /// Nothing when it wanted to read past the depth, or was rejected.
  template <class Outcome, int kWidth, class Program>
  static std::optional<Outcome> one_run(const Program& program, WalkedTape<kWidth>& tape,
                                        std::optional<std::size_t>* rejected = nullptr) {
    try {
      return program(static_cast<Tape<kWidth>&>(tape));
    } catch (const TapeString::Exhausted&) {
    } catch (const TapeString::Rejected& loop) {
      *rejected = loop.id;
    }
    return std::nullopt;
  }

  /// The last branch has seen all of its tapes, `whole`: what was rejected to its loop is spread
  /// over the rest, and all goes to the branch that it is a part of.
  template <class Outcome>
  static void close(std::vector<Branch<Outcome>>& open, Uint128 whole) {
    Branch<Outcome> last = std::move(open.back());
    open.pop_back();
    Branch<Outcome>& into = open.back();
    const Uint128 rest = whole - last.back.back();
    last.back.pop_back();
    if (rest == 0) return;
    for (const auto& [outcome, mass] : last.mass) {
      into.mass[outcome] += in_proportion(mass, whole, rest);
    }
    for (std::size_t i = 0; i < last.back.size(); ++i) {
      into.back[i] += in_proportion(last.back[i], whole, rest);
    }
  }
  static bool same_start(Uint128 a, Uint128 b, int bits) {
    return bits == 0 || (a ^ b) >> (128 - bits) == 0;
  }

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
