// SPDX-License-Identifier: Apache-2.0
#include "engine/spill.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <vector>

namespace discreet::engine {
namespace {

constexpr std::size_t kSpillBlock = 16;                // bytes of AES
constexpr std::size_t kBuffer = std::size_t{1} << 18;  // bytes at a time

/// The bytes of a file from `place` on, encrypted or decrypted: counter mode is its own inverse.
/// Each place is written once, so that no piece of the key stream is used for two texts.
class Stream {
 public:
  Stream(const Secret& key, std::uint64_t place) : context_(EVP_CIPHER_CTX_new()) {
    unsigned char counter[kSpillBlock] = {};
    for (std::size_t i = 0; i < 8; ++i) {
      counter[kSpillBlock - 1 - i] = static_cast<unsigned char>((place / kSpillBlock) >> (8 * i));
    }
    if (context_ == nullptr ||
        EVP_EncryptInit_ex(context_.get(), EVP_aes_128_ctr(), nullptr,
                           reinterpret_cast<const unsigned char*>(key.words.data()),
                           counter) != 1) {
      throw NoRoom("rows could not be encrypted");
    }
  }
  void pass(const void* from, void* to, std::size_t bytes) {
    int done = 0;
    if (EVP_EncryptUpdate(context_.get(), static_cast<unsigned char*>(to), &done,
                          static_cast<const unsigned char*>(from), static_cast<int>(bytes)) != 1 ||
        static_cast<std::size_t>(done) != bytes) {
      throw NoRoom("rows could not be encrypted");
    }
  }

 private:
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
};

/// A file that no folder names.
int open_nameless(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0 || errno == ENOENT || errno == ENOTDIR || errno == EACCES) return file;
  std::string name = folder + "/discreet-XXXXXX";  // a file system that has none
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

/// transfer(bytes done) until all are; an interrupted call is made again.
template <class Transfer>
void fully(std::size_t bytes, const char* words, Transfer transfer) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t step = transfer(done);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) throw NoRoom(words);
    done += static_cast<std::size_t>(step);
  }
}

}  // namespace

Spill::Spill(const std::string& folder) : file_(open_nameless(folder)) {
  if (file_ < 0) throw NoRoom("no file for rows beyond the limit of memory could be made");
  Result<Secret> key = Secret::fresh();
  if (!key) {
    close(file_);
    throw NoRoom("no random key for rows beyond the limit of memory");
  }
  key_ = *key;
}

Spill::~Spill() { close(file_); }

std::uint64_t Spill::write(std::span<const std::uint64_t> words) {
  const std::uint64_t bytes = words.size_bytes();
  const std::uint64_t place = end_.fetch_add((bytes + kSpillBlock - 1) / kSpillBlock * kSpillBlock);
  Stream stream(key_, place);
  std::vector<char> buffer(std::min<std::size_t>(bytes, kBuffer));
  const char* from = reinterpret_cast<const char*>(words.data());
  for (std::size_t at = 0; at < bytes; at += buffer.size()) {
    const std::size_t some = std::min<std::size_t>(buffer.size(), bytes - at);
    stream.pass(from + at, buffer.data(), some);
    fully(some, "rows beyond the limit of memory could not be written to disk", [&](auto done) {
      return pwrite(file_, buffer.data() + done, some - done,
                    static_cast<off_t>(place + at + done));
    });
  }
  return place;
}

void Spill::read(std::uint64_t place, std::span<std::uint64_t> words) const {
  const std::size_t bytes = words.size_bytes();
  Stream stream(key_, place);
  std::vector<char> buffer(std::min(bytes, kBuffer));
  char* to = reinterpret_cast<char*>(words.data());
  for (std::size_t at = 0; at < bytes; at += buffer.size()) {
    const std::size_t some = std::min(buffer.size(), bytes - at);
    fully(some, "rows could not be read back from disk", [&](auto done) {
      return pread(file_, buffer.data() + done, some - done, static_cast<off_t>(place + at + done));
    });
    stream.pass(buffer.data(), to + at, some);
  }
}

Spill& RowRoom::spill() {
  std::lock_guard lock(mutex_);
  if (!spill_) spill_ = std::make_unique<Spill>(folder_);
  return *spill_;
}

}  // namespace discreet::engine
