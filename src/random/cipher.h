// SPDX-License-Identifier: Apache-2.0
// The stream ciphers behind SystemBits: 32 bytes of key become as many bytes as are asked for, and
// nobody without the key can tell those from uniform ones.
//
//   kAesWide    AES-256 in counter mode, two blocks an instruction (x86-64 with VAES and AVX2)
//   kAes        AES-256 in counter mode, one block an instruction (x86-64 with AES-NI)
//   kChaCha20   portable (RFC 8439), four blocks at a time
//
// The two forms of AES give the same bytes. Neither has a table that is looked up by a secret, so
// none tells its key through the cache.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace discreet::random {

using CipherKey = std::array<std::uint8_t, 32>;

enum class Cipher { kAesWide, kAes, kChaCha20 };

/// Whether this processor can run it.
bool cipher_supported(Cipher cipher);

/// The fastest that this processor can run: the same answer in all threads, always.
Cipher fastest_cipher();

/// Fills `out` with the key stream that begins at counter 0, nonce 0. Because of that a key must be
/// used for one call only. `out` may overlap nothing else; copies of the key are wiped.
/// Requires: cipher_supported(cipher).
void key_stream(Cipher cipher, const CipherKey& key, std::span<std::uint8_t> out);

}  // namespace discreet::random
