// SPDX-License-Identifier: Apache-2.0
// SvBits: a Santha-Vazirani source as an object. It leans as its strategy says, never further than
// gamma allows, and is a bit source like any other: run a mechanism on it, or feed it to the health
// tests.
#pragma once

#include "audit/seeded_bits.h"
#include "audit/source/tree.h"

namespace discreet::audit {

class SvBits final : public random::Tape<1> {
 public:
  SvBits(Strategy strategy, const Rational& gamma, std::uint64_t seed)
      : strategy_(std::move(strategy)),
        heads_((Rational(1) + gamma) * Rational::ratio(1, 2)),
        coins_(seed) {
    threshold_ = (heads_ * power_of_two(62)).floor().get_ui();
  }

  /// The next answer begins: the strategy sees a fresh prefix. Happens by itself after 127 bits.
  void restart() {
    prefix_ = 0;
    length_ = 0;
  }

  std::uint64_t take(int k) override {
    std::uint64_t out = 0;
    for (int i = 0; i < k; ++i) out = out << 1 | (bit() ? 1U : 0U);
    return out;
  }
  int length() const { return length_; }

 private:
  bool bit() {
    if (length_ == kRemembered) restart();
    const int lean = strategy_.lean(prefix_, length_);
    const bool favoured = coins_.take(62) < threshold_;
    const bool one = lean == 0 ? coins_.take(1) == 1 : favoured == (lean > 0);
    if (one) prefix_ |= Uint128{1} << (127 - length_);
    ++length_;
    return one;
  }

  static constexpr int kRemembered = 127;

  Strategy strategy_;
  Rational heads_;
  SeededBits coins_;
  std::uint64_t threshold_ = 0;
  Uint128 prefix_ = 0;
  int length_ = 0;
};

}  // namespace discreet::audit
