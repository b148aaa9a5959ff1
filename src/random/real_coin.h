// SPDX-License-Identifier: Apache-2.0
// RealCoin: a coin that shows heads with probability exactly p, for any real p in [0, 1], rational
// or not.
//
//   const RealCoin coin(exp_real(Rational(-1)));   // heads with probability 1/e
//   if (coin.flip(bits)) ...
//
// The idea: a uniform real U in [0, 1) is below p with probability p. Of U and of p only as many
// binary digits are worked out as it takes to tell them apart. With words of 64 bits one word
// decides, except with probability 2^-64; then both numbers get more digits, with rigorous bounds
// (numeric/real.h). Nothing is ever rounded, so the coin is exact, not close.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "numeric/real.h"
#include "random/bit_source.h"

namespace discreet::random {

/// Where a number x of [0, 1] lies: floor(2^64 x) is in [low, high]. One counts as 0.111...
struct Bracket {
  std::uint64_t low = 0;
  std::uint64_t high = ~std::uint64_t{0};
  bool exact = false;  ///< x is low / 2^64 itself
};

/// floor(2^bits x) for x in [0, 1], one counting as 0.111...
Integer digits_of(const Real& x, int bits);

/// The first 64 digits of x, worked out.
Bracket bracket_of(const Real& x);

/// Decides U < x for a uniform real U whose first `known` bits (0 to 64) are `prefix`. `digits(n)`
/// gives floor(2^n x) and is asked only when 64 bits of U have not settled it.
/// Postcondition: given the prefix, true with probability Pr[U < x | prefix] exactly.
/// Cost: B::kWordBits at a time, until the digits differ.
template <BitSource B, class Digits>
bool uniform_is_below(std::uint64_t prefix, int known, const Bracket& x, const Digits& digits,
                      B& bits);

class RealCoin {
  auto digits() const {  // first, because its type is deduced
    return [this](int n) { return digits_of(p_, n); };
  }

 public:
  /// Requires: 0 <= p <= 1; p is irrational, or its rule gives a point once the precision suffices
  /// (as real() does for rationals with a power of two below), or it is rational otherwise.
  explicit RealCoin(Real p) : bracket_(bracket_of(p)), p_(std::move(p)) {}

  /// True with probability exactly p.
  template <BitSource B>
  bool flip(B& bits) const {
    return uniform_is_below(0, 0, bracket_, digits(), bits);
  }

  /// The same flip when its first 64 bits have been read already: for loops over whole blocks.
  template <BitSource B>
  bool flip_with(std::uint64_t word, B& bits) const {
    return uniform_is_below(word, 64, bracket_, digits(), bits);
  }

  /// floor(2^64 p): a word below it is heads, above it tails, and equal to it needs flip_with.
  std::uint64_t prefix() const { return bracket_.low; }

 private:
  Bracket bracket_;
  Real p_;
};

/// The coin of 1/e, which whole steps of an exponent use.
const RealCoin& one_over_e();

}  // namespace discreet::random

#include "random/real_coin_inl.h"
