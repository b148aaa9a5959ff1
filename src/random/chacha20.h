// SPDX-License-Identifier: Apache-2.0
// ChaCha20 (RFC 8439, section 2.4), in integer additions, rotations and exclusive-ors only.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "random/cipher.h"

namespace discreet::random {

using ChaChaNonce = std::array<std::uint8_t, 12>;

/// Fills `out` with the key stream from block `counter` on.
/// Requires: fewer than 2^32 - counter blocks of 64 bytes.
void chacha20(const CipherKey& key, const ChaChaNonce& nonce, std::uint32_t counter,
              std::span<std::uint8_t> out);

}  // namespace discreet::random
