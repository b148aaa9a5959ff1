// SPDX-License-Identifier: Apache-2.0
// All tapes of coins up to a depth, for tests of single mechanisms: how much probability surely
// ends in each outcome. The full audit, with tables of measured epsilon, is src/audit.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/check.h"
#include "numeric/rational.h"
#include "random/tape.h"

namespace discreet::mechanism {

/// The bits of `string`, its highest of `length` first; a read past the end throws.
template <int kWidth>
class TestTape final : public random::Tape<kWidth> {
 public:
  struct Ended {};

  TestTape(std::uint64_t string, int length) : string_(string), length_(length) {}

  std::uint64_t take(int k) override {
    if (used_ + k > length_) throw Ended();
    used_ += k;
    return (string_ >> (length_ - used_)) & ((std::uint64_t{1} << k) - 1);
  }
  int used() const { return used_; }

 private:
  std::uint64_t string_;
  int length_;
  int used_ = 0;
};

/// Lower bounds of the outcomes' probabilities; what is missing to 1 was cut off by the depth.
template <class Outcome>
struct Tabulated {
  std::map<Outcome, Rational> mass;
  Rational cut_off;

  /// The probability of `outcome` lies in [low, high].
  Rational low(const Outcome& outcome) const {
    const auto found = mass.find(outcome);
    return found == mass.end() ? Rational() : found->second;
  }
  Rational high(const Outcome& outcome) const { return low(outcome) + cut_off; }
};

/// Runs program(TestTape<kWidth>&) on every tape of up to `depth` < 40 bits, depth first.
template <int kWidth, class Program>
auto tabulate(int depth, const Program& program) {
  using Outcome = decltype(program(std::declval<TestTape<kWidth>&>()));
  Tabulated<Outcome> out;
  const std::uint64_t end = std::uint64_t{1} << depth;
  for (std::uint64_t at = 0; at < end;) {
    TestTape<kWidth> tape(at, depth);
    try {
      Outcome outcome = program(tape);
      Rational& mass = out.mass[std::move(outcome)];
      mass = mass + power_of_two(-tape.used());
    } catch (const typename TestTape<kWidth>::Ended&) {
      out.cut_off = out.cut_off + power_of_two(-tape.used());
    }
    DISCREET_CHECK(depth - tape.used() >= 0);
    at += std::uint64_t{1} << (depth - tape.used());
  }
  return out;
}

}  // namespace discreet::mechanism
