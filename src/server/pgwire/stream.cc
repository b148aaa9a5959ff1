// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/stream.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "server/http/tls.h"

namespace discreet::server::pgwire {
namespace {

using Steady = std::chrono::steady_clock;

/// When a call must end.
class Deadline {
 public:
  explicit Deadline(int allowed_ms)
      : is_open_(allowed_ms < 0),
        end_(Steady::now() + std::chrono::milliseconds(std::max(allowed_ms, 0))) {}

  /// For poll(): -1 any time, 0 over.
  int left_ms() const {
    if (is_open_) return -1;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Steady::now()).count();
    return static_cast<int>(std::max<std::int64_t>(left + 1, 0));
  }
  bool is_over() const { return !is_open_ && Steady::now() >= end_; }

 private:
  bool is_open_;
  Steady::time_point end_;
};

class SocketStream final : public Stream {
 public:
  SocketStream(int socket, SSL_CTX* tls, int write_ms)
      : socket_(socket), context_(tls), write_ms_(write_ms) {
    const int flags = fcntl(socket_, F_GETFL, 0);
    fcntl(socket_, F_SETFL, flags | O_NONBLOCK);
  }
  SocketStream(const SocketStream&) = delete;
  SocketStream& operator=(const SocketStream&) = delete;
  ~SocketStream() override {
    if (tls_ != nullptr) {
      SSL_shutdown(tls_.get());
      ERR_clear_error();
    }
    close(socket_);
  }

  bool read(char* to, std::size_t size, int allowed_ms) override {
    const Deadline deadline(allowed_ms);
    while (size > 0) {
      if (at_ == filled_ && !fill(deadline)) return false;
      const std::size_t part = std::min(size, filled_ - at_);
      std::memcpy(to, buffer_.data() + at_, part);
      at_ += part;
      to += part;
      size -= part;
    }
    return true;
  }

  bool write(std::string_view bytes) override {
    const Deadline deadline(write_ms_);
    while (!bytes.empty()) {
      const long done =
          tls_ ? SSL_write(tls_.get(), bytes.data(),
                           static_cast<int>(std::min<std::size_t>(bytes.size(), 1U << 20U)))
               : send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (done > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(done));
      } else if (!wait_after(done, POLLOUT, deadline)) {
        return false;
      }
    }
    return true;
  }

  bool start_tls(int allowed_ms) override {
    // Bytes that came in the clear must not be taken for protected ones.
    if (context_ == nullptr || at_ != filled_) return false;
    tls_.reset(SSL_new(context_));
    if (!tls_ || SSL_set_fd(tls_.get(), socket_) != 1) return false;
    const Deadline deadline(allowed_ms);
    while (true) {
      const int done = SSL_accept(tls_.get());
      if (done == 1) return true;
      if (!wait_after(done, POLLIN, deadline)) return false;
    }
  }

  bool can_do_tls() const override { return context_ != nullptr; }
  bool is_secure() const override { return tls_ != nullptr; }

  std::string channel_binding() const override {
    X509* const certificate = tls_ ? SSL_get_certificate(tls_.get()) : nullptr;
    if (certificate == nullptr) return "";
    int hash = NID_undef;
    const EVP_MD* kind = EVP_sha256();  // also where the certificate has MD5 or SHA-1
    if (OBJ_find_sigid_algs(X509_get_signature_nid(certificate), &hash, nullptr) == 1 &&
        hash != NID_md5 && hash != NID_sha1 && EVP_get_digestbynid(hash) != nullptr) {
      kind = EVP_get_digestbynid(hash);
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (X509_digest(certificate, kind, digest.data(), &size) != 1) return "";
    return {reinterpret_cast<const char*>(digest.data()), size};
  }

  bool is_gone() override {
    pollfd ready{.fd = socket_, .events = POLLIN | POLLRDHUP, .revents = 0};
    if (poll(&ready, 1, 0) <= 0) return false;
    return (ready.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
  }

 private:
  struct Free {
    void operator()(SSL* tls) const { SSL_free(tls); }
  };

  bool fill(const Deadline& deadline) {
    at_ = filled_ = 0;
    while (true) {
      const long done = tls_ ? SSL_read(tls_.get(), buffer_.data(), kBufferBytes)
                             : recv(socket_, buffer_.data(), kBufferBytes, 0);
      if (done > 0) {
        filled_ = static_cast<std::size_t>(done);
        return true;
      }
      if (!wait_after(done, POLLIN, deadline)) return false;
    }
  }

  /// Waits until a call that could not go on may; false when it never will, or too late.
  bool wait_after(long done, short wanted, const Deadline& deadline) {
    if (tls_) {
      const int reason = SSL_get_error(tls_.get(), static_cast<int>(done));
      ERR_clear_error();
      if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) return false;
      wanted = reason == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    } else if (done == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
      return false;
    }
    if (deadline.is_over()) return false;
    pollfd ready{.fd = socket_, .events = wanted, .revents = 0};
    const int found = poll(&ready, 1, deadline.left_ms());
    return found > 0 || (found < 0 && errno == EINTR);
  }

  static constexpr int kBufferBytes = 16 << 10;

  const int socket_;
  SSL_CTX* const context_;
  const int write_ms_;
  std::unique_ptr<SSL, Free> tls_;
  std::array<char, kBufferBytes> buffer_{};
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace

std::unique_ptr<Stream> socket_stream(int socket, ssl_ctx_st* tls, int write_ms) {
  return std::make_unique<SocketStream>(socket, tls, write_ms);
}

void hang_up(int socket) { shutdown(socket, SHUT_RDWR); }

Result<std::shared_ptr<ssl_ctx_st>> tls_context(const std::string& certificate,
                                                const std::string& key) {
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) return Error{Code::kStorage, "OpenSSL cannot be started"};
  DISCREET_TRY(http::use_tls(context.get(), {certificate, key}));
  return context;
}

}  // namespace discreet::server::pgwire
