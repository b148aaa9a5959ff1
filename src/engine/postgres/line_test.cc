// SPDX-License-Identifier: Apache-2.0
// What is said to a server of another machine that offers no TLS: nothing.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "engine/postgres/connection.h"
#include "ledger/postgres.h"

namespace discreet::engine::postgres::line_test {
namespace {

/// Says "no" to whoever asks for TLS, and keeps what comes then.
class WithoutTls {
 public:
  WithoutTls() : listening_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(listening_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listening_, 4), 0);
    EXPECT_EQ(getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  WithoutTls(const WithoutTls&) = delete;
  WithoutTls& operator=(const WithoutTls&) = delete;
  ~WithoutTls() { close(listening_); }

  /// The bytes that one connection sends after the "no".
  template <class Connect>
  std::string heard(const Connect& connect) {
    std::string after;
    std::thread server([&] {
      const int client = accept(listening_, nullptr, nullptr);
      char bytes[512];
      if (recv(client, bytes, 8, MSG_WAITALL) == 8) {  // SSLRequest: eight bytes
        if (send(client, "N", 1, MSG_NOSIGNAL) == 1) {
          const ssize_t more = recv(client, bytes, sizeof(bytes), 0);
          if (more > 0) after.assign(bytes, static_cast<std::size_t>(more));
        }
      }
      close(client);
    });
    connect();
    server.join();
    return after;
  }
  /// By an address that is not loopback's.
  std::string url(const std::string& more) const {
    return "postgres://somebody@0.0.0.0:" + std::to_string(port_) + "/db" + more;
  }

 private:
  int listening_;
  int port_ = 0;
};

TEST(Line, NothingIsToldToAServerWithoutTls) {
  WithoutTls server;
  std::string words;
  EXPECT_EQ(server.heard([&] {
    const auto engine = Connection::open(server.url(""), {});
    ASSERT_FALSE(engine);
    words = engine.error().message;
  }),
            "");
  EXPECT_NE(words.find("sslrootcert="), words.npos) << words;
  EXPECT_EQ(server.heard([&] {
    const auto ledger = ledger::PgSession::open(server.url(""));
    ASSERT_FALSE(ledger);
    words = ledger.error().message;
  }),
            "");
  EXPECT_NE(words.find("sslrootcert="), words.npos) << words;
  // With an sslmode of the URL's own the line is as it says.
  EXPECT_NE(server.heard([&] { EXPECT_FALSE(Connection::open(server.url("?sslmode=prefer"), {})); })
                .find("somebody"),
            std::string::npos);
}

}  // namespace
}  // namespace discreet::engine::postgres::line_test
