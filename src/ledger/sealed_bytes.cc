// SPDX-License-Identifier: Apache-2.0
#include "ledger/sealed_bytes.h"

#include <openssl/evp.h>

#include <array>
#include <limits>
#include <memory>

#include "ledger/seal.h"
#include "random/entropy.h"

namespace discreet::ledger {
namespace {

constexpr int kNonceSize = 12;
constexpr int kTagSize = 16;
constexpr std::size_t kSizeMax = 1 << 30;  // OpenSSL counts in int

struct Free {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }  // wipes
};

std::unique_ptr<EVP_CIPHER_CTX, Free> begin(const Hash& key, const unsigned char* nonce,
                                            std::string_view about, bool seals) {
  std::unique_ptr<EVP_CIPHER_CTX, Free> context(EVP_CIPHER_CTX_new());
  int written = 0;
  DISCREET_CHECK(context != nullptr && about.size() < kSizeMax &&
                 EVP_CipherInit_ex2(context.get(), EVP_aes_256_gcm(), key.data(), nonce,
                                    seals ? 1 : 0, nullptr) == 1 &&
                 EVP_CipherUpdate(context.get(), nullptr, &written, unsigned_bytes(about),
                                  static_cast<int>(about.size())) == 1);
  return context;
}

}  // namespace

Result<std::string> seal_bytes(const Hash& key, std::string_view about, std::string_view bytes) {
  DISCREET_CHECK(bytes.size() < kSizeMax);
  std::array<std::uint8_t, kNonceSize> nonce{};
  DISCREET_TRY(random::read_fully(random::read_system, nonce));
  const auto context = begin(key, nonce.data(), about, true);
  std::string out(kNonceSize + bytes.size() + kTagSize, '\0');
  std::copy(nonce.begin(), nonce.end(), out.begin());
  int written = 0;
  int more = 0;
  unsigned char* const body = unsigned_bytes(out) + kNonceSize;
  DISCREET_CHECK(EVP_CipherUpdate(context.get(), body, &written, unsigned_bytes(bytes),
                                  static_cast<int>(bytes.size())) == 1 &&
                 EVP_CipherFinal_ex(context.get(), body + written, &more) == 1 &&
                 EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagSize,
                                     body + bytes.size()) == 1);
  return out;
}

Result<std::string> unseal_bytes(const Hash& key, std::string_view about, std::string_view sealed) {
  const Error wrong{Code::kCorrupt, "the sealed bytes were changed, or are for something else"};
  if (sealed.size() < kNonceSize + kTagSize || sealed.size() >= kSizeMax) return wrong;
  const auto context = begin(key, unsigned_bytes(sealed), about, false);
  std::string out(sealed.size() - kNonceSize - kTagSize, '\0');
  std::string tag(sealed.substr(sealed.size() - kTagSize));
  int written = 0;
  int more = 0;
  DISCREET_CHECK(
      EVP_CipherUpdate(context.get(), unsigned_bytes(out), &written,
                       unsigned_bytes(sealed) + kNonceSize, static_cast<int>(out.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kTagSize, tag.data()) == 1);
  if (EVP_CipherFinal_ex(context.get(), unsigned_bytes(out) + written, &more) != 1) return wrong;
  return out;
}

}  // namespace discreet::ledger
