// SPDX-License-Identifier: Apache-2.0
#include "ledger/seal.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "random/entropy.h"

namespace discreet::ledger {
namespace {

constexpr std::size_t kSeedSize = 32;
constexpr std::size_t kSignatureSize = 64;
// Three lines: what it is, the seed, and the public key, which is a checksum of the seed.
constexpr std::string_view kTitle = "discreet ledger owner key 1\n";
constexpr std::size_t kFileSize = kTitle.size() + 2 * (2 * kSeedSize + 1);

/// Wiped when it goes; a seed must not stay behind in freed memory.
struct Secret {
  std::string bytes;
  ~Secret() { random::wipe(bytes.data(), bytes.size()); }
};

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

Context new_context() {
  Context context(EVP_MD_CTX_new());
  DISCREET_CHECK(context != nullptr);
  return context;
}

Error corrupt_file(const std::filesystem::path& file, const std::string& what) {
  return {Code::kCorrupt, "the key file " + path_in_quotes(file) + " " + what +
                              "; put back a copy of it. The ledger cannot be written without "
                              "the key that created it"};
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Hash sha256(std::string_view bytes) {
  // Looking an algorithm up by name costs more than hashing a record; so it is kept, and a context
  // for each thread.
  static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const Context context = new_context();
  Hash hash;
  DISCREET_CHECK(algorithm != nullptr && EVP_DigestInit_ex2(context.get(), algorithm, nullptr) &&
                 EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) &&
                 EVP_DigestFinal_ex(context.get(), hash.data(), nullptr));
  return hash;
}

void OwnerKey::Free::operator()(evp_pkey_st* key) const { EVP_PKEY_free(key); }

OwnerKey::OwnerKey(Handle key) : key_(std::move(key)) {
  std::size_t size = public_.size();
  DISCREET_CHECK(EVP_PKEY_get_raw_public_key(key_.get(), public_.data(), &size) &&
                 size == public_.size());
}

OwnerKey::Handle OwnerKey::from_seed(std::string_view seed) {
  Handle key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, unsigned_bytes(seed), seed.size()));
  DISCREET_CHECK(key != nullptr);
  return key;
}

Result<OwnerKey> OwnerKey::generate() {
  Secret seed{std::string(kSeedSize, '\0')};
  DISCREET_TRY(random::read_fully(random::read_system,
                                  {reinterpret_cast<std::uint8_t*>(seed.bytes.data()), kSeedSize}));
  return OwnerKey(from_seed(seed.bytes));
}

Result<OwnerKey> OwnerKey::load(const std::filesystem::path& file) {
  DISCREET_ASSIGN(const OpenFile open, OpenFile::open(file, O_RDONLY | O_NONBLOCK));
  DISCREET_ASSIGN(const unsigned permissions, open.permissions());
  if ((permissions & 077U) != 0) {
    return Error{Code::kStorage, "the key file " + path_in_quotes(file) +
                                     " can be read by others than its owner; if nobody had it, "
                                     "run: chmod 600 " +
                                     file.string()};
  }
  Secret text;
  DISCREET_ASSIGN(text.bytes, open.read_at(0, kFileSize + 1));
  if (text.bytes.size() < kFileSize && kTitle.starts_with(text.bytes.substr(0, kTitle.size()))) {
    return corrupt_file(file, "is cut short");
  }
  const bool is_key = text.bytes.size() == kFileSize && text.bytes.starts_with(kTitle);
  if (!is_key) return corrupt_file(file, "is not a key of this version");
  const std::string_view seed_line = std::string_view(text.bytes).substr(kTitle.size());
  auto decoded = from_hex(seed_line.substr(0, 2 * kSeedSize));
  if (!decoded) return corrupt_file(file, "was changed");
  const Secret seed{std::move(decoded).value()};
  OwnerKey key(from_seed(seed.bytes));
  const std::string_view rest = seed_line.substr(2 * kSeedSize);
  if (rest != "\n" + to_hex(key.public_) + "\n") return corrupt_file(file, "was changed");
  return key;
}

Result<void> OwnerKey::save(const std::filesystem::path& file) const {
  Secret seed{std::string(kSeedSize, '\0')};
  std::size_t size = kSeedSize;
  DISCREET_CHECK(EVP_PKEY_get_raw_private_key(key_.get(), unsigned_bytes(seed.bytes), &size));
  const Secret hex{to_hex(seed.bytes)};
  Secret text;
  text.bytes.reserve(kFileSize);  // growing would leave copies behind
  text.bytes.append(kTitle).append(hex.bytes).append("\n").append(to_hex(public_)).append("\n");

  DISCREET_ASSIGN(const OpenFile open, OpenFile::open(file, O_WRONLY | O_CREAT | O_EXCL, 0600));
  Result<void> written = open.write_at(0, text.bytes);
  if (written) written = open.sync();
  if (written) written = sync_directory_of(file);
  if (!written) unlink(file.c_str());  // half a key would look like a broken one
  return written;
}

std::string OwnerKey::sign(std::string_view message) const {
  const Context context = new_context();
  std::string signature(kSignatureSize, '\0');
  std::size_t size = signature.size();
  DISCREET_CHECK(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) &&
                 EVP_DigestSign(context.get(), unsigned_bytes(signature), &size,
                                unsigned_bytes(message), message.size()) &&
                 size == kSignatureSize);
  return signature;
}

bool verify_signature(const PublicKey& key, std::string_view message, std::string_view signature) {
  if (signature.size() != kSignatureSize) return false;
  EVP_PKEY* const checker =
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.data(), key.size());
  if (checker == nullptr) return false;
  const Context context = new_context();
  const bool is_good =
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, checker) == 1 &&
      EVP_DigestVerify(context.get(), unsigned_bytes(signature), signature.size(),
                       unsigned_bytes(message), message.size()) == 1;
  EVP_PKEY_free(checker);
  return is_good;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string to_hex(const std::array<std::uint8_t, 32>& bytes) {
  return to_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Result<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return invalid_input("hexadecimal text has an even number of digits");
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit_of(text[i]);
    const int low = digit_of(text[i + 1]);
    if (high < 0 || low < 0) {
      return invalid_input("not hexadecimal: the digits are 0 to 9 and a to f");
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

const unsigned char* unsigned_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* unsigned_bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace discreet::ledger
