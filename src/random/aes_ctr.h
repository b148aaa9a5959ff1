// SPDX-License-Identifier: Apache-2.0
// AES-256 (FIPS 197) in counter mode (SP 800-38A, section 6.5) with the processor's instructions.
// The low 64 bits of the counter block count, big-endian; they do not carry into the high ones.
#pragma once

#if defined(__x86_64__)

#include <array>
#include <cstdint>
#include <span>

#include "random/cipher.h"

namespace discreet::random {

using CounterBlock = std::array<std::uint8_t, 16>;

/// Requires: a processor with AES-NI and SSE4.1.
void aes256_ctr(const CipherKey& key, const CounterBlock& counter, std::span<std::uint8_t> out);

/// The same bytes. Requires: a processor with VAES and AVX2 too.
void aes256_ctr_wide(const CipherKey& key, const CounterBlock& counter,
                     std::span<std::uint8_t> out);

}  // namespace discreet::random

#endif
