// SPDX-License-Identifier: Apache-2.0
// A BitSource hands out uniform random bits. Every sampler is a template over one, compiled for
// SystemBits, which the product draws from, and for the tapes that the audit walks (random/tape.h).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace discreet::random {

/// take(k) gives k fresh uniform bits, 1 <= k <= 64, as an integer below 2^k. kWordBits is the
/// width in which samplers read: 64 in the product; an audit chooses 1 to 6, so that all tapes can
/// be walked through the very same code.
template <class B>
concept BitSource = requires(B& bits, int k) {
  { B::kWordBits } -> std::convertible_to<int>;
  { bits.take(k) } -> std::same_as<std::uint64_t>;
};

/// A BitSource of whole words that also hands out blocks of them, for loops over arrays:
/// take_words(max) gives 1 to max fresh words, good until the next call; bits_taken() counts.
template <class B>
concept BlockSource = BitSource<B> && B::kWordBits == 64 && requires(B& bits, std::size_t max) {
  { bits.take_words(max) } -> std::same_as<std::span<const std::uint64_t>>;
  { bits.bits_taken() } -> std::same_as<std::uint64_t>;
};

}  // namespace discreet::random
