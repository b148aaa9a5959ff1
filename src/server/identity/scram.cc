// SPDX-License-Identifier: Apache-2.0
#include "server/identity/scram.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/check.h"
#include "engine/keyed_hash.h"
#include "ledger/seal.h"

namespace discreet::server::identity {
namespace {

using ledger::unsigned_bytes;

constexpr std::size_t kScramHashBytes = 32;
constexpr std::size_t kSaltBytes = 16;

std::string hmac(std::string_view key, std::string_view text) {
  std::string out(kScramHashBytes, '\0');
  unsigned size = 0;
  const auto* const made = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                                unsigned_bytes(text), text.size(), unsigned_bytes(out), &size);
  DISCREET_CHECK(made != nullptr && size == kScramHashBytes);
  return out;
}

std::string sha256(std::string_view text) {
  const Hash hash = ledger::sha256(text);
  return {hash.begin(), hash.end()};
}

std::string exclusive_or(std::string a, std::string_view b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<char>(a[i] ^ b[i]);
  return a;
}

}  // namespace

Result<std::optional<ScramVerifier>> make_verifier(std::string_view password, unsigned rounds) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (!std::all_of(password.begin(), password.end(), is_plain)) {
    return std::optional<ScramVerifier>{};
  }
  DISCREET_ASSIGN(const engine::Secret secret, engine::Secret::fresh());
  std::string salt(reinterpret_cast<const char*>(secret.words.data()), kSaltBytes);
  return std::optional(verifier_with(password, std::move(salt), rounds));
}

ScramVerifier verifier_with(std::string_view password, std::string salt, unsigned rounds) {
  std::string salted(kScramHashBytes, '\0');
  const int status =
      PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), unsigned_bytes(salt),
                        static_cast<int>(salt.size()), static_cast<int>(rounds), EVP_sha256(),
                        kScramHashBytes, unsigned_bytes(salted));
  DISCREET_CHECK(status == 1);
  return {.salt = std::move(salt),
          .rounds = rounds,
          .stored_key = sha256(hmac(salted, "Client Key")),
          .server_key = hmac(salted, "Server Key")};
}

ScramVerifier mock_verifier(std::string_view secret, std::string_view name, unsigned rounds) {
  const std::string salt = hmac(secret, "salt " + std::string(name));
  return {.salt = salt.substr(0, kSaltBytes),
          .rounds = rounds,
          .stored_key = hmac(secret, "stored " + std::string(name)),
          .server_key = hmac(secret, "server " + std::string(name))};
}

std::string to_text(const ScramVerifier& verifier) {
  return std::to_string(verifier.rounds) + ":" + to_base64(verifier.salt) + ":" +
         to_base64(verifier.stored_key) + ":" + to_base64(verifier.server_key);
}

std::optional<ScramVerifier> parse_verifier(std::string_view text) {
  std::array<std::string_view, 4> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t colon = i + 1 < parts.size() ? text.find(':') : text.size();
    if (colon == text.npos) return std::nullopt;
    parts[i] = text.substr(0, colon);
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  ScramVerifier verifier;
  const char* const end = parts[0].data() + parts[0].size();
  const auto read = std::from_chars(parts[0].data(), end, verifier.rounds);
  const auto salt = from_base64(parts[1]);
  const auto stored = from_base64(parts[2]);
  const auto server = from_base64(parts[3]);
  if (read.ec != std::errc() || read.ptr != end || !salt || !stored || !server ||
      stored->size() != kScramHashBytes || server->size() != kScramHashBytes) {
    return std::nullopt;
  }
  verifier.salt = *salt;
  verifier.stored_key = *stored;
  verifier.server_key = *server;
  return verifier;
}

bool is_proof(const ScramVerifier& verifier, std::string_view messages, std::string_view proof) {
  if (proof.size() != kScramHashBytes) return false;
  const std::string client_key =
      exclusive_or(std::string(proof), hmac(verifier.stored_key, messages));
  return CRYPTO_memcmp(sha256(client_key).data(), verifier.stored_key.data(), kScramHashBytes) == 0;
}

std::string server_signature(const ScramVerifier& verifier, std::string_view messages) {
  return hmac(verifier.server_key, messages);
}

std::string to_base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size =
      EVP_EncodeBlock(unsigned_bytes(out), unsigned_bytes(bytes), static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::size_t kMost = 4096;
  if (text.empty() || text.size() % 4 != 0 || text.size() > kMost) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  const auto fits = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
  };
  const std::string_view digits = text.substr(0, text.size() - padding);
  if (!std::all_of(digits.begin(), digits.end(), fits)) return std::nullopt;
  std::string out(text.size() / 4 * 3, '\0');
  const int size =
      EVP_DecodeBlock(unsigned_bytes(out), unsigned_bytes(text), static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  out.resize(static_cast<std::size_t>(size) - padding);
  return out;
}

}  // namespace discreet::server::identity
