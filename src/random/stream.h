// SPDX-License-Identifier: Apache-2.0
// A stream of random words and the rules by which it lives; SystemBits is one of these in pages
// that fork() wipes, fed by the operating system.
//
//   block   | key, 32 bytes | words not handed out yet | words handed out |
//                             0 ..                       remaining ..
//
// A refill runs the cipher under the key and overwrites the whole block: the first 32 bytes of the
// output are the next key, the rest are words. So the key that made the words is gone before the
// first of them is handed out, and words that were handed out are gone with the next refill: what
// somebody finds in memory later tells nothing about earlier noise (fast key erasure).
//
// All bytes zero is a valid state: it has no key and no words, so the next use refills it, and a
// refill without a key reads one from the source first. Proofs: stream.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/check.h"
#include "base/result.h"
#include "random/cipher.h"
#include "random/entropy.h"
#include "random/health.h"

namespace discreet::random {

struct Stream {
  static constexpr std::size_t kBlockBytes = 63 * 256;  // with the rest, four pages
  static constexpr std::uint32_t kWords = (kBlockBytes - sizeof(CipherKey)) / 8;
  static constexpr std::uint32_t kRefillsPerKeyRead = (1 << 20) / kBlockBytes;  // a mebibyte

  struct Block {
    CipherKey key;
    std::uint64_t words[kWords];
  };

  std::uint32_t remaining;       // words not handed out
  std::uint32_t reservoir_bits;  // bits of `reservoir` not handed out, below 64
  std::uint64_t reservoir;       // those bits, at the low end; zeros above
  std::uint64_t refills;         // since the stream was keyed
  std::uint64_t dropped;         // bits that freshen() threw away
  HealthTests health;
  bool keyed;
  alignas(64) Block block;

  /// The next word. `refill(*this)` must leave words.
  template <class Refill>
  std::uint64_t take_word(Refill&& refill) {
    if (remaining == 0) [[unlikely]] {
      refill(*this);
    }
    return block.words[--remaining];
  }

  /// The next k bits, 1 <= k < 64: first what is left in the reservoir, then the low bits of the
  /// next word; the others of that word are the new reservoir.
  template <class Refill>
  std::uint64_t take_narrow(int k, Refill&& refill) {
    DISCREET_CHECK(k >= 1 && k < 64);
    const auto wanted = static_cast<std::uint32_t>(k);
    std::uint64_t bits = reservoir;
    if (reservoir_bits < wanted) {
      // Refills before it counts, because a refill may find the reservoir wiped.
      const std::uint64_t word = take_word(refill);
      const std::uint32_t old = reservoir_bits;
      bits = reservoir | word << old;
      // The word's bits old..63 of `bits` and its top `old` bits, less the `wanted` handed out.
      reservoir = (word >> (wanted - old));
      reservoir_bits = 64 - (wanted - old);
    } else {
      reservoir >>= wanted;
      reservoir_bits -= wanted;
    }
    return bits & ((std::uint64_t{1} << wanted) - 1);
  }

  /// At least 1 and at most `max` words, max >= 1.
  template <class Refill>
  std::span<const std::uint64_t> take_words(std::size_t max, Refill&& refill) {
    DISCREET_CHECK(max >= 1);
    if (remaining == 0) [[unlikely]] {
      refill(*this);
    }
    const auto count = static_cast<std::uint32_t>(max < remaining ? max : remaining);
    remaining -= count;
    return {block.words + remaining, count};
  }

  /// Bits handed out since the stream was keyed.
  std::uint64_t bits_taken() const {
    return 64 * (refills * kWords - remaining) - reservoir_bits - dropped;
  }
};

static_assert(sizeof(Stream) <= 4 * 4096);
static_assert(std::is_trivial_v<Stream>, "the kernel may zero it at any time");

/// Fills the block. Without a key it first reads one, after the start-up health test; every
/// kRefillsPerKeyRead refills it mixes 32 fresh bytes into the key.
/// Fails with: kNoEntropy. When there was no key there are then no words (remaining == 0); when a
/// later read failed there are words, from the key alone.
Result<void> refill(Stream& stream, RawSource source);

/// Drops every word that was not handed out, mixes 32 fresh bytes into the key and fills the block:
/// from here on nothing depends on the old state alone, so that a copy of it (a clone of a virtual
/// machine) goes another way. Before each release.
/// Fails with: kNoEntropy, as refill() does.
Result<void> freshen(Stream& stream, RawSource source);

}  // namespace discreet::random
