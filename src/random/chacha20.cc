// SPDX-License-Identifier: Apache-2.0
#include "random/chacha20.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "random/entropy.h"

namespace discreet::random {
namespace {

// Four blocks side by side: lane i of every word belongs to block counter + i. The compiler turns
// this into SSE2, NEON or plain code.
using Lanes = std::uint32_t __attribute__((vector_size(16)));
constexpr std::uint32_t kLanes = 4;

inline Lanes rotate(const Lanes& x, int left) { return (x << left) | (x >> (32 - left)); }

inline void quarter_round(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
  a += b;
  d = rotate(d ^ a, 16);
  c += d;
  b = rotate(b ^ c, 12);
  a += b;
  d = rotate(d ^ a, 8);
  c += d;
  b = rotate(b ^ c, 7);
}

void mix(Lanes (&x)[16]) {
  for (int i = 0; i < 10; ++i) {
    quarter_round(x[0], x[4], x[8], x[12]);
    quarter_round(x[1], x[5], x[9], x[13]);
    quarter_round(x[2], x[6], x[10], x[14]);
    quarter_round(x[3], x[7], x[11], x[15]);
    quarter_round(x[0], x[5], x[10], x[15]);
    quarter_round(x[1], x[6], x[11], x[12]);
    quarter_round(x[2], x[7], x[8], x[13]);
    quarter_round(x[3], x[4], x[9], x[14]);
  }
}

std::uint32_t load_little(const std::uint8_t* bytes) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

std::uint32_t to_little(std::uint32_t value) {
  return std::endian::native == std::endian::little ? value : __builtin_bswap32(value);
}

// Section 2.3: constants, key, counter, nonce.
void set_up(const CipherKey& key, const ChaChaNonce& nonce, std::uint32_t counter,
            Lanes (&words)[16]) {
  constexpr std::uint32_t kConstants[] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (std::size_t i = 0; i < 4; ++i) words[i] = Lanes{} + kConstants[i];
  for (std::size_t i = 0; i < 8; ++i) words[4 + i] = Lanes{} + load_little(&key[4 * i]);
  words[12] = Lanes{0, 1, 2, 3} + counter;
  for (std::size_t i = 0; i < 3; ++i) words[13 + i] = Lanes{} + load_little(&nonce[4 * i]);
}

}  // namespace

void chacha20(const CipherKey& key, const ChaChaNonce& nonce, std::uint32_t counter,
              std::span<std::uint8_t> out) {
  Lanes words[16];
  Lanes mixed[16];
  std::uint32_t blocks[kLanes][16];
  set_up(key, nonce, counter, words);
  while (!out.empty()) {
    std::memcpy(mixed, words, sizeof mixed);
    mix(mixed);
    for (std::size_t i = 0; i < 16; ++i) {
      mixed[i] += words[i];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        blocks[lane][i] = to_little(mixed[i][lane]);
      }
    }
    const std::size_t size = std::min(out.size(), sizeof blocks);
    std::memcpy(out.data(), blocks, size);
    out = out.subspan(size);
    words[12] += kLanes;
  }
  wipe(words, sizeof words);
  wipe(mixed, sizeof mixed);
  wipe(blocks, sizeof blocks);
}

}  // namespace discreet::random
