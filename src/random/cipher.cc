// SPDX-License-Identifier: Apache-2.0
#include "random/cipher.h"

#include "base/check.h"
#include "random/aes_ctr.h"
#include "random/chacha20.h"
#include "random/entropy.h"

namespace discreet::random {
namespace {

// The ciphers wipe what they hold; what the compiler spilled of it lies in their dead frames, where
// this one comes to lie too.
[[gnu::noinline]] void wipe_dead_frames() {
  std::uint8_t frames[4096];
  wipe(frames, sizeof frames);
}

void run(Cipher cipher, const CipherKey& key, std::span<std::uint8_t> out) {
#if defined(__x86_64__)
  if (cipher == Cipher::kAesWide) return aes256_ctr_wide(key, CounterBlock{}, out);
  if (cipher == Cipher::kAes) return aes256_ctr(key, CounterBlock{}, out);
#endif
  chacha20(key, ChaChaNonce{}, 0, out);
}

}  // namespace

bool cipher_supported(Cipher cipher) {
#if defined(__x86_64__)
  const bool aes = __builtin_cpu_supports("aes") && __builtin_cpu_supports("sse4.1");
  const bool wide = aes && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("vaes");
#else
  const bool aes = false;
  const bool wide = false;
#endif
  switch (cipher) {
    case Cipher::kAesWide:
      return wide;
    case Cipher::kAes:
      return aes;
    case Cipher::kChaCha20:
      return true;
  }
  return false;
}

Cipher fastest_cipher() {
  static const Cipher kFastest = cipher_supported(Cipher::kAesWide) ? Cipher::kAesWide
                                 : cipher_supported(Cipher::kAes)   ? Cipher::kAes
                                                                    : Cipher::kChaCha20;
  return kFastest;
}

void key_stream(Cipher cipher, const CipherKey& key, std::span<std::uint8_t> out) {
  DISCREET_CHECK(cipher_supported(cipher));
  run(cipher, key, out);
  wipe_dead_frames();
}

}  // namespace discreet::random
