// SPDX-License-Identifier: Apache-2.0
// Passwords and tokens. A password is kept as argon2id with a salt of its own; a token, which has
// 256 random bits, as its SHA-256: whoever steals the file has neither.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace discreet::server::identity {

/// What argon2id costs: 19 MiB and two passes, some 30 ms. Tests use less.
struct PasswordCost {
  unsigned passes = 2;
  unsigned kib = 19 << 10;
};

/// Fails with: kNoEntropy; kInvalidInput below 12 or above 256 bytes.
Result<std::string> hash_password(std::string_view password, const PasswordCost& cost);
bool verify_password(const std::string& hash, std::string_view password);

/// 256 bits of the system's random source as 43 letters, digits, '-' and '_'.
/// Fails with: kNoEntropy.
Result<std::string> fresh_secret();

}  // namespace discreet::server::identity
