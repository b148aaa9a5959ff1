// SPDX-License-Identifier: Apache-2.0
// The owner's key pair. What only the owner may do (top-ups, recoveries) and every head that goes
// to the witness is signed with it (Ed25519); anybody can check with the public half, which is in
// the first record.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "privacy/receipt.h"

struct evp_pkey_st;  // OpenSSL's

namespace discreet::ledger {

using PublicKey = std::array<std::uint8_t, 32>;

/// Cost: about a quarter of a microsecond for the size of a record. Thread-safe.
Hash sha256(std::string_view bytes);

/// Moved-from, it may only be destroyed or assigned to.
class OwnerKey {
 public:
  /// From the operating system's entropy. Fails with: kNoEntropy.
  static Result<OwnerKey> generate();
  /// Reads a key file. Fails with: kStorage, also when others than its owner may read it;
  /// kNotFound; kCorrupt.
  static Result<OwnerKey> load(const std::filesystem::path& file);
  /// Writes it for its owner's eyes only, durably; never over an existing file.
  /// Fails with: kStorage, kNotFound (no such directory), kConflict (exists).
  Result<void> save(const std::filesystem::path& file) const;

  const PublicKey& public_key() const { return public_; }
  /// 64 bytes. Deterministic. Thread-safe.
  std::string sign(std::string_view message) const;

 private:
  struct Free {
    void operator()(evp_pkey_st* key) const;  // wipes the private half
  };
  using Handle = std::unique_ptr<evp_pkey_st, Free>;

  explicit OwnerKey(Handle key);
  static Handle from_seed(std::string_view seed);

  Handle key_;
  PublicKey public_{};
};

bool verify_signature(const PublicKey& key, std::string_view message, std::string_view signature);

std::string to_hex(std::string_view bytes);
std::string to_hex(const std::array<std::uint8_t, 32>& bytes);
/// Lower or upper case. Fails with: kInvalidInput.
Result<std::string> from_hex(std::string_view text);

/// The same bytes as OpenSSL takes them.
const unsigned char* unsigned_bytes(std::string_view text);
unsigned char* unsigned_bytes(std::string& text);

}  // namespace discreet::ledger
