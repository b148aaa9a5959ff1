// SPDX-License-Identifier: Apache-2.0
// Connections that are slow, silent or half-open, over real sockets: each ends, and others do not
// notice.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iomanip>
#include <list>
#include <sstream>
#include <thread>

#include "server/pgwire/script_for_tests.h"
#include "server/pgwire/server.h"

namespace discreet::server::pgwire::bounded_test {
namespace {

/// A client that has a socket and no manners.
class Guest {
 public:
  explicit Guest(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  ~Guest() { close(socket_); }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  /// What could be sent before the other side stopped taking it.
  std::size_t send(const std::string& bytes, int flags = 0) const {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | flags);
    return n < 0 ? 0 : static_cast<std::size_t>(n);
  }
  /// The next bytes; empty: the connection has ended. Waits for twenty seconds.
  std::string receive() const {
    pollfd wait{socket_, POLLIN, 0};
    std::string bytes(1 << 16, '\0');
    if (poll(&wait, 1, 20'000) != 1) return "still open after twenty seconds";
    const ssize_t n = recv(socket_, bytes.data(), bytes.size(), 0);
    bytes.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    return bytes;
  }
  /// Everything until the end.
  std::string receive_all() const {
    std::string all;
    for (std::string piece = receive(); !piece.empty(); piece = receive()) {
      all += piece;
      if (all.size() > (1 << 20)) break;
    }
    return all;
  }
  void log_in() const {
    Script script("ann", "");
    log_in(&script);
    while (script.written.find(std::string("Z\0\0\0\5I", 6)) == std::string::npos) {
      script.write(receive());
    }
  }
  /// Up to the first reply to the password.
  void log_in(Script* with) const {
    Script& script = *with;
    for (int step = 0; step < 3; ++step) {
      std::string bytes(step == 0 ? 4 : 5, '\0');
      ASSERT_TRUE(script.read(bytes.data(), bytes.size(), -1));
      std::uint32_t length = 0;
      std::memcpy(&length, bytes.data() + bytes.size() - 4, 4);
      std::string body(ntohl(length) - 4, '\0');
      ASSERT_TRUE(script.read(body.data(), body.size(), -1));
      send(bytes + body);
      script.write(receive());
    }
  }

 private:
  int socket_;
};

class Bounded : public testing::Test {
 protected:
  void listen(const Options& options) { server = Server::listen(options, desk).value(); }
  /// Waits until so many are open.
  bool comes_down_to(std::size_t open) const {
    for (int i = 0; i < 2000 && server->connections() != open; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return server->connections() == open;
  }

  MadeUpDesk desk{pgcatalog::Catalog::open(sql::clinic()).value()};
  std::unique_ptr<Server> server;
};

TEST_F(Bounded, WhoSaysNothingIsShownOut) {
  listen({.limits = {.startup_ms = 200}});
  const Guest silent(server->port());
  const Guest slow(server->port());
  const std::string hello = startup("ann");
  slow.send(hello.substr(0, 5));  // and no more
  EXPECT_EQ(silent.receive_all(), "");
  slow.receive_all();
  EXPECT_TRUE(comes_down_to(0));
}

TEST_F(Bounded, WhoHasNoPasswordIsShownOutInTime) {
  listen({.limits = {.startup_ms = 300}});
  const Guest guest(server->port());
  guest.send(startup("ann"));
  guest.receive();  // what it may log in by; it never does
  guest.receive_all();
  EXPECT_TRUE(comes_down_to(0));
}

TEST_F(Bounded, AMessageThatHasBegunMustEnd) {
  listen({.limits = {.message_ms = 200}});
  const Guest guest(server->port());
  guest.log_in();
  const Guest polite(server->port());
  polite.log_in();
  guest.send(std::string("Q\0\0\1\0SELECT", 11));  // of 256 bytes
  guest.receive_all();
  EXPECT_TRUE(comes_down_to(1));
  polite.send(message('Q', zero_ended("SELECT 1")));
  EXPECT_NE(polite.receive().find("SELECT 1"), std::string::npos);  // the tag
}

TEST_F(Bounded, WhoDoesNotReadIsDropped) {
  listen({.write_ms = 200});
  const Guest guest(server->port());
  guest.log_in();
  std::string many;
  for (int i = 0; i < 2000; ++i) many += message('Q', zero_ended("SELECT repeat('x', 20000)"));
  for (int i = 0; i < 2000 && server->connections() == 1; ++i) {
    guest.send(many, MSG_DONTWAIT);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(comes_down_to(0));
}

TEST_F(Bounded, OneMoreThanThereMayBeIsToldSo) {
  listen({.connections = 2});
  const Guest first(server->port());
  first.log_in();
  {
    const Guest second(server->port());
    second.log_in();
    const Guest third(server->port());
    EXPECT_NE(third.receive_all().find("53300"), std::string::npos);
  }
  EXPECT_TRUE(comes_down_to(1));
  const Guest another(server->port());
  another.log_in();
}

TEST_F(Bounded, AThreadThatIsNotToBeHadEndsOneConnection) {
  std::atomic<bool> has_threads{true};
  listen({.start_thread = [&](std::function<void()> run) -> Result<std::thread> {
    if (!has_threads) return Error{Code::kStorage, "no thread"};
    return start_thread(std::move(run));
  }});
  const Guest first(server->port());
  first.log_in();
  has_threads = false;
  for (int i = 0; i < 30; ++i) {
    const Guest turned_away(server->port());
    EXPECT_NE(turned_away.receive_all().find("53300"), std::string::npos);
  }
  EXPECT_EQ(server->connections(), 1U);
  first.send(message('Q', zero_ended("SELECT 1")));
  EXPECT_NE(first.receive().find("SELECT 1"), std::string::npos);
  has_threads = true;
  const Guest again(server->port());
  again.log_in();
}

TEST_F(Bounded, StrangersDoNotKeepOthersOut) {
  listen({.connections = 3, .strangers = 4});
  std::list<Guest> silent;
  for (int i = 0; i < 40; ++i) {
    silent.emplace_back(server->port());
    if (i % 10 != 9) continue;
    const Guest polite(server->port());
    polite.log_in();  // the oldest of the others gave way
    polite.send(message('Q', zero_ended("SELECT 1")));
    EXPECT_NE(polite.receive().find("SELECT 1"), std::string::npos);
  }
  EXPECT_EQ(silent.front().receive_all(), "");
  EXPECT_TRUE(comes_down_to(3));
}

TEST_F(Bounded, OneAccountDoesNotTakeAllPlaces) {
  listen({.connections = 8, .connections_per_account = 2});
  const Guest first(server->port());
  first.log_in();
  const Guest second(server->port());
  second.log_in();
  const Guest third(server->port());
  Script script("ann", "");
  third.log_in(&script);
  EXPECT_NE(outline(script.written).find("E(53300)"), std::string::npos) << outline(script.written);
}

/// The timer that runs for the server's end of its only connection, as the kernel tells: 2 is the
/// one for keep-alive probes.
std::string timer_of(std::uint16_t port) {
  std::ifstream table("/proc/self/net/tcp");
  std::ostringstream local;
  local << "0100007F:" << std::uppercase << std::hex << std::setw(4) << std::setfill('0') << port;
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string number, from, to, state, queues, timer;
    words >> number >> from >> to >> state >> queues >> timer;
    if (from == local.str() && state == "01") return timer.substr(0, 2);
  }
  return "none";
}

TEST_F(Bounded, HalfOpenConnectionsAreProbed) {
  listen({});
  const Guest guest(server->port());
  guest.log_in();
  // The one for what was just sent comes first.
  for (int i = 0; i < 2000 && timer_of(server->port()) != "02"; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(timer_of(server->port()), "02");
}

TEST_F(Bounded, StoppingEndsThoseThatWait) {
  listen({});
  const Guest guest(server->port());
  guest.log_in();
  EXPECT_TRUE(comes_down_to(1));
  server->stop();
  EXPECT_EQ(guest.receive_all().find("still open"), std::string::npos);
}

}  // namespace
}  // namespace discreet::server::pgwire::bounded_test
