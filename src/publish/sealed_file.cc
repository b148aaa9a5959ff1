// SPDX-License-Identifier: Apache-2.0
#include "publish/sealed_file.h"

#include <fcntl.h>
#include <openssl/evp.h>

#include <array>
#include <cstdio>
#include <memory>

#include "base/files.h"

namespace discreet::publish {
namespace {

using ledger::unsigned_bytes;

constexpr std::size_t kNonce = 12;
constexpr std::size_t kTag = 16;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

/// Only the owner can sign, and signatures are deterministic: a signature of a text that is signed
/// nowhere else is a secret of the owner's.
Hash derived(const ledger::OwnerKey& key, const std::string& purpose) {
  std::string signature = key.sign("discreet derived key\n" + purpose);
  const Hash out = ledger::sha256(signature);
  wipe(signature);
  return out;
}

std::string nonce_of(const ledger::OwnerKey& key, const std::string& context,
                     std::string_view bytes) {
  const Hash secret = derived(key, "nonce " + context);
  const Hash inner = ledger::sha256(bytes);
  std::string text(secret.begin(), secret.end());
  text.append(inner.begin(), inner.end());
  const Hash out = ledger::sha256(text);
  wipe(text);
  return std::string(out.begin(), out.begin() + kNonce);
}

/// Of all bytes, by pieces: the cipher counts them in an int. False when it fails.
template <class Update>
bool in_pieces(Update update, EVP_CIPHER_CTX* cipher, std::string& out, std::string_view bytes) {
  constexpr std::size_t kPiece = std::size_t{1} << 30;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const std::string_view piece = bytes.substr(at, kPiece);
    int written = 0;
    if (update(cipher, unsigned_bytes(out) + at, &written, unsigned_bytes(piece),
               static_cast<int>(piece.size())) != 1) {
      return false;
    }
  }
  return true;
}

Error failed() { return Error{Code::kStorage, "the cipher of a sealed file failed"}; }

}  // namespace

Result<std::string> encrypt(const ledger::OwnerKey& key, const std::string& context,
                            std::string_view bytes) {
  const Hash secret = derived(key, "cipher " + context);
  std::string out = nonce_of(key, context, bytes);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  std::string body(bytes.size(), '\0');
  std::string tag(kTag, '\0');
  int written = 0;
  if (!cipher ||
      EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, secret.data(),
                         unsigned_bytes(out)) != 1 ||
      EVP_EncryptUpdate(cipher.get(), nullptr, &written, unsigned_bytes(std::string_view(context)),
                        static_cast<int>(context.size())) != 1 ||
      !in_pieces(EVP_EncryptUpdate, cipher.get(), body, bytes) ||
      EVP_EncryptFinal_ex(cipher.get(), unsigned_bytes(body) + body.size(), &written) != 1 ||
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTag, tag.data()) != 1) {
    return failed();
  }
  return out + tag + body;
}

Result<Sensitive<std::string>> decrypt(const ledger::OwnerKey& key, const std::string& context,
                                       std::string_view bytes) {
  const Error corrupt{
      Code::kCorrupt,
      "a sealed file of the stream is damaged, or belongs to another stream or key; "
      "restore it"};
  if (bytes.size() < kNonce + kTag) return corrupt;
  const Hash secret = derived(key, "cipher " + context);
  const std::string_view nonce = bytes.substr(0, kNonce);
  std::string tag(bytes.substr(kNonce, kTag));
  const std::string_view body = bytes.substr(kNonce + kTag);
  const Cipher cipher(EVP_CIPHER_CTX_new());
  std::string out(body.size(), '\0');
  int written = 0;
  if (!cipher ||
      EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, secret.data(),
                         unsigned_bytes(nonce)) != 1 ||
      EVP_DecryptUpdate(cipher.get(), nullptr, &written, unsigned_bytes(std::string_view(context)),
                        static_cast<int>(context.size())) != 1 ||
      !in_pieces(EVP_DecryptUpdate, cipher.get(), out, body) ||
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTag, tag.data()) != 1 ||
      EVP_DecryptFinal_ex(cipher.get(), unsigned_bytes(out) + out.size(), &written) != 1) {
    wipe(out);
    return corrupt;
  }
  return Sensitive<std::string>(std::move(out));
}

Result<std::string> read_kept(const std::filesystem::path& file) {
  // Without O_NONBLOCK a pipe in the file's place would wait for a writer.
  DISCREET_ASSIGN(const OpenFile open, OpenFile::open(file, O_RDONLY | O_NONBLOCK));
  DISCREET_TRY(open.permissions());
  DISCREET_ASSIGN(const std::uint64_t size, open.size());
  return open.read_at(0, size);
}

Result<void> replace_file(const std::filesystem::path& file, std::string_view bytes) {
  const std::filesystem::path fresh = file.string() + ".new";
  {
    DISCREET_ASSIGN(const OpenFile open, OpenFile::open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600));
    DISCREET_TRY(open.write_at(0, bytes));
    DISCREET_TRY(open.sync());
  }
  return move_file(fresh, file);
}

Result<void> move_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    return Error{Code::kStorage, "the file " + in_quotes(to.string()) + " could not be replaced"};
  }
  return sync_directory_of(to);
}

}  // namespace discreet::publish
