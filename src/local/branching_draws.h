// SPDX-License-Identifier: Apache-2.0
// Draws that branch: a program runs once for every sequence of outcomes of its draws, and each run
// carries its exact probability. What comes out is a randomizer's distribution, not an estimate.
// For the audit and for tests: nothing that answers can use it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "numeric/rational.h"

namespace discreet::local {

class BranchingDraws {
 public:
  bool coin(std::uint64_t a, std::uint64_t b) {
    const Rational total = number(a) + number(b);
    const bool yes = branch(2) == 0;
    weight_ = weight_ * number(yes ? a : b) / total;
    return yes;
  }
  std::uint64_t below(std::uint64_t n) {
    weight_ = weight_ / number(n);
    return branch(n);
  }
  std::uint64_t pick(std::uint64_t a, std::uint64_t n) {
    const std::uint64_t picked = branch(n + 1);
    const Rational total = number(a) + number(n) * number(std::uint64_t{1} << 32);
    weight_ = weight_ * number(picked == 0 ? a : std::uint64_t{1} << 32) / total;
    return picked;
  }
  void coins(std::span<std::uint64_t> out, std::uint64_t threshold) {
    // Bits behind the domain are drawn and dropped, so they need not branch.
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = 0;
      for (std::size_t bit = 0; bit < 64 && 64 * i + bit < bits; ++bit) {
        if (coin(threshold, (std::uint64_t{1} << 32) - threshold))
          out[i] |= std::uint64_t{1} << bit;
      }
    }
  }

  /// How many bits of coins() matter.
  std::size_t bits = 64;
  /// Choices that one run may make before it is cut off (for waiting times); 0 for no bound.
  std::size_t depth_max = 0;
  struct CutOff {};

  /// The probability of each outcome; what was cut off is in `lost`.
  template <class Program>
  auto run(const Program& program, Rational* lost = nullptr) {
    using Outcome = decltype(program(*this));
    std::map<Outcome, Rational> pmf;
    path_.clear();
    do {
      at_ = 0;
      weight_ = 1;
      try {
        const Outcome outcome = program(*this);
        Rational& total = pmf[outcome];
        total = total + weight_;
      } catch (const CutOff&) {
        if (lost != nullptr) *lost = *lost + weight_;
      }
    } while (advance());
    return pmf;
  }

 private:
  struct Choice {
    std::uint64_t taken, ways;
  };

  static Rational number(std::uint64_t n) {
    return Rational(Integer(static_cast<unsigned long>(n)));
  }

  std::uint64_t branch(std::uint64_t ways) {
    if (depth_max != 0 && at_ >= depth_max) throw CutOff{};
    if (at_ == path_.size()) path_.push_back({0, ways});
    return path_[at_++].taken;
  }
  bool advance() {
    path_.resize(std::min(path_.size(), at_));
    while (!path_.empty() && path_.back().taken + 1 == path_.back().ways) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

  std::vector<Choice> path_;
  std::size_t at_ = 0;
  Rational weight_ = 1;
};

}  // namespace discreet::local
