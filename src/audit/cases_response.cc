// SPDX-License-Identifier: Apache-2.0
// Bits that are randomized one by one.
#include "audit/cases.h"
#include "mechanism/randomized_response.h"

namespace discreet::audit {
namespace {

using mechanism::RandomizedResponse;
using mechanism::RandomizedResponses;

const Inputs<bool> kBit{false, true, "0 | 1"};

/// Kept with probability `keep`, flipped otherwise.
auto response_theorem(const Range& keep) {
  return [keep](bool bit, bool reply) -> std::optional<Range> {
    return bit == reply ? keep : complement(keep);
  };
}

Pair by_epsilon(const Progress& progress) {
  const auto mechanism = RandomizedResponse::make({.epsilon = Epsilon::trusted(1)});
  return audit<6>(mechanism.value(), kBit, 60, response_theorem(keep_probability(1)), progress);
}

/// Keep with probability 1/2 + 1/3.
Pair by_bias(const Progress& progress) {
  const auto mechanism = RandomizedResponse::with_bias(Rational::ratio(1, 3));
  const Rational keep = Rational::ratio(5, 6);
  return audit<3>(mechanism.value(), kBit, 60, response_theorem({keep, keep}), progress);
}

/// All of it ends within two coins: nothing is unresolved, and the measured epsilon is ln 3.
Pair almost_random(const Progress& progress) {
  const Rational keep = Rational::ratio(3, 4);
  return audit<1>(RandomizedResponse::almost_random(), kBit, 60, response_theorem({keep, keep}),
                  progress);
}

Pair many_bits(const Progress& progress) {
  using Bits = std::vector<std::uint8_t>;
  const RandomizedResponses mechanism(
      RandomizedResponse::make({.epsilon = Epsilon::trusted(1)}).value());
  const Range keep = keep_probability(1);
  const auto theorem = [&](const Bits& bits, const Bits& replies) -> std::optional<Range> {
    Range product{1, 1};
    for (std::size_t i = 0; i < bits.size(); ++i) {
      product = product * (bits[i] == replies[i] ? keep : complement(keep));
    }
    return product;
  };
  return audit<1>(mechanism, Inputs<Bits>{{0, 1, 0}, {0, 0, 0}, "0 1 0 | 0 0 0"}, 30, theorem,
                  progress);
}

}  // namespace

std::vector<Case> response_cases() {
  return {{"randomized-response", by_epsilon},
          {"randomized-response-bias", by_bias},
          {"almost-random", almost_random},
          {"randomized-responses", many_bits}};
}

}  // namespace discreet::audit
