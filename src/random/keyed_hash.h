// SPDX-License-Identifier: Apache-2.0
// SipHash-1-3 under a secret that is drawn for one run: who does not know the secret can neither
// foresee a hash nor make two of them collide. Privacy does not rest on it, wherever it is used.
//
// [AB12] Aumasson, Bernstein: SipHash, a fast short-input PRF. INDOCRYPT 2012.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/result.h"

namespace discreet::random {

struct Secret {
  std::array<std::uint64_t, 2> words{};

  /// 128 bits of this thread's system source. Fails with: kNoEntropy.
  static Result<Secret> fresh();
};

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

/// The state of SipHash, fed with words of 64 bits. kRounds, kLast: 1, 3 here; 2, 4 in its paper.
template <int kRounds = 1, int kLast = 3>
class SipState {
 public:
  explicit SipState(const Secret& secret)
      : v0_(0x736f6d6570736575 ^ secret.words[0]),
        v1_(0x646f72616e646f6d ^ secret.words[1]),
        v2_(0x6c7967656e657261 ^ secret.words[0]),
        v3_(0x7465646279746573 ^ secret.words[1]) {}

  void add(std::uint64_t word) {
    v3_ ^= word;
    rounds<kRounds>();
    v0_ ^= word;
  }

  std::uint64_t finish() {
    v2_ ^= 0xff;
    rounds<kLast>();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

  /// For 128 bits: widen() before the first word.
  void widen() { v1_ ^= 0xee; }
  Hash128 finish_wide() {
    v2_ ^= 0xee;
    rounds<kLast>();
    Hash128 hash{.low = v0_ ^ v1_ ^ v2_ ^ v3_};
    v1_ ^= 0xdd;
    rounds<kLast>();
    hash.high = v0_ ^ v1_ ^ v2_ ^ v3_;
    return hash;
  }

  /// Any number of bytes; the last word holds their number, so that no two texts feed the same
  /// words.
  void add_bytes(std::string_view bytes) {
    std::size_t whole = bytes.size() / 8 * 8;
    for (std::size_t i = 0; i < whole; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, 8);
      add(word);
    }
    std::uint64_t last = 0;
    if (whole < bytes.size()) std::memcpy(&last, bytes.data() + whole, bytes.size() - whole);
    add(last | static_cast<std::uint64_t>(bytes.size()) << 56);
  }

 private:
  template <int kTimes>
  [[gnu::always_inline]] void rounds() {
    for (int i = 0; i < kTimes; ++i) {
      v0_ += v1_;
      v1_ = std::rotl(v1_, 13) ^ v0_;
      v0_ = std::rotl(v0_, 32);
      v2_ += v3_;
      v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ += v3_;
      v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ += v1_;
      v1_ = std::rotl(v1_, 17) ^ v2_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  std::uint64_t v0_, v1_, v2_, v3_;
};
static_assert(std::endian::native == std::endian::little, "words are read as SipHash reads them");

/// A fixed number of words; the number is not hashed.
inline std::uint64_t keyed_hash(const Secret& secret, std::initializer_list<std::uint64_t> words) {
  SipState<> state(secret);
  for (std::uint64_t word : words) state.add(word);
  return state.finish();
}

inline std::uint64_t keyed_hash(const Secret& secret, std::string_view bytes) {
  SipState<> state(secret);
  state.add_bytes(bytes);
  return state.finish();
}

inline Hash128 keyed_hash_wide(const Secret& secret, std::string_view bytes) {
  SipState<> state(secret);
  state.widen();
  state.add_bytes(bytes);
  return state.finish_wide();
}

}  // namespace discreet::random
