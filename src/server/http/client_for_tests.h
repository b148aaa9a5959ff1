// SPDX-License-Identifier: Apache-2.0
// A client that sends whatever bytes it is told to, in its own time, and reads what comes back;
// with OpenSSL beneath when asked.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"

namespace discreet::server::http {

struct Got {
  int status = 0;                              ///< 0: the connection was closed without a response
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  std::string head;  ///< status line and headers as they came
};

class Client {
 public:
  /// `tls`: the newest version that is offered, TLS1_1_VERSION, say; 0: none. `source`: the last
  /// byte of the loopback address that it comes from; 0: any.
  explicit Client(std::uint16_t port, int tls = 0, unsigned source = 0) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    DISCREET_CHECK(fd_ >= 0);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    const int yes = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    if (source != 0) {
      address.sin_addr.s_addr = htonl((127U << 24U) + source);
      DISCREET_CHECK(bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    }
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    if (is_open_ && tls != 0) handshake(tls);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() {
    if (fd_ >= 0) ::close(fd_);
  }

  bool is_open() const { return is_open_; }

  /// False when the other side has gone.
  bool send(const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t put =
          ssl_ ? SSL_write(ssl_.get(), bytes.data() + done, static_cast<int>(bytes.size() - done))
               : ::send(fd_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (put <= 0) return false;
      done += static_cast<std::size_t>(put);
    }
    return true;
  }

  Got receive() {
    Got got;
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return got;
    }
    got.head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    got.status = std::atoi(got.head.c_str() + 9);
    for (std::size_t at = got.head.find("\r\n") + 2; at < got.head.size();) {
      const std::size_t stop = got.head.find("\r\n", at);
      const std::string line = got.head.substr(at, stop - at);
      const std::size_t colon = line.find(": ");
      std::string name = line.substr(0, colon);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
      got.headers[name] = colon == std::string::npos ? "" : line.substr(colon + 2);
      at = stop + 2;
    }
    const auto length =
        static_cast<std::size_t>(std::strtoull(got.headers["content-length"].c_str(), nullptr, 10));
    while (buffer_.size() < length) {
      if (!more()) return {};
    }
    got.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return got;
  }

  /// Whether the other side closes, without a further byte.
  bool sees_end() { return buffer_.empty() && !more() && buffer_.empty(); }

  Got ask(const std::string& method, const std::string& target, const std::string& body = {},
          const std::string& headers = {}) {
    std::string text = method + " " + target + " HTTP/1.1\r\nHost: test\r\n" + headers;
    if (!body.empty() || method == "POST") {
      text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    }
    if (!send(text + "\r\n" + body)) return {};
    return receive();
  }

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  void handshake(int newest) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    // Debian forbids old versions to clients too; here one must be tried.
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_.get(), newest);
    SSL_CTX_set_cipher_list(context_.get(), "ALL:@SECLEVEL=0");
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), fd_);
    is_open_ = SSL_connect(ssl_.get()) == 1;
  }

  bool more() {
    char bytes[1 << 14];
    const ssize_t got =
        ssl_ ? SSL_read(ssl_.get(), bytes, sizeof(bytes)) : recv(fd_, bytes, sizeof(bytes), 0);
    if (got <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  int fd_ = -1;
  bool is_open_ = false;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
  std::string buffer_;
};

/// A certificate for a test, in FOLDER/certificate.pem, and its key, in FOLDER/key.pem.
inline void write_certificate(const std::filesystem::path& folder) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"),
                                                                &EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), &X509_free);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
  X509_set_pubkey(made.get(), key.get());
  const auto* const name = reinterpret_cast<const unsigned char*>("localhost");
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC, name, -1, -1,
                             0);
  X509_set_issuer_name(made.get(), X509_get_subject_name(made.get()));
  DISCREET_CHECK(X509_sign(made.get(), key.get(), EVP_sha256()) > 0);
  const auto write = [&](const char* file, const auto& put) {
    std::FILE* const out = std::fopen((folder / file).c_str(), "w");
    DISCREET_CHECK(out != nullptr && put(out) == 1);
    std::fclose(out);
  };
  write("certificate.pem", [&](std::FILE* out) { return PEM_write_X509(out, made.get()); });
  write("key.pem", [&](std::FILE* out) {
    return PEM_write_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

}  // namespace discreet::server::http
