// SPDX-License-Identifier: Apache-2.0
// Bytes that only the holder of a key can read or make: AES-256-GCM with a random nonce. They are
// bound to `about`, which both sides know: sealed for one purpose, they do not open for another.
// One key is used for few messages (2^32 at most; a run in parts has one for itself).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "privacy/receipt.h"

namespace discreet::ledger {

/// Fails with: kNoEntropy.
Result<std::string> seal_bytes(const Hash& key, std::string_view about, std::string_view bytes);
/// Fails with: kCorrupt for anything but what seal_bytes() made of this key and `about`.
Result<std::string> unseal_bytes(const Hash& key, std::string_view about, std::string_view sealed);

}  // namespace discreet::ledger
