// SPDX-License-Identifier: Apache-2.0
// A BitSource hands out uniform random bits. Every sampler is a template over one: the product
// instantiates it with SystemBits, the audit with tapes that it enumerates.
#pragma once

#include <concepts>
#include <cstdint>

namespace discreet::random {

/// take(k) gives k fresh uniform bits, 1 <= k <= 64, as an integer below 2^k. kWordBits is the
/// width in which samplers read: 64 in the product; an audit chooses 1 to 6, so that all tapes can
/// be walked through the very same code.
template <class B>
concept BitSource = requires(B& bits, int k) {
  { B::kWordBits } -> std::convertible_to<int>;
  { bits.take(k) } -> std::same_as<std::uint64_t>;
};

}  // namespace discreet::random
