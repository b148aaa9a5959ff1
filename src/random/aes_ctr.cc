// SPDX-License-Identifier: Apache-2.0
#include "random/aes_ctr.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstddef>
#include <cstring>

#include "random/entropy.h"

// The build targets any x86-64; these functions alone may use more, and the caller asked the
// processor first. An inline helper must carry the attribute of the function that it goes into.
#define DISCREET_AES __attribute__((target("aes,sse4.1")))
#define DISCREET_AES_WIDE __attribute__((target("vaes,aes,avx2")))

namespace discreet::random {
namespace {

constexpr int kRounds = 14;
// An AES instruction takes 3 to 4 cycles and two start in each: eight in flight keep both units
// busy.
constexpr int kLanes = 8;

struct Schedule {
  __m128i round[kRounds + 1];
};

// FIPS 197, section 5.2. Each step makes four words w[i] = w[i-8] ^ w[i-1]' from the four before;
// the shifted sums are the running exclusive-or of w[i-8..i-5], and `tail` is w[i-1]' in all four.
DISCREET_AES inline __m128i next_words(__m128i words, __m128i tail) {
  words = _mm_xor_si128(words, _mm_slli_si128(words, 4));
  words = _mm_xor_si128(words, _mm_slli_si128(words, 8));
  return _mm_xor_si128(words, tail);
}

template <int kRoundConstant>
DISCREET_AES inline void expand_pair(__m128i* round) {
  const __m128i rotated = _mm_aeskeygenassist_si128(round[-1], kRoundConstant);
  round[0] = next_words(round[-2], _mm_shuffle_epi32(rotated, 0xff));
  const __m128i plain = _mm_aeskeygenassist_si128(round[0], 0);
  round[1] = next_words(round[-1], _mm_shuffle_epi32(plain, 0xaa));
}

DISCREET_AES void expand(const CipherKey& key, Schedule& schedule) {
  __m128i* const round = schedule.round;
  const auto* const halves = reinterpret_cast<const __m128i*>(key.data());
  round[0] = _mm_loadu_si128(halves);
  round[1] = _mm_loadu_si128(halves + 1);
  expand_pair<0x01>(round + 2);
  expand_pair<0x02>(round + 4);
  expand_pair<0x04>(round + 6);
  expand_pair<0x08>(round + 8);
  expand_pair<0x10>(round + 10);
  expand_pair<0x20>(round + 12);
  const __m128i rotated = _mm_aeskeygenassist_si128(round[13], 0x40);
  round[14] = next_words(round[12], _mm_shuffle_epi32(rotated, 0xff));
}

// As a little-endian number, so that it can be added to.
DISCREET_AES inline __m128i reverse_bytes(__m128i block) {
  return _mm_shuffle_epi8(block,
                          _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

// kLanes blocks from `counter` on, and the counter after them.
DISCREET_AES inline __m128i encrypt_lanes(const Schedule& schedule, __m128i counter,
                                          std::uint8_t* out) {
  __m128i lane[kLanes];
#pragma GCC unroll 8
  for (int i = 0; i < kLanes; ++i) {
    const __m128i block = _mm_add_epi64(counter, _mm_set_epi64x(0, i));
    lane[i] = _mm_xor_si128(reverse_bytes(block), schedule.round[0]);
  }
#pragma GCC unroll 16
  for (int r = 1; r < kRounds; ++r) {
#pragma GCC unroll 8
    for (int i = 0; i < kLanes; ++i) lane[i] = _mm_aesenc_si128(lane[i], schedule.round[r]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < kLanes; ++i) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out) + i,
                     _mm_aesenclast_si128(lane[i], schedule.round[kRounds]));
  }
  return _mm_add_epi64(counter, _mm_set_epi64x(0, kLanes));
}

DISCREET_AES_WIDE inline __m256i both_halves(__m128i half) {
  return _mm256_broadcastsi128_si256(half);
}

// 2 * kLanes blocks; `counter` holds two neighbouring counters.
DISCREET_AES_WIDE inline __m256i encrypt_wide(const Schedule& schedule, __m256i counter,
                                              std::uint8_t* out) {
  const __m256i reverse =
      both_halves(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  __m256i lane[kLanes];
#pragma GCC unroll 8
  for (int i = 0; i < kLanes; ++i) {
    const __m256i block = _mm256_add_epi64(counter, _mm256_set_epi64x(0, 2 * i, 0, 2 * i));
    lane[i] = _mm256_xor_si256(_mm256_shuffle_epi8(block, reverse), both_halves(schedule.round[0]));
  }
#pragma GCC unroll 16
  for (int r = 1; r < kRounds; ++r) {
    const __m256i key = both_halves(schedule.round[r]);
#pragma GCC unroll 8
    for (int i = 0; i < kLanes; ++i) lane[i] = _mm256_aesenc_epi128(lane[i], key);
  }
  const __m256i key = both_halves(schedule.round[kRounds]);
#pragma GCC unroll 8
  for (int i = 0; i < kLanes; ++i) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out) + i,
                        _mm256_aesenclast_epi128(lane[i], key));
  }
  return _mm256_add_epi64(counter, _mm256_set_epi64x(0, 2 * kLanes, 0, 2 * kLanes));
}

}  // namespace

DISCREET_AES void aes256_ctr(const CipherKey& key, const CounterBlock& counter,
                             std::span<std::uint8_t> out) {
  constexpr std::size_t kStep = kLanes * 16;
  Schedule schedule;
  expand(key, schedule);
  __m128i next = reverse_bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(counter.data())));
  std::size_t done = 0;
  for (; done + kStep <= out.size(); done += kStep) {
    next = encrypt_lanes(schedule, next, out.data() + done);
  }
  if (done < out.size()) {
    std::uint8_t last[kStep];
    encrypt_lanes(schedule, next, last);
    std::memcpy(out.data() + done, last, out.size() - done);
    wipe(last, sizeof last);
  }
  wipe(&schedule, sizeof schedule);
}

DISCREET_AES_WIDE void aes256_ctr_wide(const CipherKey& key, const CounterBlock& counter,
                                       std::span<std::uint8_t> out) {
  constexpr std::size_t kStep = kLanes * 32;
  Schedule schedule;
  expand(key, schedule);
  const __m128i first =
      reverse_bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(counter.data())));
  __m256i next = _mm256_add_epi64(both_halves(first), _mm256_set_epi64x(0, 1, 0, 0));
  std::size_t done = 0;
  for (; done + kStep <= out.size(); done += kStep) {
    next = encrypt_wide(schedule, next, out.data() + done);
  }
  if (done < out.size()) {
    std::uint8_t last[kStep];
    encrypt_wide(schedule, next, last);
    std::memcpy(out.data() + done, last, out.size() - done);
    wipe(last, sizeof last);
  }
  wipe(&schedule, sizeof schedule);
}

}  // namespace discreet::random

#endif
