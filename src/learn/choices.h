// SPDX-License-Identifier: Apache-2.0
// A public sequence of numbers for choices after release: first weights, starts of a search, which
// rows a synthetic table draws. The same seed gives the same model from the same released numbers.
// It is no noise and keeps no secret.
#pragma once

#include <cstdint>
#include <limits>

namespace discreet::learn {

/// SplitMix64 (Steele, Lea, Flood 2014); fits the standard library's distributions.
class Choices {
 public:
  using result_type = std::uint64_t;
  explicit Choices(std::uint64_t seed) : state_(seed) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace discreet::learn
