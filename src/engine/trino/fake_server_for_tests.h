// SPDX-License-Identifier: Apache-2.0
// A server on this machine that answers HTTP as a test tells it to, plain or over TLS with a
// certificate of its own.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace discreet::engine::trino {

class FakeServer {
 public:
  /// A whole request -> the response's bytes, or nothing to close the line.
  using Answer = std::function<std::optional<std::string>(const std::string& request)>;

  explicit FakeServer(Answer answer, const std::string& certificate_file = "")
      : answer_(std::move(answer)) {
    if (!certificate_file.empty()) make_certificate(certificate_file);
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  ~FakeServer() {
    shutdown(listener_, SHUT_RDWR);
    {
      std::lock_guard lock(mutex_);
      if (line_ >= 0) shutdown(line_, SHUT_RDWR);
    }
    thread_.join();
    close(listener_);
    SSL_CTX_free(context_);
  }

  std::string url(const std::string& options) const {
    return "trino://ann@127.0.0.1:" + std::to_string(port_) + "?" + options;
  }
  static std::string json(const std::string& body, const std::string& status = "200 OK",
                          const std::string& header = "") {
    return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" + header +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  std::vector<std::string> requests() {
    std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    sigset_t pipe;  // a client that has gone is no reason to end the test
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    for (;;) {
      const int line = accept(listener_, nullptr, nullptr);
      if (line < 0) return;
      {
        std::lock_guard lock(mutex_);
        line_ = line;
      }
      SSL* ssl = nullptr;
      if (context_ != nullptr) {
        ssl = SSL_new(context_);
        SSL_set_fd(ssl, line);
        if (SSL_accept(ssl) == 1) talk(line, ssl);
        SSL_free(ssl);
      } else {
        talk(line, nullptr);
      }
      std::lock_guard lock(mutex_);
      line_ = -1;
      close(line);
    }
  }

  void talk(int line, SSL* ssl) {
    std::string unread;
    char bytes[4096];
    for (;;) {
      const std::size_t end = unread.find("\r\n\r\n");
      std::size_t whole = std::string::npos;
      if (end != std::string::npos) {
        const std::size_t at = unread.find("Content-Length: ");
        whole = end + 4 + (at < end ? std::stoul(unread.substr(at + 16)) : 0);
      }
      if (whole != std::string::npos && unread.size() >= whole) {
        const std::string request = unread.substr(0, whole);
        unread.erase(0, whole);
        {
          std::lock_guard lock(mutex_);
          requests_.push_back(request);
        }
        const auto response = answer_(request);
        if (!response) return;
        if (ssl != nullptr) {
          SSL_write(ssl, response->data(), static_cast<int>(response->size()));
        } else if (send(line, response->data(), response->size(), MSG_NOSIGNAL) < 0) {
          return;
        }
        continue;
      }
      const auto got = ssl != nullptr ? static_cast<ssize_t>(SSL_read(ssl, bytes, sizeof bytes))
                                      : recv(line, bytes, sizeof bytes, 0);
      if (got <= 0) return;
      unread.append(bytes, static_cast<std::size_t>(got));
    }
  }

  void make_certificate(const std::string& file) {
    EVP_PKEY* const key = EVP_RSA_gen(2048);
    X509* const certificate = X509_new();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* const name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_EXTENSION* const extension =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    X509_sign(certificate, key, EVP_sha256());
    FILE* const out = std::fopen(file.c_str(), "w");
    PEM_write_X509(out, certificate);
    std::fclose(out);
    context_ = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate(context_, certificate);
    SSL_CTX_use_PrivateKey(context_, key);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }

  Answer answer_;
  SSL_CTX* context_ = nullptr;
  int listener_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  int line_ = -1;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace discreet::engine::trino
