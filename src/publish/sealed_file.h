// SPDX-License-Identifier: Apache-2.0
// Bytes that only the owner's key can read (AES-256-GCM under a key derived from the owner's), and
// files that are either the old ones or the new ones, whenever the machine stops.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ledger/seal.h"
#include "privacy/sensitive.h"

namespace discreet::publish {

/// `context` says what the bytes are of: other bytes, or another context, do not open.
/// The nonce is a keyed hash of the bytes: no two different texts share one.
Result<std::string> encrypt(const ledger::OwnerKey& key, const std::string& context,
                            std::string_view bytes);
/// Fails with: kCorrupt.
Result<Sensitive<std::string>> decrypt(const ledger::OwnerKey& key, const std::string& context,
                                       std::string_view bytes);

/// All that a kept file holds. Fails with: kNotFound, kStorage.
Result<std::string> read_kept(const std::filesystem::path& file);
/// Durable when it returns. Fails with: kStorage.
Result<void> replace_file(const std::filesystem::path& file, std::string_view bytes);
/// `from` takes the place of `to`; durable when it returns. Fails with: kStorage.
Result<void> move_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace discreet::publish
