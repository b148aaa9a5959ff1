// SPDX-License-Identifier: Apache-2.0
// SCRAM-SHA-256 [RFC 5802, RFC 7677], the server's half of the arithmetic: a password is proved
// without being sent, and what is kept lets nobody log in.
//
// What is kept can be guessed against, though, at the price of PBKDF2 and not of argon2id, whose
// memory SCRAM has no place for. So verifiers are kept only by a server that speaks PostgreSQL's
// protocol, and with many rounds; passwords that the server made have 256 random bits and cannot
// be guessed at any price.
//
//   SaltedPassword = PBKDF2(password, salt, rounds)
//   ClientKey      = HMAC(SaltedPassword, "Client Key")      StoredKey = H(ClientKey)
//   ServerKey      = HMAC(SaltedPassword, "Server Key")
//   proof          = ClientKey XOR HMAC(StoredKey, messages)
//
// Of these a verifier keeps StoredKey and ServerKey. A proof gives ClientKey back, and H(ClientKey)
// must be StoredKey.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace discreet::server::identity {

struct ScramVerifier {
  std::string salt;
  unsigned rounds = 0;
  std::string stored_key;
  std::string server_key;
  friend bool operator==(const ScramVerifier&, const ScramVerifier&) = default;
};

/// PostgreSQL's own default is 4,096; clients take a tenth of a second for this. Clients refuse
/// more than 100,000.
inline constexpr unsigned kScramRounds = 32'768;

/// None for a password that clients would normalize (RFC 4013) before they hash it: one that is
/// not plain ASCII. Fails with: kNoEntropy.
Result<std::optional<ScramVerifier>> make_verifier(std::string_view password, unsigned rounds);

/// The same with a given salt. Requires: plain ASCII.
ScramVerifier verifier_with(std::string_view password, std::string salt, unsigned rounds);

/// One that no password fits; a function of `name` and `secret`, so that a name that nobody has
/// looks the same every time.
ScramVerifier mock_verifier(std::string_view secret, std::string_view name, unsigned rounds);

/// "32768:salt:stored:server", the bytes in base64.
std::string to_text(const ScramVerifier& verifier);
std::optional<ScramVerifier> parse_verifier(std::string_view text);

/// Whether the proof is one of the password's. `messages` is RFC 5802's AuthMessage.
bool is_proof(const ScramVerifier& verifier, std::string_view messages, std::string_view proof);
std::string server_signature(const ScramVerifier& verifier, std::string_view messages);

std::string to_base64(std::string_view bytes);
/// None unless it is well-formed, with its padding.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace discreet::server::identity
