// SPDX-License-Identifier: Apache-2.0
#include "server/identity/password.h"

#include <argon2.h>

#include <array>
#include <cstdint>

#include "engine/keyed_hash.h"

namespace discreet::server::identity {
namespace {

constexpr std::size_t kPasswordMin = 12;
constexpr std::size_t kPasswordMax = 256;
constexpr std::size_t kHashBytes = 32;

}  // namespace

Result<std::string> hash_password(std::string_view password, const PasswordCost& cost) {
  if (password.size() < kPasswordMin || password.size() > kPasswordMax) {
    return invalid_input("a password has 12 to 256 bytes; a few random words make a good one");
  }
  DISCREET_ASSIGN(const engine::Secret salt, engine::Secret::fresh());
  std::array<char, 256> encoded{};
  const int status = argon2id_hash_encoded(cost.passes, cost.kib, 1, password.data(),
                                           password.size(), salt.words.data(), sizeof(salt.words),
                                           kHashBytes, encoded.data(), encoded.size());
  if (status != ARGON2_OK) {
    return Error{Code::kStorage, "there is not enough memory to hash a password"};
  }
  return std::string(encoded.data());
}

bool verify_password(const std::string& hash, std::string_view password) {
  if (password.size() > kPasswordMax) return false;
  return argon2id_verify(hash.c_str(), password.data(), password.size()) == ARGON2_OK;
}

Result<std::string> fresh_secret() {
  static constexpr char kLetters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  DISCREET_ASSIGN(const engine::Secret first, engine::Secret::fresh());
  DISCREET_ASSIGN(const engine::Secret second, engine::Secret::fresh());
  const std::array<std::uint64_t, 4> words = {first.words[0], first.words[1], second.words[0],
                                              second.words[1]};
  std::string out;
  for (std::size_t bit = 0; bit < 256; bit += 6) {
    std::uint64_t six = words[bit / 64] >> (bit % 64);
    if (bit % 64 > 58 && bit / 64 < 3) six |= words[bit / 64 + 1] << (64 - bit % 64);
    out += kLetters[six & 63];
  }
  return out;
}

}  // namespace discreet::server::identity
