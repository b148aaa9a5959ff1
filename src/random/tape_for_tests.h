// SPDX-License-Identifier: Apache-2.0
// All bit tapes up to a depth, for the tests of this folder: exact lower and upper bounds of every
// output's probability, from the compiled code. (audit/ has the grown-up one.)
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "numeric/rational.h"
#include "random/tape.h"

namespace discreet::random {

struct TapeEnded {
  int wanted;  // bits asked for
};

template <int kWidth>
class TestTape final : public Tape<kWidth> {
 public:
  explicit TestTape(const std::vector<bool>& tape) : tape_(tape) {}

  std::uint64_t take(int k) override {
    if (at_ + static_cast<std::size_t>(k) > tape_.size()) throw TapeEnded{k};
    std::uint64_t out = 0;
    for (int i = 0; i < k; ++i) out = out << 1 | std::uint64_t{tape_[at_++]};
    return out;
  }
  void note_look_up() override { ++look_ups_; }
  std::size_t used() const { return at_; }
  int look_ups() const { return look_ups_; }

 private:
  const std::vector<bool>& tape_;
  std::size_t at_ = 0;
  int look_ups_ = 0;
};

template <class Output>
struct Enumeration {
  std::map<Output, Rational> at_least;  // mass of the tapes that end in this output
  Rational unresolved;                  // mass of the tapes that are still running at the depth
};

/// Runs `sampler(tape)` on every tape of up to `depth` bits; `visit` sees each tape that ended.
template <int kWidth, class Sampler, class Visit>
auto enumerate(int depth, const Sampler& sampler, const Visit& visit) {
  using Output = decltype(sampler(std::declval<Tape<kWidth>&>()));
  Enumeration<Output> result;
  std::vector<bool> prefix;
  const std::function<void()> walk = [&] {
    TestTape<kWidth> tape(prefix);
    int wanted = 0;
    try {
      const Output output = sampler(static_cast<Tape<kWidth>&>(tape));
      result.at_least[output] =
          result.at_least[output] + power_of_two(-static_cast<int>(prefix.size()));
      visit(output, tape);
      return;
    } catch (const TapeEnded& ended) {
      wanted = ended.wanted;
    }
    const std::size_t missing = tape.used() + static_cast<std::size_t>(wanted) - prefix.size();
    if (prefix.size() + missing > static_cast<std::size_t>(depth)) {
      result.unresolved = result.unresolved + power_of_two(-static_cast<int>(prefix.size()));
      return;
    }
    const std::size_t size = prefix.size();
    for (std::uint64_t next = 0; next < std::uint64_t{1} << missing; ++next) {
      for (std::size_t i = missing; i-- > 0;) prefix.push_back((next >> i & 1) != 0);
      walk();
      prefix.resize(size);
    }
  };
  walk();
  return result;
}

template <int kWidth, class Sampler>
auto enumerate(int depth, const Sampler& sampler) {
  return enumerate<kWidth>(depth, sampler, [](const auto&, const auto&) {});
}

/// Does the bracket [at_least, at_least + unresolved] of this output meet [low, high]?
template <class Output>
bool agrees(const Enumeration<Output>& found, const Output& output, const Rational& low,
            const Rational& high) {
  const auto at = found.at_least.find(output);
  const Rational mass = at == found.at_least.end() ? Rational(0) : at->second;
  return mass <= high && low <= mass + found.unresolved;
}

}  // namespace discreet::random
